import { link, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../base/atomicFile.ts';
import { quoted } from '../../base/shellWord.ts';
import type { SessionId } from '../../protocol/names.ts';
import { requireOwn } from '../files/ownFolder.ts';

/** What the guard needs to hand one message over, as variables of its shell: see hooks/hand-over and hand-over.pl. */
export interface PreparedAnswer {
	/** By name, without `nancy_`. */
	words: Readonly<Record<string, string>>;
	/** The whole text of the message's file. */
	text: string;
	/** The path of the message's seal. */
	seal: string;
}

/**
 * Prepared answers, one for each session, in the user's data folder. `prepared/<session>` is read by the guard's shell, `<session>.md` is
 * the message, and `<session>.seal` is a second name of the seal's file. The shell sees by that name that this is still the seal. It makes
 * the seal of the handing over as `<session>.handing` and gives it its name by a link. It makes the next seal, the receipt and the note as
 * `<session>.filed` and renames each. The guard finds them from its own place, which is in the same folder, so nothing in a workspace can
 * name others. If they do not belong together, because two senders wrote at once, the guard leaves the message to the program.
 */
export class PreparedAnswers {
	/** @param dataFolder the user's: see base/folders */
	constructor(private readonly dataFolder: string) {}

	/** Replaces the session's earlier one. @throws NancyError `bad-file` for a folder that is not the user's own */
	async write(session: SessionId, { words, text, seal }: PreparedAnswer): Promise<void> {
		const folder = join(this.dataFolder, FOLDER);
		await mkdir(folder, { recursive: true, mode: 0o700 });
		requireOwn([this.dataFolder, folder]);
		const [main, message, mark, ...leftBehind] = this.files(session);
		for (const old of [mark, ...leftBehind]) await rm(old, { force: true });
		await link(seal, mark);
		await writeFileAtomic(message, text);
		const lines = Object.entries(words).map(([name, word]) => `nancy_${name}=${quoted(word)}\n`);
		await writeFileAtomic(main, lines.join(''));
	}

	/** Removes a session's answer, if there is one. */
	async forget(session: SessionId): Promise<void> {
		for (const file of this.files(session)) await rm(file, { force: true });
	}

	private files(session: SessionId): [main: string, text: string, mark: string, handing: string, filed: string] {
		const main = join(this.dataFolder, FOLDER, session);
		return [main, `${main}.md`, `${main}.seal`, `${main}.handing`, `${main}.filed`];
	}
}

const FOLDER = 'prepared';
