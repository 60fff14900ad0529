import * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { theDelegate } from '../core/workspace/named.ts';
import { isInside } from '../base/inside.ts';
import { SeenSettings } from '../core/asker/seenSettings.ts';
import { permit } from '../core/asker/permit.ts';
import { Budgets } from '../core/budgets/budgets.ts';
import { Delegates } from '../core/delegates/delegates.ts';
import { busyIn, isStanding, worktreeOf } from '../core/delegates/inWorktree.ts';
import { ownRequest } from '../core/delegates/ownRequest.ts';
import type { FullRequest } from '../core/delegates/queueDelegate.ts';
import { promptWithRemarks } from '../core/delegates/remarks.ts';
import { NO_TICKET } from '../core/delegates/tickets.ts';
import { placeFrom } from '../core/workspace/placeFrom.ts';
import type { Driver } from '../core/driver/driver.ts';
import { allowsAll } from '../core/driver/headlessOf.ts';
import { gitPrograms } from '../git/gitPrograms.ts';
import { folderInWorktree } from '../git/worktree.ts';
import { refuseTracked } from '../git/refuseTracked.ts';
import { seekerForDelegate } from '../process/detect.ts';
import { DelegateId, type DelegateRecord } from '../protocol/delegate.ts';
import { ORCHESTRATOR } from '../protocol/names.ts';
import { DelegateCreatedOutput } from '../protocol/output/delegates.ts';
import type { Worktree } from '../protocol/worktree.ts';
import { findAgent, knownDriver } from './shared/agents.ts';
import type { Operation, OperationContext } from './operation.ts';
import { ownWorktreeOf } from './shared/ownWorktreeOf.ts';
import { startDelegate } from './shared/startDelegate.ts';
import { limitsFor } from './shared/starting.ts';
import { ticketsOf } from './shared/ticketsOf.ts';

const Input = z.object({
	id: DelegateId,
	/** What a person wants changed. With it, the new delegate works in the worktree of the earlier one. Without it, it begins anew. */
	remarks: z.optional(z.string()),
});
type Output = z.infer<typeof DelegateCreatedOutput>;

/**
 * Delegates once more what a delegate was asked. The request is the one that the ticket covers, read once: its permissions and its commands
 * for the worktree run as the user's. One that an agent has asked for keeps an agent's bounds.
 * @throws NancyError `not-trusted` for a delegate that the user has not queued here, or whose request was changed since
 */
export const repeatDelegate: Operation<z.infer<typeof Input>, Output> = {
	name: 'repeatDelegate',
	input: Input,
	output: DelegateCreatedOutput,
	async permit(asker, { id }, context) {
		permit(asker, { is: 'repeat-delegate', what: id });
		await refuseTracked(context.workspace);
	},
	async run(asker, { id, remarks }, context) {
		const { workspace } = context;
		const own = await ownRequest(new Delegates(workspace), ticketsOf(context), id);
		if (!own) throw new NancyError('not-trusted', phrase`${theDelegate(id)} is not repeated: ${NO_TICKET}`);
		const asking = { asker, context, settings: await context.readSettings(workspace.folder) };
		const { record, prompt } = own;
		const found = await findAgent(knownDriver(record.agent), context, seekerForDelegate(record.askedBy));
		const request =
			remarks === undefined
				? again(record, prompt)
				: {
						...(await withRemarks(record, prompt, remarks, context)),
						limits: limitsFor(undefined, asking),
					};
		if (remarks !== undefined) await requireSeenThere(found.driver, record.permissions, request.folder, context);
		// A person has set it, and so it is sealed. The new delegate has all of it again.
		const budget = await new Budgets(workspace.own).of({ delegate: id });
		return startDelegate(found, { ...shared(record), ...request, budget }, asking);
	},
};

function shared(record: DelegateRecord) {
	const { title, model, permissions, parent, task, askedBy, isolate } = record;
	return { title, model, permissions, askedBy, isolate, parent: parent ?? { task, worker: ORCHESTRATOR } };
}

type Own = Pick<FullRequest, 'prompt' | 'folder'> & Partial<FullRequest>;

function again({ place, limits, setUp, tearDown, group, swarm, on }: DelegateRecord, prompt: string): Own {
	const worktree = place.is === 'worktree' ? { withChanges: place.withChanges } : undefined;
	return { prompt, folder: place.folder, worktree, limits, setUp, tearDown, group, swarm, on };
}

async function withRemarks(
	record: DelegateRecord,
	prompt: string,
	remarks: string,
	context: OperationContext,
): Promise<Own> {
	const worktree = await standingWorktree(record, context);
	const { folder } = record.place;
	return {
		prompt: promptWithRemarks(prompt, remarks, worktree.base),
		folder: isInside(worktree.folder, folder) ? folder : await folderInWorktree(worktree, folder),
	};
}

/**
 * The earlier delegate may have written settings that run commands when its CLI starts there. A remark on its changes is no look at them.
 * @throws NancyError `not-trusted` with their names
 */
async function requireSeenThere(
	driver: Driver,
	permissions: string,
	folder: string,
	context: OperationContext,
): Promise<void> {
	// It could run anything by itself.
	if (allowsAll(driver, permissions)) return;
	const records = [context.workspace.folder, placeFrom(folder, context.env).folder];
	const unseen = await Promise.all(
		records.map(at => new SeenSettings(context.dataFolder, at, gitPrograms).unseen(driver, folder)),
	);
	const [names] = unseen;
	if (names === undefined || unseen.includes(undefined)) return;
	throw new NancyError(
		'not-trusted',
		phrase`${driver.displayName} is not started again in ${folder}: its settings there can run commands and deny them, and you have not
			started it with these: ${names}. Look at them, then start it there once yourself
			(${`nancy delegate --agent ${driver.id} --working-dir <that folder>`})`,
	);
}

/** The delegate's worktree, as git has it: see {@link ownWorktreeOf}. */
async function standingWorktree(record: DelegateRecord, context: OperationContext): Promise<Worktree> {
	const store = new Delegates(context.workspace);
	const { delegates: all } = await store.list();
	const claimed = worktreeOf({ ...(await store.get(record.id)), record }, all);
	if (!claimed) throw new NancyError('bad-usage', phrase`${theDelegate(record.id)} has no worktree of its own`);
	const worktree = await ownWorktreeOf(context, claimed);
	const busy = busyIn(worktree, all);
	if (busy)
		throw new NancyError(
			'busy',
			phrase`${theDelegate(busy.record.id)} is at work in ${worktree.folder}; send it a message`,
		);
	if (isStanding(worktree)) return worktree;
	throw new NancyError(
		'git',
		phrase`${worktree.folder} is gone; what was kept of it is on the branch ${worktree.branch}`,
	);
}
