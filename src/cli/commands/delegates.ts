import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { errorText, NancyError } from '../../base/errors.ts';
import { isFinal, type Delegate } from '../../core/delegates/delegate.ts';
import { Delegates } from '../../core/delegates/delegates.ts';
import { beginningOf } from '../../core/delegates/beginningOf.ts';
import { reportable, sealedOutput } from '../../core/delegates/reportable.ts';
import { hasSwarm } from '../../core/delegates/swarm.ts';
import { NO_TICKET, OUTPUT_CHANGED, type Tickets } from '../../core/delegates/tickets.ts';
import { DelegatesDeletedOutput, DelegatesOutput, type DelegateOutput } from '../../protocol/output/delegates.ts';
import { DelegateId } from '../../protocol/delegate.ts';
import { answer, command, type Answer, type Context } from '../command.ts';
import { ExitCode } from '../failure.ts';
import { seconds } from '../headlessOptions.ts';
import { mailboxName } from '../../core/workspace/mailboxName.ts';
import { programContext } from '../../operations/programContext.ts';
import { operations } from '../../operations/index.ts';
import { ticketsOf } from '../../operations/ticketsOf.ts';
import { perform, type OperationContext } from '../../operations/operation.ts';
import { findWorkspace, findWorkspaceOr } from '../../operations/place.ts';
import { printable, printableLine } from '../words.ts';

const Input = z.object({
	id: z._default(z.array(DelegateId), []),
	ended: z._default(z.boolean(), false),
	stop: z._default(z.boolean(), false),
	wait: z._default(z.boolean(), false),
	resume: z._default(z.boolean(), false),
	timeout: z.optional(z.string()),
});
type Input = z.infer<typeof Input>;

/** In place of the first id, because an id begins with a time. */
const DELETE: string = 'delete';

const LOOK_EVERY_MS = 300;
/** The longest answer that is printed. The rest is in its file. */
const PRINTED_BYTES = 10_000_000;
const UNPROVED = 'not queued by you on this machine';

export const delegates = command(
	{
		name: 'delegates',
		summary: 'show delegates, the answer of one, stop it, or delete those that have ended',
		details: [
			'Without an id, shows all delegates of the workspace, newest last. With an id, shows its answer once it has ended.',
			'Each call also ends delegates whose runner was killed, and starts delegates whose turn it is.',
			'nancy delegates delete <id>… deletes ended delegates: prompts, logs, answers, mailboxes and worktrees. The askers keep the ' +
				'results, and a branch keeps work that only a worktree had. Delegates that went on in the same worktree are deleted with it.',
		],
		positionals: [
			{
				name: 'id',
				label: '<id>',
				help: 'one delegate; after the word delete, all that are deleted',
				required: false,
				many: true,
			},
		],
		options: {
			stop: { help: 'ends the delegate as failed, with the reason “cancelled”' },
			resume: {
				help: 'delegates that wait for an account’s limit try again now; with an id, all that wait for the same account',
			},
			wait: { help: 'waits until the delegate has ended; without an id, until all have' },
			ended: {
				help: 'with delete, in place of ids: all that have ended, except those whose worktree has unique work',
			},
			timeout: { value: 'SECONDS', help: 'with --wait: gives up after this time, with exit code 4' },
		},
		examples: [
			['nancy delegates', 'the state of all of them'],
			['nancy delegates 20261121t101112123z-0a1b2c3d --wait', 'waits for one and prints its answer'],
			['nancy delegates delete --ended', 'clears the list, and discards no work'],
		],
	},
	Input,
	async (input, context) => {
		// A swarm's workers are listed everywhere; everything else needs a workspace.
		const workspace = input.id.length === 0 ? findWorkspaceOr(context, hasSwarm) : findWorkspace(context);
		const store = new Delegates(workspace);
		const look = existsSync(workspace.paths.root) ? await looker(store, context) : () => Promise.resolve();
		await look();
		if (input.id[0] === DELETE) return deleteSome(store, input, context);
		const [id, ...others] = input.id;
		if (others.length > 0) throw new NancyError('bad-usage', 'give one id; several only after the word delete');
		if (input.ended) throw new NancyError('bad-usage', '--ended belongs to nancy delegates delete');
		if (id !== undefined) await store.get(id);
		const where = programContext(workspace, context);
		const tickets = ticketsOf(where);
		if (input.resume) await resume(id, context, where);
		if (input.stop) {
			if (id === undefined) throw new NancyError('bad-usage', '--stop needs the id of a delegate');
			await perform(await operations.stopDelegate(), context.asker, { id }, where);
		}
		if (input.wait) {
			const limitMs = input.timeout === undefined ? Infinity : seconds('--timeout', input.timeout) * 1000;
			await waitFor(() => chosen(store, tickets, id), look, Date.now() + limitMs);
		}
		if (id === undefined) return listed(store, tickets, context);
		const answered = await shown(store, tickets, id);
		// It was stopped on purpose, so its failure is no failure of this command.
		return input.stop ? { ...answered, exitCode: ExitCode.ok } : answered;
	},
);

async function deleteSome(
	store: Delegates,
	{ id, ended, stop, wait, resume: resumes }: Input,
	context: Context,
): Promise<Answer> {
	const ids = id.slice(1);
	if (stop || wait || resumes)
		throw new NancyError('bad-usage', 'stop a delegate, or wait for it, before you delete it');
	if (ended === ids.length > 0)
		throw new NancyError('bad-usage', 'say what to delete: the ids of delegates, or --ended');
	const done = await perform(
		await operations.deleteDelegates(),
		context.asker,
		{ ids: ended ? undefined : ids },
		programContext(store.workspace, context),
	);
	const { deleted, kept, notes } = done;
	const lines = [
		...deleted.map(each => `deleted ${each}`),
		...kept.map(({ id: each, reason }) => `kept ${each}: ${reason}`),
		...notes,
	];
	return answer(
		DelegatesDeletedOutput,
		done,
		lines.length === 0 ? 'no delegate has ended' : lines.map(each => printable(each)),
		!ended && kept.length > 0 ? ExitCode.failed : ExitCode.ok,
	);
}

async function looker(store: Delegates, context: Context): Promise<() => Promise<void>> {
	const [{ lookAtQueue }, { queueOptions }] = await Promise.all([
		import('../../delegates/delegateQueue.ts'),
		import('../../operations/queueOptions.ts'),
	]);
	let told: string | undefined;
	// Without it, everything can still be listed and stopped.
	const tell = (error: unknown) => {
		const text = `the queue is not looked after: ${errorText(error)}`;
		if (text !== told) context.note(text);
		told = text;
	};
	try {
		const where = programContext(store.workspace, context);
		const settings = await where.readSettings(store.workspace.folder);
		const options = queueOptions(where, await where.installRuntime(), settings);
		return () => lookAtQueue(store, options).catch(tell);
	} catch (error) {
		tell(error);
		return () => Promise.resolve();
	}
}

async function resume(id: DelegateId | undefined, context: Context, where: OperationContext): Promise<void> {
	const { agents } = await perform(await operations.resumeDelegates(), context.asker, { id }, where);
	if (agents === 0) throw new NancyError('bad-usage', 'nothing waits for an account’s limit');
}

async function waitFor(find: () => Promise<Delegate[]>, look: () => Promise<void>, deadlineMs: number): Promise<void> {
	for (let count = 1; ; count++) {
		const open = (await find()).filter(
			({ state, status, isUnproved }) => !isFinal(state) || !(status.reported || isUnproved),
		);
		if (open.length === 0) return;
		if (Date.now() > deadlineMs) throw new NancyError('timeout', `${open.length} delegates have not ended yet`);
		await sleep(LOOK_EVERY_MS);
		if (count % 10 === 0) await look();
	}
}

/** Goes by the user's sealed records, so that nobody who writes below the workspace can end a wait. */
async function chosen(store: Delegates, tickets: Tickets, id: DelegateId | undefined): Promise<Delegate[]> {
	// Another program waits for a swarm's worker, which need not report its end.
	const seen =
		id === undefined ? (await store.list()).delegates.filter(({ isForeign }) => !isForeign) : [await store.get(id)];
	return Promise.all(seen.map(delegate => reportable(store, tickets, delegate)));
}

async function listed(store: Delegates, tickets: Tickets, context: Context): Promise<Answer> {
	const { delegates: seen, problems } = await store.list();
	const all = await Promise.all(seen.map(delegate => reportable(store, tickets, delegate)));
	for (const { file, reason } of problems) context.note(`${file}: ${reason}`);
	const lines = all.map(delegate => {
		const { record, state, status, error } = delegate;
		const calls = status.tool_calls === 0 ? undefined : `${status.tool_calls} tool calls`;
		const facts = [state, record.title, calls, status.last_tool, error, unproved(delegate)].filter(
			each => each !== undefined,
		);
		return printableLine(`${record.id}  ${facts.join(' · ')}`);
	});
	return answer(
		DelegatesOutput,
		{ delegates: all.map(outputOf), problems },
		lines.length === 0 ? 'no delegates' : lines,
	);
}

async function shown(store: Delegates, tickets: Tickets, id: DelegateId): Promise<Answer> {
	const delegate = await reportable(store, tickets, await store.get(id));
	const output = isFinal(delegate.state) ? await sealedOutput(tickets, delegate) : '';
	const text = output === undefined ? OUTPUT_CHANGED : beginningOf(output, PRINTED_BYTES).text;
	const failed = delegate.state === 'failed' ? `failed: ${delegate.error}` : undefined;
	const parts = [failed, unproved(delegate), text.trimEnd()].filter(Boolean);
	const words = isFinal(delegate.state) ? parts.join('\n') : delegate.state;
	return answer(
		DelegatesOutput,
		{
			delegates: [{ ...outputOf(delegate), ...(output === undefined && { isOutputChanged: true }) }],
			problems: [],
		},
		words,
		delegate.state === 'failed' ? ExitCode.failed : ExitCode.ok,
	);
}

/** Without this check, files that an agent has written would count as an answer. */
function unproved({ isUnproved, error }: Delegate): string | undefined {
	return isUnproved && error !== NO_TICKET ? UNPROVED : undefined;
}

function outputOf({ record, status, state, error, files, isUnproved }: Delegate): DelegateOutput {
	const { worktree } = status;
	return {
		id: record.id,
		title: record.title,
		status: state,
		...(error !== undefined && { error }),
		...(isUnproved && { isUnproved }),
		agent: record.agent,
		model: status.model ?? record.model,
		worker: mailboxName(record),
		createdAt: record.createdAt,
		startedAt: status.started_at,
		endedAt: status.ended_at,
		parkedUntil: status.parked_until,
		toolCalls: status.tool_calls,
		lastTool: status.last_tool,
		lastFile: status.last_file,
		iteration: status.iteration,
		denied: status.denied,
		inputTokens: status.input_tokens,
		outputTokens: status.output_tokens,
		costUsd: status.cost_usd,
		...(worktree && { worktree: worktree.folder, branch: worktree.branch }),
		output: files.output,
		log: files.log,
	};
}
