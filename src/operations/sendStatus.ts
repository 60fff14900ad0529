import * as z from 'zod/mini';
import { keepNote } from '../core/traffic/keepInSpool.ts';
import { SessionId } from '../protocol/names.ts';
import { LONGEST_STATUS, StatusWord } from '../protocol/traffic.ts';
import { anybody, type Operation } from './operation.ts';
import { ownMailbox } from './shared/ownMailbox.ts';

const Input = z.object({
	/** As the agent's CLI names it. */
	session: z.optional(SessionId),
	/** What the agent called. */
	event: z.string(),
	text: z.string().check(z.minLength(1), z.maxLength(LONGEST_STATUS)),
	state: z.optional(StatusWord),
});
const Output = z.object({});

/** Keeps what an agent says of its own work, until its next prompt. It is shown as the agent's words. */
export const sendStatus: Operation<z.infer<typeof Input>, z.infer<typeof Output>> = {
	name: 'sendStatus',
	input: Input,
	output: Output,
	permit: anybody,
	async run(asker, { session: named, event, text, state }, context) {
		const { workspace } = context;
		const { driver, session } = await ownMailbox(asker, context, named);
		const at = new Date().toISOString();
		const about = { driver: driver.id, session, event, text, ...(state && { state }) };
		keepNote(workspace, { driver: driver.id, event }, { nancy: 'status', at, ...about });
		return {};
	},
};
