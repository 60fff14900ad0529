import { writer } from '../../protocol/author.ts';
import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import type { Asker } from '../../core/asker/asker.ts';
import { wakes } from '../../core/mailbox/due.ts';
import type { Overview, Phase } from '../../core/live/overview.ts';
import type { WorkerAddress, Workspace } from '../../core/workspace/workspace.ts';
import { WaitOutput } from '../../protocol/output/messages.ts';
import { ORCHESTRATOR } from '../../protocol/names.ts';
import { resolveAddress, type TypedAddress } from '../addresses.ts';
import { answer, command } from '../command.ts';
import { whenever } from '../../operations/currentOverview.ts';
import { limitsFor, listMailboxes, messageOutput, type FoundMessage } from '../../operations/mailboxes.ts';
import { findWorkspace } from '../../operations/place.ts';
import { mailboxName } from '../../core/workspace/mailboxName.ts';
import { ownAddress } from '../../core/asker/authorOf.ts';
import { authorText, printableLine } from '../words.ts';

const Input = z.object({
	of: z.string(),
	until: z.enum(['idle', 'stop', 'message']),
	timeout: z.optional(z.string().check(z.regex(/^\d{1,7}(?:\.\d+)?$/))),
});

/** The phases that each condition accepts. An ended agent will not work any more, so it counts as idle too. */
const goals: Readonly<Record<'idle' | 'stop', readonly Phase[]>> = { idle: ['idle', 'ended'], stop: ['ended'] };

export const wait = command(
	{
		name: 'wait',
		summary: 'wait until agents are idle, have ended, or have written',
		details: [
			'idle: every worker meant has nothing to do and no message waiting (or has ended). stop: every one has ended. message: a message from the ' +
				'task waits for the caller: in the inbox of the human, or in a terminal that Nancy started in the own mailbox.',
			'Returns at once when it is so already. Exit code 4 says that it was not so in time.',
		],
		positionals: [
			{ name: 'of', label: '<task>[/<worker>]', help: 'one worker, or all of the task', required: true },
		],
		options: {
			until: { value: 'WHAT', help: 'idle, stop or message' },
			timeout: {
				value: 'SECONDS',
				help: 'give up after this time; without it, wait for ever',
				expects: 'use a number of seconds, for example 600',
			},
		},
		examples: [
			['nancy wait fix-login --until idle --timeout 600', 'at most ten minutes'],
			['nancy wait fix-login --until message && nancy inbox fix-login/orchestrator', 'reads what an agent asks'],
		],
	},
	Input,
	async ({ of, until, timeout }, context) => {
		const workspace = findWorkspace(context);
		const address = await resolveAddress(workspace, context.asker, of);
		await workspace.task(address.task);
		const deadlineMs = timeout === undefined ? Infinity : Date.now() + Number(timeout) * 1000;
		const own = waitingMailbox(context.asker, address);
		const before = until === 'message' ? await idsIn(workspace, own) : new Set<string>();
		let workers: WaitedFor[] = [];
		const reached = await whenever(workspace, context.env, deadlineMs, async overview => {
			workers = await workersOf(workspace, overview, address);
			if (until !== 'message') return workers.every(each => isReached(each, until)) ? [] : undefined;
			const messages = await newMessages(workspace, own, context.asker, address, before);
			return messages.length > 0 ? messages : undefined;
		});
		if (!reached) throw lateError(of, until, workers);
		const limitOf = await limitsFor(reached);
		return answer(
			WaitOutput,
			{
				task: address.task,
				until,
				workers: workers.map(({ worker, phase }) => ({ worker, phase })),
				messages: reached.map(each => messageOutput(each, limitOf)),
			},
			until === 'message' ? reached.map(messageLine) : workers.map(({ worker, phase }) => `${worker} ${phase}`),
		);
	},
);

interface WaitedFor {
	worker: string;
	phase: Phase;
	/** It rests, but a message is about to set it to work. */
	isAboutToWork: boolean;
}

async function workersOf(
	workspace: Workspace,
	{ tasks }: Overview,
	{ task, worker }: TypedAddress,
): Promise<WaitedFor[]> {
	const workers = tasks.find(({ record }) => record.name === task)?.workers ?? [];
	const chosen = workers.filter(({ record }) => worker === undefined || record.name === worker);
	if (chosen.length === 0) {
		throw new NancyError('no-task', worker ? `${task} has no worker "${worker}"` : `${task} has no worker yet`);
	}
	return Promise.all(
		chosen.map(async ({ record, state }) => {
			const address = { task, worker: record.name };
			const isAboutToWork = state.phase === 'idle' && (await willWork(workspace, address, state.at));
			return { worker: mailboxName(address), phase: state.phase, isAboutToWork };
		}),
	);
}

/** Whether an agent that is idle since then has a message to act on: queued, or handed over before it could report. */
async function willWork(workspace: Workspace, address: WorkerAddress, idleSince: string): Promise<boolean> {
	const { messages } = await workspace.mailbox(address).list(['queued', 'claimed', 'delivered']);
	return messages.some(({ state, content, receipt }) =>
		state === 'delivered'
			? receipt !== undefined && Date.parse(receipt.deliveredAt) > Date.parse(idleSince)
			: wakes(content),
	);
}

function isReached({ phase, isAboutToWork }: WaitedFor, until: 'idle' | 'stop'): boolean {
	return goals[until].includes(phase) && !isAboutToWork;
}

/** The mailbox in which the asker gets messages from the task. */
function waitingMailbox(asker: Asker, { task }: TypedAddress): WorkerAddress {
	return ownAddress(asker) ?? { task, worker: ORCHESTRATOR };
}

/** Read already when the wait began. */
async function idsIn(workspace: Workspace, mailbox: WorkerAddress): Promise<ReadonlySet<string>> {
	const { found } = await listMailboxes(workspace, [mailbox], ['claimed', 'delivered']);
	return new Set(found.map(({ message }) => message.id));
}

/** Unread messages, and those that an agent's hook has handed over since the wait began. */
async function newMessages(
	workspace: Workspace,
	mailbox: WorkerAddress,
	asker: Asker,
	{ task, worker }: TypedAddress,
	before: ReadonlySet<string>,
): Promise<FoundMessage[]> {
	const { found } = await listMailboxes(workspace, [mailbox], ['queued', 'claimed', 'delivered']);
	return found.filter(({ message: { id, author } }) => {
		if (before.has(id)) return false;
		if (worker !== undefined) return writer(author) === mailboxName({ task, worker });
		// An agent's own mailbox also has messages of the user and other tasks, which this wait is not for.
		return !ownAddress(asker) || writer(author)?.startsWith(`${task}/`) === true;
	});
}

function messageLine({ message: { id, content, author } }: FoundMessage): string {
	return `${id}  from ${printableLine(authorText(author))}: ${printableLine(content.text)}`;
}

function lateError(of: string, until: string, workers: readonly WaitedFor[]): NancyError {
	const now = workers
		.map(({ worker, phase, isAboutToWork }) => `${worker} is ${phase}${isAboutToWork ? ' but has a message' : ''}`)
		.join(', ');
	return new NancyError('timeout', `${of} did not come to "${until}" in time; ${now}`);
}
