import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryName } from '../../base/atomicFile.ts';
import { hasErrno } from '../../base/errors.ts';
import type { SessionId } from '../../protocol/names.ts';
import { requireOwn } from '../files/ownFolder.ts';

/** What a session was told of the notes of its project. */
export interface ToldMark {
	/** The folder of the workspace's compiled notes. It need not exist. */
	readonly notes: string;
	/** The file of git that names the branch; empty if none does. */
	readonly head: string;
	/** Project and hash of what was told; empty for nothing. */
	readonly told: string;
}

/** The folder of a workspace's compiled notes, among the user's records of it. */
export const COMPILED = 'notes';

const FOLDER = 'told';
/** Some shells compare file times by the second. What changed so shortly before a look is looked at again, in milliseconds. */
const MARGIN_MS = 2000;

/**
 * `told/<session>` in the user's data folder. The guard reads the first two lines. It starts the program at a prompt if one of these is
 * newer than the mark. So a mark is dated to before the look at the notes, and to 1970 while the session has something to be told.
 */
export class ToldMarks {
	readonly folder: string;

	/** @param dataFolder the user's: see base/folders */
	constructor(private readonly dataFolder: string) {
		this.folder = join(dataFolder, FOLDER);
	}

	/** Nothing was told yet. A mark that is there stays. @param notes the folder of the workspace's compiled notes */
	begin(session: SessionId, notes: string): void {
		if (!existsSync(join(this.folder, session))) this.forgetTold(session, notes);
	}

	/** The session has to be told anew. */
	forgetTold(session: SessionId, notes: string): void {
		this.write(session, { notes, head: '', told: '' }, undefined);
	}

	read(session: SessionId): ToldMark | undefined {
		try {
			requireOwn([this.dataFolder, this.folder]);
			const [notes = '', head = '', told = ''] = readFileSync(join(this.folder, session), 'utf8').split('\n');
			return { notes, head, told };
		} catch (error) {
			if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return undefined;
			throw error;
		}
	}

	/** @param lookedAtMs when the notes were looked at; `undefined` if the session has still to be told */
	write(session: SessionId, { notes, head, told }: ToldMark, lookedAtMs: number | undefined): void {
		if (!existsSync(this.folder)) mkdirSync(this.folder, { recursive: true, mode: 0o700 });
		requireOwn([this.dataFolder, this.folder]);
		const file = join(this.folder, session);
		const temporary = temporaryName(file);
		// A path with a line break would be read as two. The guard then does not see that the branch changes.
		const lines = [notes, head.includes('\n') ? '' : head, told];
		try {
			writeFileSync(temporary, `${lines.join('\n')}\n`, { flag: 'wx', mode: 0o600 });
			const time = lookedAtMs === undefined ? 0 : (lookedAtMs - MARGIN_MS) / 1000;
			utimesSync(temporary, time, time);
			renameSync(temporary, file);
		} catch (error) {
			rmSync(temporary, { force: true });
			throw error;
		}
	}

	async forget(session: SessionId): Promise<void> {
		await rm(join(this.folder, session), { force: true });
	}
}
