import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import { beginningOf } from '../../core/delegates/beginningOf.ts';
import { isFinal } from '../../core/delegates/delegate.ts';
import { hasSwarm } from '../../core/delegates/swarm.ts';
import { NO_TICKET, OUTPUT_CHANGED } from '../../core/delegates/tickets.ts';
import * as operations from '../../operations/index.ts';
import { perform, type OperationContext } from '../../operations/operation.ts';
import { findWorkspace, findWorkspaceOr } from '../../operations/shared/place.ts';
import { programContext } from '../../operations/shared/programContext.ts';
import { DelegateId } from '../../protocol/delegate.ts';
import { DelegatesDeletedOutput, DelegatesOutput, type DelegateOutput } from '../../protocol/output/delegates.ts';
import { answer, command, type Answer, type Context } from '../command.ts';
import { ExitCode } from '../failure.ts';
import { seconds } from '../headlessOptions.ts';
import { printable, printableLine, printablePath } from '../words.ts';

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
		const where = { ...programContext(workspace, context), note: noteOnce(context) };
		await perform(await operations.lookAfterDelegates(), context.asker, {}, where);
		if (input.id[0] === DELETE) return deleteSome(input, context, where);
		const [id, ...others] = input.id;
		if (others.length > 0) throw new NancyError('bad-usage', 'give one id; several only after the word delete');
		if (input.ended) throw new NancyError('bad-usage', '--ended belongs to nancy delegates delete');
		// An unknown id is refused before anything else is done.
		if (id !== undefined && (input.resume || input.stop || input.wait))
			await perform(await operations.delegateResult(), context.asker, { id }, where);
		if (input.resume) await resume(id, context, where);
		if (input.stop) {
			if (id === undefined) throw new NancyError('bad-usage', '--stop needs the id of a delegate');
			await perform(await operations.stopDelegate(), context.asker, { id }, where);
		}
		if (input.wait) {
			const timeoutMs = input.timeout === undefined ? undefined : seconds('--timeout', input.timeout) * 1000;
			await perform(await operations.waitForDelegates(), context.asker, { id, timeoutMs }, where);
		}
		if (id === undefined) return listed(context, where);
		const answered = await shown(id, context, where);
		// It was stopped on purpose, so its failure is no failure of this command.
		return input.stop ? { ...answered, exitCode: ExitCode.ok } : answered;
	},
);

/** Several steps look after the queue, and each notes the same failure. */
function noteOnce(context: Context): (text: string) => void {
	const told = new Set<string>();
	return text => {
		if (!told.has(text)) context.note(text);
		told.add(text);
	};
}

async function deleteSome(
	{ id, ended, stop, wait, resume: resumes }: Input,
	context: Context,
	where: OperationContext,
): Promise<Answer> {
	const ids = id.slice(1);
	if (stop || wait || resumes)
		throw new NancyError('bad-usage', 'stop a delegate, or wait for it, before you delete it');
	if (ended === ids.length > 0)
		throw new NancyError('bad-usage', 'say what to delete: the ids of delegates, or --ended');
	const asked = { ids: ended ? undefined : ids };
	const done = await perform(await operations.deleteDelegates(), context.asker, asked, where);
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

async function resume(id: DelegateId | undefined, context: Context, where: OperationContext): Promise<void> {
	const { agents } = await perform(await operations.resumeDelegates(), context.asker, { id }, where);
	if (agents === 0) throw new NancyError('bad-usage', 'nothing waits for an account’s limit');
}

async function listed(context: Context, where: OperationContext): Promise<Answer> {
	const all = await perform(await operations.listDelegates(), context.asker, {}, where);
	for (const { file, reason } of all.problems) context.note(`${printablePath(file)}: ${reason}`);
	const lines = all.delegates.map(delegate => {
		const { id, title, isolate, toolCalls, lastTool, error } = delegate;
		const calls = toolCalls === 0 ? undefined : `${toolCalls} tool calls`;
		const facts = [
			...stateWords(delegate),
			isolate && `isolated (${isolate})`,
			title,
			calls,
			lastTool,
			error,
			unproved(delegate),
		].filter(each => each !== undefined);
		return printableLine(`${id}  ${facts.join(' · ')}`);
	});
	return answer(DelegatesOutput, all, lines.length === 0 ? 'no delegates' : lines);
}

async function shown(id: DelegateId, context: Context, where: OperationContext): Promise<Answer> {
	const result = await perform(await operations.delegateResult(), context.asker, { id }, where);
	const { delegate } = result;
	const { status, error, isOutputChanged } = delegate;
	const text = isOutputChanged ? OUTPUT_CHANGED : beginningOf(result.answer ?? '', PRINTED_BYTES).text;
	const failed = status === 'failed' ? `failed: ${error}` : undefined;
	const parts = [failed, unproved(delegate), text.trimEnd()].filter(Boolean);
	return answer(
		DelegatesOutput,
		{ delegates: [delegate], problems: [] },
		isFinal(status)
			? parts.join('\n')
			: stateWords(delegate)
					.map(each => printableLine(each))
					.join(', '),
		status === 'failed' ? ExitCode.failed : ExitCode.ok,
	);
}

/** `waiting`, `on slurm:hpc`, `waits: Resources` */
function stateWords(delegate: DelegateOutput): string[] {
	const { status, on, waitsFor, waitsInQueue, notSeenSince } = delegate;
	return [
		waitsInQueue === undefined ? status : 'waiting',
		asksWords(delegate),
		on && `on ${on}`,
		waitsFor && 'waits for a place there',
		waitsInQueue && `waits: ${waitsInQueue}`,
		notSeenSince && `not seen since ${notSeenSince}`,
	].filter(each => each !== undefined);
}

/** `asks: touch made`. An agent reads how many answers its delegate waits for, and no more. */
function asksWords({ asks }: DelegateOutput): string | undefined {
	if (!asks) return undefined;
	const titles = asks.flatMap(({ title }) => (title === undefined ? [] : [title]));
	if (titles.length > 0) return printableLine(`asks: ${titles.join('; ')}`);
	return asks.length === 1 ? 'waits for an answer of its user' : `waits for ${asks.length} answers of its user`;
}

/** Without this check, files that an agent has written would count as an answer. */
function unproved({ isUnproved, error }: DelegateOutput): string | undefined {
	return isUnproved && error !== NO_TICKET ? UNPROVED : undefined;
}
