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
