import { join } from 'node:path';
import { makeFolder, writeFileAtomic } from '../../base/atomicFile.ts';
import { hasCode, NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { sha256 } from '../../base/sha256.ts';
import { RulesFile, RulesSeal } from '../../protocol/deskRules.ts';
import { holdingLock } from '../files/holdingLock.ts';
import { jsonText, parseJsonFile, readJsonFile } from '../files/jsonFile.ts';
import { requireOwn } from '../files/ownFolder.ts';
import { readPlainText } from '../files/plainFile.ts';

const NONE: RulesFile = { version: 1, isPaused: false, rules: [] };

/**
 * The user's rules, by which a desk answers questions for the user. Agents may write the user's configuration. So the file counts only with
 * exactly the text that a person's command wrote last: the user's data folder has its hash. An earlier text, with a rule that was removed, does
 * not count either.
 */
export class DeskRules {
	readonly file: string;
	private readonly seal: string;

	/** Both folders are the user's: see base/folders. */
	constructor(
		configFolder: string,
		private readonly dataFolder: string,
	) {
		this.file = join(configFolder, 'desk-rules.json');
		this.seal = join(dataFolder, 'desk-rules-seal.json');
	}

	/** @throws NancyError `not-trusted` for a file that no command of a person wrote */
	async read(): Promise<RulesFile> {
		try {
			return await this.readNow();
		} catch (error) {
			if (!hasCode(error, 'not-trusted')) throw error;
			// A command may be writing the file.
			return this.alone(() => this.readNow());
		}
	}

	/** Changes the rules, for a person. Rules that are over go. @throws NancyError as {@link read} */
	change(act: (now: RulesFile) => RulesFile): Promise<RulesFile> {
		return this.alone(async () => this.write(act(await this.readNow())));
	}

	/** Removes all rules, whoever wrote them. */
	clear(): Promise<RulesFile> {
		return this.alone(() => this.write(NONE));
	}

	private async readNow(): Promise<RulesFile> {
		const text = await readPlainText(this.file);
		requireOwn([this.dataFolder], this.seal);
		const seal = await readJsonFile(this.seal, RulesSeal, readPlainText);
		if (text === undefined && seal === undefined) return NONE;
		// A file that is gone would end a No, and a pause.
		if (text !== undefined && seal?.sha256 === sha256(text)) return parseJsonFile(this.file, text, RulesFile);
		throw new NancyError(
			'not-trusted',
			phrase`${this.file} is not as nancy rules wrote it, so none of its rules holds. To begin anew: nancy rules remove --all`,
		);
	}

	private async write(made: RulesFile): Promise<RulesFile> {
		const now = new Date().toISOString();
		const kept = { ...made, rules: made.rules.filter(({ until }) => now < until) };
		const text = jsonText(kept);
		// After a kill in between, the file is not the sealed one, and no rule holds.
		await writeFileAtomic(this.seal, jsonText({ version: 1, sha256: sha256(text) }));
		await writeFileAtomic(this.file, text);
		return kept;
	}

	private async alone<T>(act: () => Promise<T>): Promise<T> {
		await makeFolder(this.dataFolder);
		requireOwn([this.dataFolder], this.seal);
		return holdingLock(`${this.seal}.lock`, act);
	}
}
