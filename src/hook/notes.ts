import { keepInSpool, keepNote } from '../core/traffic/keepInSpool.ts';
import type { DeliveryNote, TroubleNote } from '../protocol/traffic.ts';
import type { Call } from './call.ts';

/** Keeps an event for the collector. */
export function spool({ workspace, driver, event }: Call, content: string): void {
	keepInSpool(workspace, { driver: driver.id, event }, content, 'event');
}

export function note({ workspace, driver, event }: Call, content: DeliveryNote | TroubleNote): void {
	keepNote(workspace, { driver: driver.id, event }, content);
}

/** Keeps a note of what went wrong. */
export function complain(call: Call, reason: string): void {
	try {
		note(call, {
			nancy: 'trouble',
			at: new Date().toISOString(),
			driver: call.driver.id,
			...(call.session && { session: call.session }),
			event: call.event,
			reason,
		});
	} catch {
		// The error cannot be recorded: the disk is full, or the folder is gone.
	}
}
