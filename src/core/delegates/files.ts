import { appendFile, mkdir, open, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readTextIfExists, writeFileAtomic } from '../../base/atomicFile.ts';
import { redactText } from '../traffic/redact.ts';

/**
 * The files of one delegate. What other programs see is `.prompt`, `.status`, `.output`, `.done` and `.log`; the same names, in
 * another folder, are those of a claude-swarm worker.
 */
export class DelegateFiles {
	/** @param base path without an ending */
	constructor(readonly base: string) {}

	/** What it was asked, readable by its user alone. */
	get prompt(): string {
		return `${this.base}.prompt`;
	}
	get status(): string {
		return `${this.base}.status`;
	}
	get output(): string {
		return `${this.base}.output`;
	}
	get done(): string {
		return `${this.base}.done`;
	}
	get log(): string {
		return `${this.base}.log`;
	}

	/** For a person to read while it grows. Secrets are taken out. */
	async appendLog(text: string): Promise<void> {
		await mkdir(dirname(this.log), { recursive: true, mode: 0o700 });
		await appendFile(this.log, redactText(text), { mode: 0o600 });
	}

	/** On the disk when this returns. */
	async writeOutput(output: string): Promise<void> {
		await writeFileAtomic(this.output, output, { sync: true });
	}

	/**
	 * The word that it is over: after this nothing of the run is written any more.
	 * @param error why it failed, in one line
	 */
	async writeDone(error: string | undefined): Promise<void> {
		await writeFileAtomic(this.done, `${error === undefined ? 'success' : `error: ${error}`}\n`, { sync: true });
	}

	/** `success`, `error: …`, or `undefined` while it is not over. */
	async readDone(): Promise<string | undefined> {
		return (await readTextIfExists(this.done))?.trim();
	}

	async hasOutput(): Promise<boolean> {
		return ((await stat(this.output).catch(() => undefined))?.size ?? 0) > 0;
	}

	/** The beginning of the answer, in bytes of UTF-8 at most, and whether that is all of it. */
	async readOutput(limit: number): Promise<{ text: string; isWhole: boolean; bytes: number }> {
		const found = await stat(this.output).catch(() => undefined);
		if (!found) return { text: '', isWhole: true, bytes: 0 };
		if (found.size <= limit) return { text: await readFile(this.output, 'utf8'), isWhole: true, bytes: found.size };
		const handle = await open(this.output, 'r');
		try {
			const { buffer, bytesRead } = await handle.read(Buffer.alloc(limit), 0, limit, 0);
			// A character that was cut in two goes.
			const text = buffer
				.subarray(0, bytesRead)
				.toString('utf8')
				.replace(/\uFFFD+$/, '');
			return { text, isWhole: false, bytes: found.size };
		} finally {
			await handle.close();
		}
	}
}
