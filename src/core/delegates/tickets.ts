import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readTextIfExists, writeFileAtomic } from '../../base/atomicFile.ts';
import { sha256 } from '../../base/sha256.ts';
import type { DelegateId } from '../../protocol/delegate.ts';
import { readPlainFile } from '../files/plainFile.ts';

/** Why a delegate without a ticket is not run. */
export const NO_TICKET = 'it was not queued by you on this machine, or was changed since; delegate it again';

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

	/**
	 * What the files hold, read once: who runs something because of them runs these very bytes, for the files may be others a moment
	 * later. `undefined` without a ticket for them.
	 */
	async read(id: DelegateId, files: readonly string[]): Promise<string[] | undefined> {
		const text = await readTextIfExists(this.file(id));
		if (text === undefined) return undefined;
		const contents = await Promise.all(files.map(file => readPlainFile(file))).catch(() => undefined);
		const found = contents?.filter(bytes => bytes !== undefined);
		if (found?.length !== files.length || text.trim() !== digest(files, found)) return undefined;
		return found.map(bytes => bytes.toString('utf8'));
	}

	/** Whether this user has queued a delegate with this id, whatever its files say by now. */
	async has(id: DelegateId): Promise<boolean> {
		return (await readTextIfExists(this.file(id))) !== undefined;
	}

	async isValid(id: DelegateId, files: readonly string[]): Promise<boolean> {
		return (await this.read(id, files)) !== undefined;
	}

	async remove(id: DelegateId): Promise<void> {
		await rm(this.file(id), { force: true });
	}

	private file(id: DelegateId): string {
		return join(this.dataFolder, 'tickets', id);
	}
}

function digest(files: readonly string[], contents: readonly (string | Uint8Array)[]): string {
	return sha256(...files.flatMap((file, index) => [`${file}\0`, contents[index] ?? '', '\0']));
}
