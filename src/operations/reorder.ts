import * as z from 'zod/mini';
import { permit } from '../core/asker/permit.ts';
import { mailboxName } from '../core/workspace/mailboxName.ts';
import { MessageId, TaskName, WorkerName } from '../protocol/names.ts';
import type { Operation } from './operation.ts';

const Input = z.object({
	mailbox: z.object({ task: TaskName, worker: WorkerName }),
	/** Queued messages, first to last. The others come after them, and urgent ones still go first. */
	ids: z.array(MessageId),
});
const Output = z.object({});

/** Changes the order in which an agent gets its queued messages. */
export const reorder: Operation<z.infer<typeof Input>, z.infer<typeof Output>> = {
	name: 'reorder',
	input: Input,
	output: Output,
	async permit(asker, { mailbox }) {
		permit(asker, { is: 'change-queue', what: `change the order of the messages for ${mailboxName(mailbox)}` });
	},
	async run(_, { mailbox, ids }, { workspace }) {
		await workspace.mailbox(mailbox).reorder(ids);
		return {};
	},
};
