import { lstat, mkdir, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeFileAtomic } from '../../base/atomicFile.ts';
import { errorText, NancyError } from '../../base/errors.ts';
import type { DelegateStatus } from '../../protocol/delegate.ts';
import { writeJsonFile } from '../files/jsonFile.ts';
import { inHeldFolder } from '../files/heldFolder.ts';
import { refuseLinks, writeInPlace } from '../files/links.ts';
import { openPlainFile, readPlainText } from '../files/plainFile.ts';
import { redactText } from '../traffic/redact.ts';

/** Limit of `.done`, in bytes: the file has one line. */
const LONGEST_DONE = 64 * 1024;

/**
 * The files of one delegate. Other programs see `.prompt`, `.status`, `.output`, `.done` and `.log`. The same names, in another folder, are
 * those of a claude-swarm worker.
 */
export class DelegateFiles {
	/** The last written answer, with the identity of its file. */
	private written: { output: string; look: string } | undefined;
	/** Why the copy could not be written. */
	private hasSaidWhy = false;

	/**
	 * @param base path without an ending
	 * @param folders on the way to it that must not be links; an agent can put links there while its run goes on
	 * @param copy finds other files with the same content, for a program beside Nancy
	 */
	constructor(
		readonly base: string,
		private readonly folders: readonly string[],
		private readonly copy?: () => DelegateFiles,
	) {}

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
		refuseLinks(this.folders);
		await mkdir(dirname(this.log), { recursive: true, mode: 0o700 });
		await this.append(redactText(text));
		await this.inCopy(files => files.appendLog(text));
	}

	/** Removes the files of an earlier run: its end and answer would count for this one. */
	async begin(prompt: string): Promise<void> {
		refuseLinks(this.folders);
		for (const earlier of [this.done, this.output]) await rm(earlier, { force: true });
		// Where it is the very file that says what to do, it stays its writer's.
		if ((await readPlainText(this.prompt)) !== prompt)
			await inHeldFolder(this.prompt, file => writeFileAtomic(file, prompt));
		await this.inCopy(files => files.begin(prompt));
	}

	async writeStatus(status: DelegateStatus): Promise<void> {
		refuseLinks(this.folders);
		await writeJsonFile(this.status, status);
		await this.inCopy(files => files.writeStatus(status));
	}

	/** On the disk when this returns. The same answer is not written twice, unless somebody has replaced it. */
	async writeOutput(output: string): Promise<void> {
		refuseLinks(this.folders);
		if (this.written?.output === output && this.written.look === (await this.lookOfOutput())) return;
		await inHeldFolder(this.output, file => writeFileAtomic(file, output, { sync: true }));
		const look = await this.lookOfOutput();
		// Whoever takes the runner for dead writes an empty one.
		const isOurs = look?.endsWith(` ${Buffer.byteLength(output)}`) === true;
		this.written = isOurs ? { output, look } : undefined;
		await this.inCopy(files => files.writeOutput(output));
	}

	/**
	 * Writes the end: afterwards nothing of the run is written any more.
	 * @param error why it failed, in one line
	 */
	async writeDone(error: string | undefined): Promise<void> {
		refuseLinks(this.folders);
		await this.inCopy(files => files.writeDone(error));
		const text = `${error === undefined ? 'success' : `error: ${error}`}\n`;
		await inHeldFolder(this.done, file => writeFileAtomic(file, text, { sync: true }));
	}

	/** Removes a recorded end that did not happen. */
	async removeDone(): Promise<void> {
		refuseLinks(this.folders);
		await rm(this.done, { force: true });
		await this.inCopy(files => files.removeDone());
	}

	private async lookOfOutput(): Promise<string | undefined> {
		const found = await lstat(this.output, { bigint: true }).catch(() => undefined);
		return found && `${found.ino} ${found.mtimeNs} ${found.size}`;
	}

	/** Removes the files of a delegate without an owner. */
	async remove(): Promise<void> {
		refuseLinks(this.folders);
		for (const file of [this.status, this.output, this.done, this.log, this.prompt])
			await rm(file, { force: true });
	}

	/** Follows no link: a swarm's folder may have come with a repository. */
	private append(text: string): Promise<void> {
		return inHeldFolder(this.log, file => writeInPlace(file, text, 'append'));
	}

	/** If its copy cannot be written, the delegate goes on; its log says so once. */
	private async inCopy(write: (files: DelegateFiles) => Promise<void>): Promise<void> {
		if (!this.copy) return;
		try {
			await write(this.copy());
		} catch (error) {
			if (this.hasSaidWhy) return;
			this.hasSaidWhy = true;
			await this.append(`copy: ${errorText(error)}\n`).catch(() => undefined);
		}
	}

	/** `success`, `error: …`, or `undefined` before its end. */
	async readDone(): Promise<string | undefined> {
		return (await readPlainText(this.done, LONGEST_DONE))?.trim();
	}

	async hasOutput(): Promise<boolean> {
		const found = await lstat(this.output).catch(() => undefined);
		return found !== undefined && found.isFile() && found.size > 0;
	}

	/** All of the answer; empty where there is none. */
	async readAnswer(): Promise<string> {
		const handle = await this.openOutput();
		try {
			return (await handle?.readFile('utf8')) ?? '';
		} finally {
			await handle?.close();
		}
	}

	/** Only a plain file is an answer. */
	private async openOutput(): Promise<FileHandle | undefined> {
		try {
			return await openPlainFile(this.output);
		} catch (error) {
			if (error instanceof NancyError) return undefined;
			throw error;
		}
	}
}
