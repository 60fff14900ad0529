import { availableParallelism, freemem } from 'node:os';
import type { Parked } from '../../protocol/delegate.ts';
import type { Delegate } from './delegates.ts';

/** What an agent CLI with its tools takes, roughly, in bytes. */
const MEMORY_EACH = 600 * 1024 * 1024;

/** How many delegates run at once where nobody says otherwise: agents wait for the model most of the time. */
export function defaultCap(cores = availableParallelism(), freeBytes = freemem()): number {
	return Math.max(1, Math.min(cores * 2, Math.floor(freeBytes / MEMORY_EACH)));
}

/** The queued delegates that may start now, in order. One that is parked goes on without asking, so it keeps its place. Parked agents wait, and nobody waits behind them for another agent. */
export function admitted(delegates: readonly Delegate[], cap: number, parked: readonly Parked[]): Delegate[] {
	const running = delegates.filter(
		({ state, isForeign }) => !isForeign && (state === 'running' || state === 'parked'),
	).length;
	const isParked = ({ record }: Delegate) => parked.some(({ agent }) => agent === record.agent);
	return delegates
		.filter(delegate => delegate.state === 'queued' && !isParked(delegate))
		.slice(0, Math.max(0, cap - running));
}
