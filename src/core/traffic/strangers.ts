import { join } from 'node:path';
import { entriesOf } from '../../base/listing.ts';
import type { FileProblem } from '../files/fileProblem.ts';
import { readPlainText } from '../files/plainFile.ts';
import { REJECTED } from './rejected.ts';
import { readSpooled } from './spooled.ts';
import { parseSpoolFileName } from './spoolName.ts';

/** Files in the spool that are not Nancy's, in the collector's words. Only looks. */
export async function strangersIn(spool: string): Promise<FileProblem[]> {
	const problems: FileProblem[] = [];
	for (const entry of await entriesOf(spool)) {
		const { name } = entry;
		if (name.startsWith('.') || name === REJECTED || (entry.isFile() && parseSpoolFileName(name))) continue;
		const file = join(spool, name);
		if (!entry.isFile()) problems.push({ file, reason: 'not a file' });
		// Nancy's own notes are known by their content.
		else if (isForeign(name, await readPlainText(file).catch(() => undefined)))
			problems.push({ file, reason: 'not a file of the spool' });
	}
	return problems;
}

function isForeign(name: string, text: string | undefined): boolean {
	return text !== undefined && readSpooled(name, text, []).is === 'foreign';
}
