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

	/** @param files what the delegate will do: its record and its prompt */
	async issue(id: DelegateId, files: readonly string[]): Promise<void> {
		await writeFileAtomic(this.file(id), `${await digest(files)}\n`);
	}

	async isValid(id: DelegateId, files: readonly string[]): Promise<boolean> {
		const text = await readTextIfExists(this.file(id));
		return text !== undefined && text.trim() === (await digest(files).catch(() => undefined));
	}

	async remove(id: DelegateId): Promise<void> {
		await rm(this.file(id), { force: true });
	}

	private file(id: DelegateId): string {
		return join(this.dataFolder, 'tickets', id);
	}
}

async function digest(files: readonly string[]): Promise<string> {
	const hash = createHash('sha256');
	for (const file of files)
		hash.update(`${file}\0`)
			.update(await readFile(file))
			.update('\0');
	return hash.digest('hex');
}
