import { join } from 'node:path';
import { writeFileAtomicSync } from '../../base/atomicFile.ts';
import { inHeldFolderSync } from '../files/heldFolder.ts';
import type { DriverId } from '../../protocol/names.ts';
import type { Note } from '../../protocol/traffic.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { spoolFileName } from './spoolName.ts';

let written = 0;

/** Keeps an event as it came, or a note of Nancy's own, for the collector. The folder must exist. */
export function keepInSpool(
	{ paths }: Workspace,
	{ driver, event }: { driver: DriverId; event: string },
	content: string,
	kind: 'event' | 'note',
): void {
	const unique = `${process.pid}-${Date.now()}-${written++}${kind === 'note' ? '-note' : ''}`;
	const file = join(paths.spool, spoolFileName(driver, event, unique));
	inHeldFolderSync(file, held => writeFileAtomicSync(held, content));
}

export function keepNote(workspace: Workspace, of: { driver: DriverId; event: string }, note: Note): void {
	keepInSpool(workspace, of, `${JSON.stringify(note)}\n`, 'note');
}
