import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../base/atomicFile.ts';
import type { SessionId } from '../../protocol/names.ts';
import { inHeldFolder } from '../files/heldFolder.ts';
import type { NancyPaths } from '../files/paths.ts';
import { readMark } from '../files/plainFile.ts';

/**
 * The hooks' last report about a session's turn, in `phases/<session>`; the sh guard writes it too. `woken`: a wake was sent and its prompt
 * has not come yet. It is only as true as events are: a turn that is broken off fires none.
 */
export interface HookPhase {
	phase: 'idle' | 'busy' | 'woken' | 'unknown';
	/** Age of the report, in milliseconds. */
	ageMs: number;
}

export async function readPhase(paths: NancyPaths, session: SessionId): Promise<HookPhase> {
	const file = join(paths.phases, session);
	const [word = ''] = ((await readMark(file)) ?? '').split('\n');
	const written = await stat(file).catch(() => undefined);
	const phase = word === 'idle' || word === 'busy' || word === 'woken' ? word : 'unknown';
	return { phase, ageMs: written ? Date.now() - written.mtimeMs : Infinity };
}

export async function writePhase(
	paths: NancyPaths,
	session: SessionId,
	phase: 'idle' | 'busy' | 'woken',
): Promise<void> {
	await inHeldFolder(join(paths.phases, session), file => writeFileAtomic(file, `${phase}\n`));
}

/**
 * Stops in a row that were held back for a delivery, in `phases/<session>.held`. Only a stop that follows another needs the number. It is a
 * file of its own, because some CLIs report a prompt in between, at which the phase is rewritten.
 */
export async function readHeldStops(paths: NancyPaths, session: SessionId): Promise<number> {
	return Number(await readMark(heldFile(paths, session))) || 0;
}

export async function writeHeldStops(paths: NancyPaths, session: SessionId, count: number): Promise<void> {
	await inHeldFolder(heldFile(paths, session), file => writeFileAtomic(file, `${count}\n`));
}

function heldFile(paths: NancyPaths, session: SessionId): string {
	return join(paths.phases, `${session}.held`);
}
