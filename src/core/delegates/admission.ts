import { availableParallelism, freemem } from 'node:os';
import type { Parked } from '../../protocol/delegate.ts';
import type { ExecutorId } from '../../protocol/executorId.ts';
import { isFinal, type Delegate } from './delegate.ts';

/** What an agent CLI with its tools takes, roughly, in bytes. */
const MEMORY_EACH = 600 * 1024 * 1024;

/**
 * How many delegates run at once by default: agents wait for the model most of the time.
 * @param running so many have their memory already
 */
export function defaultCap(running: number, cores = availableParallelism(), freeBytes = freemem()): number {
	return Math.max(1, Math.min(cores * 2, running + Math.floor(freeBytes / MEMORY_EACH)));
}

/** How many delegates run at once. */
export interface Capacity {
	/** Here; by cores and free memory where `undefined`. */
	readonly cap: number | undefined;
	/** On other machines that have a limit of their own, by their ids. Delegates there take no place here. */
	readonly places?: Readonly<Partial<Record<ExecutorId, number>>>;
	/** How many wait in the queue of a cluster before they begin, by its id. */
	readonly queues?: Readonly<Partial<Record<ExecutorId, number>>>;
}

/**
 * The queued delegates that may start now, in order. Nobody waits behind parked delegates, behind those whose agent has reached its limit,
 * or behind those whose machine is full, or cannot be reached.
 */
export function admitted(
	delegates: readonly Delegate[],
	capacity: Capacity,
	parked: readonly Parked[],
	nowMs = Date.now(),
): Delegate[] {
	const due = delegates.filter(({ state, isForeign, status }) => {
		// Its runner waits for the next place.
		return !isForeign && state === 'parked' && !(Date.parse(status.parked_until ?? '') > nowMs);
	}).length;
	const isParked = ({ record }: Delegate) => parked.some(({ agent }) => agent === record.agent);
	// One that runs tries again and again, and says when it has come through. Others for that machine would only wait beside it.
	const unseen = new Set(
		delegates.filter(isUnseen).flatMap(({ state, record: { on } }) => (state === 'running' ? (on ?? []) : [])),
	);
	const isOutOfSight = ({ record: { on } }: Delegate) => on !== undefined && unseen.has(on);
	const free = new Map<ExecutorId | undefined, number>([[undefined, freeHere(delegates, capacity) - due]]);
	const takePlace = (delegate: Delegate) => {
		const place = placeOf(delegate, capacity);
		const left = free.get(place) ?? (place === undefined ? 0 : freeAt(place, delegates, capacity));
		free.set(place, left - 1);
		return left > 0;
	};
	return delegates.filter(
		each => each.state === 'queued' && !isParked(each) && !isOutOfSight(each) && takePlace(each),
	);
}

/** The machine whose own limit keeps this queued delegate waiting. */
export function fullMachine(
	delegate: Delegate,
	delegates: readonly Delegate[],
	capacity: Capacity,
): ExecutorId | undefined {
	const place = placeOf(delegate, capacity);
	return delegate.state === 'queued' && place !== undefined && freeAt(place, delegates, capacity) <= 0
		? place
		: undefined;
}

/** Whether one more may run here: for a parked one that goes on. */
export function hasPlace(delegates: readonly Delegate[], capacity: Capacity): boolean {
	return freeHere(delegates, capacity) > 0;
}

/** The machine whose own limit counts for a delegate; `undefined` for the limit here. */
function placeOf({ record: { on } }: Delegate, { places = {}, queues = {} }: Capacity): ExecutorId | undefined {
	return on === undefined || (places[on] ?? queues[on]) === undefined ? undefined : on;
}

function freeHere(delegates: readonly Delegate[], capacity: Capacity): number {
	const running = runningAt(undefined, delegates, capacity).length;
	return (capacity.cap ?? defaultCap(running)) - running;
}

function freeAt(place: ExecutorId, delegates: readonly Delegate[], capacity: Capacity): number {
	const { places = {}, queues = {} } = capacity;
	const running = runningAt(place, delegates, capacity);
	const waiting = running.filter(({ isBegun }) => !isBegun);
	return Math.min((places[place] ?? Infinity) - running.length, (queues[place] ?? Infinity) - waiting.length);
}

function runningAt(
	place: ExecutorId | undefined,
	delegates: readonly Delegate[],
	capacity: Capacity,
): readonly Delegate[] {
	// One that watches a machine which cannot be reached takes no place here: others would wait as long as that machine is gone.
	const counts = (each: Delegate) => place !== undefined || !isUnseen(each);
	return delegates.filter(
		each => !each.isForeign && each.state === 'running' && placeOf(each, capacity) === place && counts(each),
	);
}

/** Whether the machine of a running delegate cannot be reached. */
function isUnseen({ unseenSince }: Delegate): boolean {
	return unseenSince !== undefined;
}

/**
 * The machine with the fewest delegates for each that may run there at once. One that cannot be reached comes last. If several are equal, the
 * first of them counts.
 */
export function roomiest(
	machines: readonly ExecutorId[],
	delegates: readonly Delegate[],
	{ places = {} }: Capacity,
): ExecutorId | undefined {
	const load = (id: ExecutorId) => {
		const there = delegates.filter(each => each.record.on === id && !each.isForeign && !isFinal(each.state));
		return there.some(isUnseen) ? Number.MAX_SAFE_INTEGER : there.length / (places[id] ?? 1);
	};
	return machines.toSorted((one, other) => load(one) - load(other))[0];
}
