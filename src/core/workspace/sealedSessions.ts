import * as z from 'zod/mini';
import { ORCHESTRATOR, SessionId, TaskName, WorkerName } from '../../protocol/names.ts';
import { ifOwn, type OwnFolder } from '../files/ownFolder.ts';

/** A WorkerAddress, whose file imports this one. */
export interface Sealed {
	task: TaskName;
	worker: WorkerName;
}

/** `sessions/<session>.json` in the user's data folder. Those of earlier versions name a process, too. */
const SealedRecord = z.lazy(() => z.object({ version: z.literal(1), task: TaskName, worker: WorkerName }));
export const SEALED = 'sessions';

/**
 * The mailbox of a session. It decides who hears the words of a mailbox. Undefined also for a session of an earlier version, and in a data
 * folder that is not the user's own.
 */
export function sealedSession(own: OwnFolder, session: SessionId): Sealed | undefined {
	const sealed = ifOwn(() => own.readSync(SealedRecord, SEALED, `${session}.json`));
	return sealed && sealed.worker !== ORCHESTRATOR ? { task: sealed.task, worker: sealed.worker } : undefined;
}

/** Whether a session has this mailbox, or had it and was not forgotten. */
export function hasSession(own: OwnFolder, { task, worker }: Sealed): boolean {
	const names = ifOwn(() => own.namesSync(SEALED)) ?? [];
	return names.some(name => {
		// A kill leaves a half-written file, and another process may be writing one.
		if (!name.endsWith('.json') || !SessionId.safeParse(name.slice(0, -'.json'.length)).success) return false;
		const sealed = ifOwn(() => own.readSync(SealedRecord, SEALED, name));
		return sealed?.task === task && sealed.worker === worker;
	});
}

/**
 * Writes nothing if the seal says this already: an isolated agent's hook cannot.
 * @throws NancyError `bad-file` for a folder that is not the user's own
 */
export async function sealSession(own: OwnFolder, session: SessionId, { task, worker }: Sealed): Promise<void> {
	const known = sealedSession(own, session);
	if (known?.task === task && known.worker === worker) return;
	await own.write({ version: 1, task, worker }, SEALED, `${session}.json`);
}

/** Removes the seal of a session whose worker is gone. */
export function forgetSeal(own: OwnFolder, session: SessionId): Promise<void> {
	return own.remove(SEALED, `${session}.json`);
}
