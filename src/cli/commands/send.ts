import * as z from 'zod/mini';
import { errorText, NancyError } from '../../base/errors.ts';
import { isRunning } from '../../core/driver/launch.ts';
import { wakes } from '../../core/mailbox/due.ts';
import { whyUnheard } from '../../core/sessions/hearing.ts';
import { readPhase } from '../../core/sessions/phase.ts';
import type { Words, Workspace } from '../../core/workspace/workspace.ts';
import { headerName } from '../../protocol/author.ts';
import { SendOutput } from '../../protocol/output/messages.ts';
import { Priority, type Effect } from '../../protocol/message.ts';
import { ORCHESTRATOR, type MessageId } from '../../protocol/names.ts';
import type { WorkerRecord } from '../../protocol/records.ts';
import { resolveMailbox } from '../addresses.ts';
import { answer, command } from '../command.ts';
import { authorOf, findWorkspace, mailboxName } from '../place.ts';
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
			'A directive reaches the agent at its next tool boundary, feedback when it would stop; an idle agent is woken. ' +
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
			['nancy send fix-login/worker-2 --kind feedback - < review.md', 'waits until that agent would stop'],
			['nancy send orchestrator "Which database may I use?"', 'in a Nancy terminal: asks the human'],
		],
	},
	Input,
	async (input, context) => {
		const { refuseTracked } = await import('../../git/refuseTracked.ts');
		const workspace = findWorkspace(context);
		await refuseTracked(workspace);
		const address = await resolveMailbox(workspace, context.asker, input.to);
		const toHuman = address.worker === ORCHESTRATOR;
		const effect = effectOf(input, toHuman);
		const author = authorOf(context.asker);
		const content: Words = {
			kind: input.kind ?? (toHuman ? 'feedback' : 'directive'),
			priority: input.priority,
			effect,
			text: await readText(input.text, context.stdin),
		};
		const trouble = new Set<string>();
		const id = await workspace.send(address, content, author, error => trouble.add(errorText(error)));
		// It is queued: whatever fails from here on must not look as if it were not.
		const record = toHuman
			? undefined
			: await workspace.worker(address).catch((error: unknown) => void trouble.add(errorText(error)));
		const running = record !== undefined && isRunning(record);
		const to = mailboxName(address);
		for (const reason of trouble)
			context.note(`the message is queued for ${to}, but it could not be told: ${reason}`);
		if (!toHuman && !running && trouble.size === 0)
			context.note(`no agent is known to run as ${to} now; the message waits for it`);
		const held = running && wakes(content) ? await whyItWaits(workspace, record, id) : undefined;
		if (held !== undefined) context.note(`the message waits: ${held}`);
		const { text: _text, ...facts } = content;
		const from = headerName(author);
		return answer(SendOutput, { id, to, from, author, ...facts, running, ...(held !== undefined && { held }) }, id);
	},
);

/** Why an idle agent will not read it before its next prompt; noted beside the message, which may have been read by now. */
async function whyItWaits(workspace: Workspace, record: WorkerRecord, id: MessageId): Promise<string | undefined> {
	const session = record.sessions.at(-1)?.id;
	if (session === undefined || (await readPhase(workspace.paths, session)).phase !== 'idle') return undefined;
	const { driverById } = await import('../../drivers/index.ts');
	const held = await whyUnheard(workspace, driverById(record.agent), session);
	if (held !== undefined)
		await workspace
			.mailbox({ task: record.task, worker: record.name })
			.setHeld(id, held)
			.catch(() => undefined);
	return held;
}

function effectOf({ kind, halt, pause }: z.infer<typeof Input>, toHuman: boolean): Effect {
	if (!halt && !pause) return 'none';
	if (halt && pause) throw new NancyError('bad-usage', '--halt and --pause exclude each other; --pause halts too');
	if (toHuman) throw new NancyError('bad-usage', 'the human cannot be halted or paused');
	if (kind === 'feedback') {
		throw new NancyError(
			'bad-usage',
			'--halt and --pause are for directives: feedback waits until the agent stops by itself',
		);
	}
	return halt ? 'halt' : 'pause';
}
