import { join } from 'node:path';
import { writeFileAtomic } from '../base/atomicFile.ts';
import { spoolFileName } from '../core/traffic/spoolName.ts';
import type { DeliveryNote, TroubleNote } from '../protocol/traffic.ts';
import type { Call } from './call.ts';

let written = 0;

/** Keeps an event or a note of Nancy's own for the collector. */
export async function spool(call: Call, content: string, kind: 'event' | 'note' = 'event'): Promise<void> {
	const unique = `${process.pid}-${Date.now()}-${written++}${kind === 'note' ? '-note' : ''}`;
	await writeFileAtomic(join(call.workspace.paths.spool, spoolFileName(call.driver.id, call.event, unique)), content);
}

export async function note(call: Call, content: DeliveryNote | TroubleNote): Promise<void> {
	await spool(call, `${JSON.stringify(content)}\n`, 'note');
}
