import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { isFinal, type Delegate } from '../core/delegates/delegate.ts';
import { Delegates } from '../core/delegates/delegates.ts';
import { reportable } from '../core/delegates/reportable.ts';
import { DelegateId } from '../protocol/delegate.ts';
import { anybody, type Operation, type OperationContext } from './operation.ts';
import { delegateAsks } from './shared/delegateAsks.ts';
import { queueLook } from './shared/queueLook.ts';
import { ticketsOf } from './shared/ticketsOf.ts';

const Input = z.object({
	/** Only this one. By default all of the workspace. */
	id: z.optional(DelegateId),
	/** Give up after this time. By default never. */
	timeoutMs: z.optional(z.number().check(z.nonnegative())),
});
const Output = z.object({});

const LOOK_EVERY_MS = 300;
/** Every second or so. */
const ASKS_LOOK_EVERY = 3;
/** Every 3 s: waiting delegates also start while no window is open. */
const QUEUE_LOOK_EVERY = 10;

/** Waits until delegates have ended and their results are sent. Its error is `timeout` if they have not in time. */
export const waitForDelegates: Operation<z.infer<typeof Input>, z.infer<typeof Output>> = {
	name: 'waitForDelegates',
	input: Input,
	output: Output,
	permit: anybody,
	async run(asker, { id, timeoutMs = Infinity }, context) {
		const lookAfter = queueLook(context);
		const deadlineMs = Date.now() + timeoutMs;
		const told = new Map<string, number>();
		let open: readonly Delegate[] = [];
		for (let count = 1; ; count++) {
			open = (await chosen(context, id, { open, lookAfter })).filter(
				({ state, status, isUnproved }) => !isFinal(state) || !(status.reported || isUnproved),
			);
			if (open.length === 0) return {};
			if (Date.now() > deadlineMs)
				throw new NancyError('timeout', phrase`${open.length} delegates have not ended yet`);
			if (count % ASKS_LOOK_EVERY === 0) {
				for (const delegate of open) {
					const { asks = [] } = await delegateAsks(asker, context.workspace, delegate);
					if (asks.length > (told.get(delegate.record.id) ?? 0))
						context.note(waitsWords(delegate, asks.length));
					told.set(delegate.record.id, asks.length);
				}
			}
			await sleep(LOOK_EVERY_MS);
			if (count % QUEUE_LOOK_EVERY === 0) await lookAfter();
		}
	},
};

/** For agents too: that it waits, and never for what. */
function waitsWords({ record }: Delegate, count: number): string {
	const answers = count === 1 ? 'an answer' : `${count} answers`;
	return `delegate ${record.id} waits for ${answers} of its user, who sees the question with nancy questions`;
}

/**
 * Goes by the user's sealed records, so that nobody who writes below the workspace can end a wait that has begun.
 * @param before those that were open at the last look, and what looks after the queue
 * @throws NancyError `no-task` if the record of one of them was removed, though its ticket remains
 */
async function chosen(
	context: OperationContext,
	id: DelegateId | undefined,
	before: { open: readonly Delegate[]; lookAfter: () => Promise<void> },
): Promise<Delegate[]> {
	const store = new Delegates(context.workspace);
	const tickets = ticketsOf(context);
	// Another program waits for a swarm's worker, which need not report its end.
	const listed =
		id === undefined
			? (await store.list()).delegates.filter(({ isForeign }) => !isForeign)
			: [before.open.length === 0 ? await store.get(id) : await store.find(id)].filter(
					each => each !== undefined,
				);
	const lost: DelegateId[] = [];
	for (const { record } of before.open) {
		const isListed = listed.some(each => each.record.id === record.id);
		if (!isListed && (await tickets.has(record.id))) lost.push(record.id);
	}
	// A look brings back the record of one that runs on another machine.
	if (lost.length > 0) await before.lookAfter();
	const found = await Promise.all(lost.map(each => store.get(each)));
	return Promise.all([...listed, ...found].map(delegate => reportable(store, tickets, delegate)));
}
