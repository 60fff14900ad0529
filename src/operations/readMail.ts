import * as z from 'zod/mini';
import { permit } from '../core/asker/permit.ts';
import { MessageId, ORCHESTRATOR, TaskName } from '../protocol/names.ts';
import type { Operation } from './operation.ts';

const Input = z.object({ task: TaskName, id: MessageId });
const Output = z.object({
	/** Where the message is from now on. Absolute. */
	file: z.string(),
});

/** Marks a message to the human as read. */
export const readMail: Operation<z.infer<typeof Input>, z.infer<typeof Output>> = {
	name: 'readMail',
	input: Input,
	output: Output,
	async permit(asker) {
		permit(asker, { is: 'read-mail' });
	},
	async run(_, { task, id }, { workspace }) {
		const mailbox = workspace.mailbox({ task, worker: ORCHESTRATOR });
		return { file: mailbox.deliveredFile(await mailbox.markRead(id)) };
	},
};
