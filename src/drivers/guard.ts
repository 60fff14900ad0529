import { quoted } from '../base/shellWord.ts';
import type { DriverId } from '../protocol/names.ts';

/** An event that is reported to the guard. */
export interface GuardedEvent {
	event: string;
	/** How the guard treats it: see hooks/nancy-hook. */
	slot: 'report' | 'boundary' | 'turn' | 'end' | 'program' | 'ask' | 'wake' | 'wait';
	/** Which of these events fire the hook, in the CLI's words. Default: all. */
	matcher?: string;
}

/** For a hook that the agent waits for, in seconds. More than Nancy's own limit of 3 s, less than a person would take for a hang. */
export const SYNC_TIMEOUT = 5;
/** Tells the program how long the CLI waits for it: later output is lost. */
export const TIMEOUT_VARIABLE = `NANCY_HOOK_TIMEOUT=${SYNC_TIMEOUT}`;
/** For a hook that runs beside the agent, in seconds. */
export const ASYNC_TIMEOUT = 10;
/** In seconds. A waiting hook may wait long, but must not outlive its agent by much if no signal reaches it. */
export const WAIT_TIMEOUT = 24 * 60 * 60;

/** The call of the guard in a line for `sh`. */
export function guardCall(driver: DriverId, { event, slot }: GuardedEvent, launcher: string, folder: string): string {
	return [quoted(launcher), driver, event, slot, quoted(folder)].join(' ');
}
