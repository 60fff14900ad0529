import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readTextIfExists, writeFileAtomic } from '../../base/atomicFile.ts';
import type { DelegateId } from '../../protocol/delegate.ts';

/**
 * Proof that this user queued a delegate on this machine. A repository can bring files in `.nancy/delegates` along; without a
 * ticket in the user's own folder nothing is run because of them.
 */
export class Tickets {
	/** @param dataFolder the user's: see base/folders */
	constructor(private readonly dataFolder: string) {}

	/**
	 * @param files what says what the delegate will do: its record and its prompt
	 * @param contents what they hold, or will
	 */
	async issue(id: DelegateId, files: readonly string[], contents: readonly string[]): Promise<void> {
		await writeFileAtomic(this.file(id), `${digest(files, contents)}\n`);
	}

	async isValid(id: DelegateId, files: readonly string[]): Promise<boolean> {
		const text = await readTextIfExists(this.file(id));
		if (text === undefined) return false;
		const contents = await Promise.all(files.map(file => readFile(file))).catch(() => undefined);
		return contents !== undefined && text.trim() === digest(files, contents);
	}

	async remove(id: DelegateId): Promise<void> {
		await rm(this.file(id), { force: true });
	}

	private file(id: DelegateId): string {
		return join(this.dataFolder, 'tickets', id);
	}
}

function digest(files: readonly string[], contents: readonly (string | Uint8Array)[]): string {
	const hash = createHash('sha256');
	for (const [index, file] of files.entries()) {
		hash.update(`${file}\0`)
			.update(contents[index] ?? '')
			.update('\0');
	}
	return hash.digest('hex');
}
