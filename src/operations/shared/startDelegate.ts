import { errorText } from '../../base/errors.ts';
import { Delegates } from '../../core/delegates/delegates.ts';
import { queueDelegate, type FullRequest } from '../../core/delegates/queueDelegate.ts';
import { requirePlace } from '../../core/delegates/requirePlace.ts';
import { refuseUnhooked } from '../../core/driver/talkedWith.ts';
import { requireRepository } from '../../git/repository.ts';
import type { IsolationChoice } from '../../protocol/isolation.ts';
import type { DelegateCreatedOutput } from '../../protocol/output/delegates.ts';
import type { FoundAgent } from '../../core/driver/foundAgent.ts';
import { hasHooks, keepSettings } from './hooksChoice.ts';
import { isolationOf, requireIsolable } from './isolation.ts';
import { lookAfterQueue } from './lookAfterQueue.ts';
import { permissionMode, refuseModel, type Asking } from './starting.ts';
import { ticketsOf } from './ticketsOf.ts';
import type * as z from 'zod/mini';

const WITHOUT_TEAR_DOWN =
	'the worktree is removed without the user’s tear-down command: it would run outside the sandbox, over files that an isolated agent ' +
	'has changed';

/**
 * Queues a delegate, and starts it if it may start. The caller has permitted all of the request: its commands for a worktree run, and its
 * swarm's files are written.
 * @param request `permissions` absent: the agent's most careful mode. `isolate` absent: as the user has set it
 */
export async function startDelegate(
	{ driver, agent }: FoundAgent,
	request: Omit<FullRequest, 'agent' | 'permissions' | 'isolate'> & {
		permissions?: string | undefined;
		isolate?: IsolationChoice | undefined;
	},
	asking: Asking,
): Promise<z.infer<typeof DelegateCreatedOutput>> {
	const { asker, context, settings } = asking;
	const { workspace } = context;
	const { folder, worktree, swarm } = request;
	const isolate = isolationOf(request, settings);
	requirePlace(driver, agent.version, { folder, isInWorktree: worktree !== undefined }, workspace.folder);
	refuseModel(driver, request.model);
	const permissions = permissionMode(driver, request.permissions, asking);
	if (isolate !== undefined) requireIsolable(driver, permissions);
	if (worktree) await requireRepository(folder);
	// Its runner is no part of the program that asks.
	await keepSettings(asker, context);
	refuseUnhooked(driver, await hasHooks(context));
	const store = new Delegates(workspace);
	const look = () => lookAfterQueue(store, context);
	// The one before may have lost its runner, and is not this worker any more. The look below reports other failures.
	if (swarm) await look().catch(() => undefined);
	const tearDown = isolate === undefined ? request.tearDown : undefined;
	if (request.tearDown !== undefined && tearDown === undefined) context.note(WITHOUT_TEAR_DOWN);
	const full = { ...request, isolate, tearDown, agent: driver.id, permissions };
	const { record } = await queueDelegate(store, ticketsOf(context), asker, full);
	// It is queued. A caller that tried again because of this would queue it twice. Another look follows anyway.
	await look().catch((error: unknown) => context.note(`it is queued, and starts later: ${errorText(error)}`));
	const { state } = await store.get(record.id);
	return { id: record.id, worker: `${record.task}/${record.worker}`, status: state };
}
