import type * as z from 'zod/mini';
import { mailboxName } from '../../core/workspace/mailboxName.ts';
import type { Workspace } from '../../core/workspace/workspace.ts';
import type { SessionsOutput } from '../../protocol/output/sessions.ts';
import type { Meant } from './meant.ts';

export type KnownSession = z.infer<typeof SessionsOutput>['sessions'][number];

/**
 * The sessions in the records of workers, oldest first, by task.
 * @param meant by default all of the workspace
 */
export async function knownSessions(workspace: Workspace, meant?: Meant): Promise<KnownSession[]> {
	const names = meant
		? [(await workspace.task(meant.task)).name]
		: (await workspace.tasks()).tasks.map(record => record.name);
	const known: KnownSession[] = [];
	for (const name of names) {
		for (const record of (await workspace.workers(name)).workers) {
			if (meant?.worker !== undefined && record.name !== meant.worker) continue;
			const last = record.sessions.at(-1);
			for (const session of record.sessions) {
				known.push({
					session: session.id,
					worker: mailboxName({ task: name, worker: record.name }),
					agent: record.agent,
					startedAt: session.startedAt,
					current: session === last,
					...(session.transcript !== undefined && { transcript: session.transcript }),
				});
			}
		}
	}
	return known;
}
