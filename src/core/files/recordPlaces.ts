import { join } from 'node:path';
import * as z from 'zod/mini';
import { writeFileAtomic } from '../../base/atomicFile.ts';
import { ownMachine } from '../../base/machine.ts';
import { sha256 } from '../../base/sha256.ts';
import { jsonText, readJsonFile } from './jsonFile.ts';

/** Says whose records are in the folder of the same name. A person may read it, and the sweep of records of deleted folders does. */
export const PlaceNote = z.lazy(() =>
	z.looseObject({
		version: z.literal(1),
		/** The workspace folder, without links. */
		folder: z.string(),
		/** Where the folder is: another machine cannot tell whether it is gone. */
		machine: z.optional(z.string()),
		/** When the folder was first missed; UTC, ISO 8601. */
		goneSince: z.optional(z.string()),
	}),
);
export type PlaceNote = z.infer<typeof PlaceNote>;

/** The folder of all workspaces' records. */
export function allRecords(dataFolder: string): string {
	return join(dataFolder, 'workspaces');
}

/** @param workspaceFolder without links */
export function recordsOf(dataFolder: string, workspaceFolder: string): string {
	return join(allRecords(dataFolder), sha256(workspaceFolder).slice(0, 32));
}

/**
 * Notes whose records a folder holds, beside it. A note that is right stays.
 * @param workspaceFolder without links
 */
export async function notePlace(records: string, workspaceFolder: string): Promise<void> {
	const file = `${records}.json`;
	const machine = ownMachine();
	// A note that cannot be read says nothing, and is written again.
	const known = await readJsonFile(file, PlaceNote).catch(() => undefined);
	if (known?.folder === workspaceFolder && known.machine === machine && known.goneSince === undefined) return;
	const note = { version: 1, folder: workspaceFolder, machine } satisfies PlaceNote;
	await writeFileAtomic(file, jsonText(note));
}
