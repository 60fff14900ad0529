import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import * as operations from '../../operations/index.ts';
import { perform } from '../../operations/operation.ts';
import { Priority, type Effect } from '../../protocol/message.ts';
import { ORCHESTRATOR } from '../../protocol/names.ts';
import { SendOutput } from '../../protocol/output/messages.ts';
import { resolveMailbox } from '../../operations/shared/addresses.ts';
import { answer, command, type Context } from '../command.ts';
import { programContext } from '../../operations/shared/programContext.ts';
import { findWorkspace } from '../../operations/shared/place.ts';
import { readText } from '../readText.ts';

const Input = z.object({
	to: z.string(),
	text: z.array(z.string()),
	kind: z.optional(z.enum(['directive', 'feedback'])),
	priority: z._default(Priority, 'normal'),
	halt: z._default(z.boolean(), false),
	pause: z._default(z.boolean(), false),
});

export const send = command(
	{
		name: 'send',
		aliases: ['direct'],
		summary: 'queue a message for an agent or for the human; prints its id',
		details: [
			'A directive reaches the agent at its next tool boundary, feedback when it is done; an idle agent is woken. ' +
				'The message waits on disk until an agent has read it, and its receipt says when that was (nancy inbox).',
			'In a terminal that Nancy started, the message comes from that worker; elsewhere it comes from the human.',
		],
		positionals: [
			{
				name: 'to',
				label: '<task>[/<worker>]',
				help: 'who gets it; <task>/orchestrator is the human, in a Nancy terminal also just "orchestrator"',
				required: true,
			},
			{
				name: 'text',
				label: 'TEXT|-',
				help: 'the message, or - to read it from stdin; put -- before text that starts with -',
				required: true,
				many: true,
			},
		],
		options: {
			kind: { value: 'KIND', help: 'directive (default) or feedback' },
			priority: { value: 'PRIORITY', help: 'normal (default) or urgent: before all others' },
			halt: { help: 'the agent reads it instead of running the tool it is about to run' },
			pause: { help: 'like --halt, and the agent ends its turn' },
		},
		examples: [
			['nancy send fix-login "Use the existing retry helper."', 'steers the agent at its next tool call'],
			['nancy send fix-login/worker-2 --kind feedback - < review.md', 'waits until that agent is done'],
			['nancy send orchestrator "Which database may I use?"', 'in a Nancy terminal: asks the human'],
		],
	},
	Input,
	async (input, context) => {
		const effect = effectOf(input);
		const workspace = findWorkspace(context);
		const sent = await perform(
			await operations.send(),
			context.asker,
			{
				to: await resolveMailbox(workspace, context.asker, input.to),
				kind: input.kind,
				priority: input.priority,
				effect,
				text: await readText(input.text, context.stdin),
			},
			programContext(workspace, context),
		);
		noteSent(sent, context);
		return answer(SendOutput, sent, sent.id);
	},
);

function effectOf({ halt, pause }: z.infer<typeof Input>): Effect {
	if (!halt && !pause) return 'none';
	if (halt && pause) throw new NancyError('bad-usage', '--halt and --pause exclude each other; --pause halts too');
	return halt ? 'halt' : 'pause';
}

/** Says what keeps the message from its reader. */
export function noteSent({ to, running, held, untold = [] }: SendOutput, { note }: Pick<Context, 'note'>): void {
	for (const reason of untold) note(`the message is queued for ${to}, but it could not be told: ${reason}`);
	if (!running && untold.length === 0 && !to.endsWith(`/${ORCHESTRATOR}`))
		note(`no agent is known to run as ${to} now; the message waits for it`);
	if (held !== undefined) note(`the message waits: ${held}`);
}
