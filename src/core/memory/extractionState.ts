import { NancyError } from '../../base/errors.ts';
import { liveness } from '../../base/liveness.ts';
import { phrase } from '../../base/phrase.ts';
import type { MemoryTask, ProjectRecord } from '../../protocol/memory.ts';
import type { NoNotes } from '../../protocol/memoryNames.ts';

const MOST_TRIES = 2;
/** A claim that is older was left behind, in milliseconds. A call ends long before. */
const CLAIMED_MS = 600_000;

/** Why no notes are asked for of a task. `undefined`: they are. */
export function whyNot(task: {
	isUnrecorded: boolean;
	isPoor: boolean;
	isEnabled: boolean;
	isPaused: boolean;
}): NoNotes | undefined {
	const { isUnrecorded, isPoor, isEnabled, isPaused } = task;
	if (isPaused) return 'paused';
	if (!isEnabled) return 'off';
	if (isUnrecorded) return 'unrecorded';
	return isPoor ? 'poor' : undefined;
}

/** Whether a living process asks for its notes now. */
export function isClaimed({ extraction: { state, by, at = '' } }: MemoryTask): boolean {
	if (state !== 'running' || by === undefined || liveness(by) === 'dead') return false;
	return Math.abs(Date.now() - Date.parse(at)) < CLAIMED_MS;
}

/** Whether its notes are still to be asked for, or to be merged. */
export function isDue(task: MemoryTask): boolean {
	const { state, tries } = task.extraction;
	if (state === 'due' || state === 'answered') return true;
	return (state === 'running' && !isClaimed(task)) || (state === 'failed' && tries < MOST_TRIES);
}

/** @throws NancyError `wrong-state` for a project that learns nothing now */
export function refusePaused({ name, status }: ProjectRecord): void {
	if (status !== 'paused') return;
	throw new NancyError(
		'wrong-state',
		phrase`the memory of "${name}" is paused; nancy projects ${name} --restore resumes it`,
	);
}

/** @throws NancyError `wrong-state` for a task of which there is nothing to extract */
export function refuseDone({ number, extraction: { state } }: MemoryTask): void {
	if (state === 'merged')
		throw new NancyError('wrong-state', phrase`task ${number} was extracted; --again does it once more`);
	if (state === 'skipped')
		throw new NancyError('wrong-state', phrase`task ${number} was skipped; --again asks all the same`);
	if (state === 'none') throw new NancyError('wrong-state', phrase`task ${number} has not ended`);
}
