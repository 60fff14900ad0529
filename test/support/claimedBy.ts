import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CLAIM_FILE } from '../../src/core/mailbox/mailboxPaths.ts';
import type { Seals } from '../../src/core/mailbox/seals.ts';
import { MessageId } from '../../src/protocol/names.ts';

/** The word of a process that never existed. It stands for one that was killed. */
export const KILLED = '999999999-1';

/** Makes a claim of this process one of another process, as if that were handing the message over. */
export function claimedBy(seals: Seals, claim: string, claimer: string): void {
	const id = MessageId.parse(CLAIM_FILE.exec(basename(claim))?.groups?.['id']);
	const seal = seals.filesOf(id).filed;
	writeFileSync(seal, readFileSync(seal, 'utf8').replace(/"by": "[^"]+"/, `"by": "${claimer}"`));
	renameSync(claim, join(dirname(claim), `${claimer}-${id}.md`));
}
