import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readTextIfExists, writeFileAtomic } from '../base/atomicFile.ts';
import type { SessionId } from '../protocol/names.ts';
import type { NancyPaths } from './paths.ts';

/**
 * What the hooks of a session last said about its turn, in `phases/<session>`; the sh guard writes it too. `woken`: a wake
 * was sent and its prompt has not come yet. It is only as true as events are: breaking a turn off fires none.
 */
export interface HookPhase {
	phase: 'idle' | 'busy' | 'woken' | 'unknown';
	/** Stops in a row that were held back to hand something over. */
	heldStops: number;
	/** How long ago it was said, in milliseconds. */
	ageMs: number;
}

export async function readPhase(paths: NancyPaths, session: SessionId): Promise<HookPhase> {
	const file = join(paths.phases, session);
	const [word = '', count = '0'] = ((await readTextIfExists(file)) ?? '').split('\n');
	const written = await stat(file).catch(() => undefined);
	const phase = word === 'idle' || word === 'busy' || word === 'woken' ? word : 'unknown';
	return { phase, heldStops: Number(count) || 0, ageMs: written ? Date.now() - written.mtimeMs : Infinity };
}

export async function writePhase(
	paths: NancyPaths,
	session: SessionId,
	phase: 'idle' | 'busy' | 'woken',
	heldStops = 0,
): Promise<void> {
	await writeFileAtomic(join(paths.phases, session), `${phase}\n${heldStops}\n`);
}
