import * as z from 'zod/mini';
import type { TaskName } from '../../protocol/names.ts';
import { Moment } from '../../protocol/records.ts';
import { ifOwn } from '../files/ownFolder.ts';
import type { Workspace } from './workspace.ts';

/** `found/<task>.json` in the user's own records */
const FOUND = 'found';

const Found = z.lazy(() => z.object({ version: z.literal(1), foundAt: Moment }));

/**
 * Notes that Nancy made a task for a session that nobody had started with Nancy. The record in `.nancy` says so too, but agents write there.
 * In a folder that is not the user's own, nothing is noted.
 */
export function noteFound({ own }: Workspace, task: TaskName, at = new Date()): void {
	ifOwn(() => own.createSync({ version: 1, foundAt: at.toISOString() }, ...recordOf(task)));
}

/** Since when a task is known as found, in milliseconds since 1970. `undefined` for any other task, and for one of an earlier version. */
export function foundSince({ own }: Workspace, task: TaskName): number | undefined {
	const found = ifOwn(() => own.readSync(Found, ...recordOf(task)));
	return found && Date.parse(found.foundAt);
}

export async function forgetFound({ own }: Workspace, task: TaskName): Promise<void> {
	await own.remove(...recordOf(task));
}

function recordOf(task: TaskName): [string, string] {
	return [FOUND, `${task}.json`];
}
