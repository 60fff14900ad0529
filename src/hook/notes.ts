import { join } from 'node:path';
import { writeFileAtomicSync } from '../base/atomicFile.ts';
import { inHeldFolderSync } from '../core/files/heldFolder.ts';
import { spoolFileName } from '../core/traffic/spoolName.ts';
import type { DeliveryNote, TroubleNote } from '../protocol/traffic.ts';
import type { Call } from './call.ts';

let written = 0;

/** Keeps an event or a note of Nancy's own for the collector. */
export function spool(call: Call, content: string, kind: 'event' | 'note' = 'event'): void {
	const unique = `${process.pid}-${Date.now()}-${written++}${kind === 'note' ? '-note' : ''}`;
	const file = join(call.workspace.paths.spool, spoolFileName(call.driver.id, call.event, unique));
	inHeldFolderSync(file, held => writeFileAtomicSync(held, content));
}

export function note(call: Call, content: DeliveryNote | TroubleNote): void {
	spool(call, `${JSON.stringify(content)}\n`, 'note');
}
