import * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { theTask, theWorker } from '../core/workspace/named.ts';
import type { Asker } from '../core/asker/asker.ts';
import { ownAddress } from '../core/asker/authorOf.ts';
import { canWake } from '../core/driver/abilities.ts';
import type { Overview, Phase } from '../core/live/overview.ts';
import { mayWake } from '../core/mailbox/due.ts';
import { mailboxName } from '../core/workspace/mailboxName.ts';
import type { WorkerAddress, Workspace } from '../core/workspace/workspace.ts';
import { writer } from '../protocol/author.ts';
import { ORCHESTRATOR } from '../protocol/names.ts';
import type { WorkerRecord } from '../protocol/records.ts';
import { WaitOutput } from '../protocol/output/messages.ts';
import { limitsFor, listMailboxes, messageOutput, type FoundMessage } from './shared/mailboxes.ts';
import { Meant, noWorker } from './shared/meant.ts';
import { anybody, type Operation, type OperationContext } from './operation.ts';

const Input = z.object({
	of: Meant,
	until: z.enum(['idle', 'stop', 'message']),
	/** Give up after this time. By default never. */
	timeoutMs: z.optional(z.number().check(z.nonnegative())),
});

/** The phases that each condition accepts. An ended agent will not work any more, so it counts as idle too. */
const goals: Readonly<Record<'idle' | 'stop', readonly Phase[]>> = { idle: ['idle', 'ended'], stop: ['ended'] };

/** Waits until workers are idle, have ended, or have written. Its error is `timeout` if that does not come in time. */
export const wait: Operation<z.infer<typeof Input>, z.infer<typeof WaitOutput>> = {
	name: 'wait',
	input: Input,
	output: WaitOutput,
	permit: anybody,
	async run(asker, { of, until, timeoutMs = Infinity }, context) {
		const { workspace } = context;
		await workspace.task(of.task);
		const deadlineMs = Date.now() + timeoutMs;
		const own = waitingMailbox(asker, of);
		const before = until === 'message' ? await idsIn(workspace, own) : new Set<string>();
		let workers: WaitedFor[] = [];
		const reached = await whenever(context, deadlineMs, async overview => {
			workers = await workersOf(workspace, overview, of);
			if (until !== 'message') return workers.every(each => isReached(each, until)) ? [] : undefined;
			const messages = await newMessages(workspace, own, asker, of, before);
			return messages.length > 0 ? messages : undefined;
		});
		if (!reached) throw lateError(of, until, workers);
		const limitOf = await limitsFor(reached);
		return {
			task: of.task,
			until,
			workers: workers.map(({ worker, phase }) => ({ worker, phase })),
			messages: reached.map(each => messageOutput(each, limitOf)),
		};
	},
};

/**
 * Waits until `check` finds something in the overview. Looks again at each change of the workspace.
 * @returns the finding, or `undefined` if the deadline came first
 */
async function whenever<T>(
	{ watch }: OperationContext,
	deadlineMs: number,
	check: (overview: Overview) => Promise<T | undefined>,
): Promise<T | undefined> {
	return watch(async ({ overview, changed }) => {
		for (;;) {
			const found = await check(overview());
			if (found !== undefined || Date.now() >= deadlineMs) return found;
			await changed(deadlineMs);
		}
	});
}

interface WaitedFor {
	worker: string;
	phase: Phase;
	/** It rests, but a message is about to set it to work. */
	isAboutToWork: boolean;
}

async function workersOf(workspace: Workspace, { tasks }: Overview, { task, worker }: Meant): Promise<WaitedFor[]> {
	const workers = tasks.find(({ record }) => record.name === task)?.workers ?? [];
	const chosen = workers.filter(({ record }) => worker === undefined || record.name === worker);
	if (chosen.length === 0) throw noWorker({ task, worker });
	return Promise.all(
		chosen.map(async ({ record, state }) => {
			const address = { task, worker: record.name };
			const isAboutToWork = state.phase === 'idle' && (await willWork(workspace, record, state.at));
			return { worker: mailboxName(address), phase: state.phase, isAboutToWork };
		}),
	);
}

/** Whether an agent that is idle since then has a message to act on: queued, or handed over before it could report. */
async function willWork(workspace: Workspace, record: WorkerRecord, idleSince: string): Promise<boolean> {
	const address = { task: record.task, worker: record.name };
	const { messages } = await workspace.mailbox(address).list(['queued', 'claimed', 'delivered']);
	const isRead = messages.some(
		({ state, receipt }) =>
			state === 'delivered' && receipt !== undefined && Date.parse(receipt.deliveredAt) > Date.parse(idleSince),
	);
	return (
		isRead || (messages.some(message => message.state !== 'delivered' && mayWake(message)) && canBeWoken(record))
	);
}

/** Nothing wakes some agents: what is queued waits for their next prompt. The drivers are loaded only if a message waits. */
async function canBeWoken({ agent, agentVersion }: WorkerRecord): Promise<boolean> {
	const driver = (await import('../drivers/index.ts')).driverById(agent);
	return driver === undefined || canWake(driver, agentVersion);
}

function isReached({ phase, isAboutToWork }: WaitedFor, until: 'idle' | 'stop'): boolean {
	return goals[until].includes(phase) && !isAboutToWork;
}

/** The mailbox in which the asker gets messages from the task. */
function waitingMailbox(asker: Asker, { task }: Meant): WorkerAddress {
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
	{ task, worker }: Meant,
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

function lateError({ task, worker: meant }: Meant, until: string, workers: readonly WaitedFor[]): NancyError {
	const now = workers
		.map(({ worker, phase, isAboutToWork }) => `${worker} is ${phase}${isAboutToWork ? ' but has a message' : ''}`)
		.join(', ');
	return new NancyError(
		'timeout',
		phrase`${meant ? theWorker({ task, worker: meant }) : theTask(task)} did not come to "${until}" in time; ${now}`,
	);
}
