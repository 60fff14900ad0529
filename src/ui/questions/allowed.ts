import { homedir } from 'node:os';
import { join } from 'node:path';
import { l10n } from 'vscode';
import { addedRules, type AddedRule } from '../../core/questions/addedRules.ts';
import type { Folders } from '../folders.ts';
import { formatAge } from '../kit/format.ts';
import { pickOne } from '../kit/inputs.ts';
import { inform } from '../kit/messages.ts';
import { openFile } from '../kit/openFile.ts';
import type { Folder, Operations } from '../ports.ts';
import { askedWords } from '../words.ts';

interface Collaborators {
	folders: Pick<Folders, 'list'>;
	operations: Pick<Operations, 'answered'>;
}

/** Lists the rules that answers have added to the CLIs' own files, and opens the file of one. There it is taken back. */
export async function showAllowed({ folders, operations }: Collaborators): Promise<void> {
	const found = await Promise.all(
		folders.list().map(async folder => {
			const rules = addedRules(await operations.answered(folder));
			return rules.map(rule => ({ folder, rule }));
		}),
	);
	const rows = found.flat().map(each => ({ ...each, ...rowOf(each.rule) }));
	if (rows.length === 0) return void inform(l10n.t('No answer of yours has added a rule to a file.'));
	const chosen = await pickOne(l10n.t('What Your Answers Allowed: the File Says What Still Holds'), rows);
	if (chosen) await openFile(pathOf(chosen.folder, chosen.rule));
}

function rowOf({ rule, keptIn, at, asked: { question } }: AddedRule) {
	const age = l10n.t('{0} ago', formatAge(at));
	return { label: rule, description: keptIn, detail: `${askedWords(question)} · ${age}` };
}

function pathOf({ path }: Folder, { keptIn }: AddedRule): string {
	return keptIn.startsWith('~/') ? join(homedir(), keptIn.slice(2)) : join(path, keptIn);
}
