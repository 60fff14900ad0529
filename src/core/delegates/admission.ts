import { availableParallelism, freemem } from 'node:os';
import type { Parked } from '../../protocol/delegate.ts';
import type { Delegate } from './delegate.ts';

/** What an agent CLI with its tools takes, roughly, in bytes. */
const MEMORY_EACH = 600 * 1024 * 1024;

/**
 * How many delegates run at once by default: agents wait for the model most of the time.
 * @param running so many have their memory already
 */
export function defaultCap(running: number, cores = availableParallelism(), freeBytes = freemem()): number {
	return Math.max(1, Math.min(cores * 2, running + Math.floor(freeBytes / MEMORY_EACH)));
}

/**
 * The queued delegates that may start now, in order. Nobody waits behind parked delegates, or behind those whose agent has reached its
 * limit.
 */
export function admitted(
	delegates: readonly Delegate[],
	cap: number | undefined,
	parked: readonly Parked[],
	nowMs = Date.now(),
): Delegate[] {
	const running = runningOf(delegates).length;
	const due = delegates.filter(({ state, isForeign, status }) => {
		// Its runner waits for the next place.
		return !isForeign && state === 'parked' && !(Date.parse(status.parked_until ?? '') > nowMs);
	}).length;
	const isParked = ({ record }: Delegate) => parked.some(({ agent }) => agent === record.agent);
	return delegates
		.filter(delegate => delegate.state === 'queued' && !isParked(delegate))
		.slice(0, Math.max(0, (cap ?? defaultCap(running)) - running - due));
}

/** Whether one more may run: for a parked one that goes on. */
export function hasPlace(delegates: readonly Delegate[], cap: number | undefined): boolean {
	const running = runningOf(delegates).length;
	return running < (cap ?? defaultCap(running));
}

function runningOf(delegates: readonly Delegate[]): Delegate[] {
	return delegates.filter(({ state, isForeign }) => !isForeign && state === 'running');
}
