import * as z from 'zod/mini';
import { beginningOf } from '../core/delegates/beginningOf.ts';
import * as operations from '../operations/index.ts';
import { perform } from '../operations/operation.ts';
import { DelegateId } from '../protocol/delegate.ts';
import { HINTS, tool } from './tool.ts';

/** The longest shown part of an answer, in bytes. The whole answer is in the file that the answer names. */
const SHOWN_BYTES = 16_000;

const Text = z.string().check(z.minLength(1));

export const startDelegate = tool(
	{
		name: 'start_delegate',
		title: 'Start another agent',
		description:
			'Hands part of your work to another agent, which runs beside you without a terminal. Returns its id at once. ' +
			'Its result comes to you as a message. It may do no more than your user lets agents start others with.',
		annotations: HINTS.changes,
	},
	z.object({
		prompt: Text,
		title: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
		agent: z.optional(Text),
		model: z.optional(Text),
		permissions: z.optional(Text),
		/** In a git worktree of its own: made from HEAD, or with the uncommitted changes. */
		worktree: z.optional(z.enum(['head', 'with-changes'])),
	}),
	async ({ worktree, ...request }, { asker, context, cwd }) => {
		const input = {
			...request,
			from: cwd,
			...(worktree && { worktree: { withChanges: worktree === 'with-changes' } }),
		};
		return JSON.stringify(await perform(await operations.delegate(), asker, input, context));
	},
);

const One = z.object({ id: DelegateId });

export const delegateStatus = tool(
	{
		name: 'delegate_status',
		title: 'Look at a delegate',
		description: 'Tells the state of one delegate, and its answer once it has ended.',
		annotations: HINTS.reads,
	},
	One,
	async ({ id }, { asker, context }) => {
		const { delegate, answer } = await perform(await operations.delegateResult(), asker, { id }, context);
		return JSON.stringify({ delegate, answer: answer && beginningOf(answer, SHOWN_BYTES).text });
	},
);

export const listDelegates = tool(
	{
		name: 'list_delegates',
		title: 'List the delegates',
		description: 'Lists the delegates of this workspace with their states.',
		annotations: HINTS.reads,
	},
	z.object({}),
	async (_, { asker, context }) =>
		JSON.stringify(await perform(await operations.listDelegates(), asker, {}, context)),
);

export const stopDelegate = tool(
	{
		name: 'stop_delegate',
		title: 'Stop a delegate',
		description: 'Ends a delegate that you have started.',
		annotations: HINTS.changes,
	},
	One,
	async ({ id }, { asker, context }) => {
		await perform(await operations.stopDelegate(), asker, { id }, context);
		return 'Stopped.';
	},
);
