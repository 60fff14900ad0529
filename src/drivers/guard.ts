import type { DriverId } from '../protocol/names.ts';

/** An event of which the guard is told. */
export interface GuardedEvent {
	event: string;
	/** How the guard treats it: see hooks/nancy-hook. */
	slot: 'report' | 'boundary' | 'turn' | 'end' | 'program' | 'wake' | 'wait';
}

/** For a hook that the agent waits for, in seconds: above Nancy's own limit of 3 s, below what a person takes for a hang. */
export const SYNC_TIMEOUT = 5;
/** Tells the program how long the CLI waits for it: what it would print later is lost. */
export const TIMEOUT_VARIABLE = `NANCY_HOOK_TIMEOUT=${SYNC_TIMEOUT}`;
/** For a hook that runs beside the agent, in seconds. */
export const ASYNC_TIMEOUT = 10;
/** In seconds: a waiting hook may wait long, but not outlive its agent by much where no signal reaches it. */
export const WAIT_TIMEOUT = 24 * 60 * 60;

/** The call of the guard in a line for `sh`. */
export function guardCall(driver: DriverId, { event, slot }: GuardedEvent, launcher: string, folder: string): string {
	return [quoted(launcher), driver, event, slot, quoted(folder)].join(' ');
}

/** One word for `sh`, whatever is in it. */
export function quoted(word: string): string {
	return `'${word.replaceAll("'", `'\\''`)}'`;
}
