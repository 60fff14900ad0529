import { serverName, SERVERS, speakerOf } from '../../protocol/agentServer.ts';
import type { Driver } from './driver.ts';
import type { TranscriptFormat } from './transcript.ts';

/** The driver of an agent, by its id: one of these, or that of a program which the user's settings name. */
export function driverIn(drivers: readonly Driver[], id: string): Driver | undefined {
	const name = serverName(id);
	if (name === undefined) return drivers.find(driver => driver.id === id && typeof driver.namedBy !== 'function');
	const speaker = drivers.find(driver => driver.id === SERVERS);
	return speaker && typeof speaker.namedBy === 'function' ? speaker.namedBy(name) : undefined;
}

/** How the record of an agent is read. It is the same for all programs that the user's settings name. */
export function transcriptIn(
	drivers: readonly Pick<Driver, 'id' | 'transcript'>[],
	id: string,
): TranscriptFormat | 'none' {
	return drivers.find(driver => driver.id === id || driver.id === speakerOf(id))?.transcript ?? 'none';
}
