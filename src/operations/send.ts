import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import * as z from 'zod/mini';
import { errorText, NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { authorOf } from '../core/asker/authorOf.ts';
import { isRunning } from '../core/workspace/workerLife.ts';
import { wakes } from '../core/mailbox/due.ts';
import { heldText } from '../core/mailbox/held.ts';
import { whyUnheard } from '../core/sessions/hearing.ts';
import { readPhase } from '../core/sessions/phase.ts';
import { prepareAnswer } from '../core/sessions/prepareAnswer.ts';
import { mailboxName } from '../core/workspace/mailboxName.ts';
import type { Words, WorkerAddress, Workspace } from '../core/workspace/workspace.ts';
import { headerName } from '../protocol/author.ts';
import { Effect, Priority } from '../protocol/message.ts';
import { ORCHESTRATOR, TaskName, WorkerName, type MessageId } from '../protocol/names.ts';
import { SendOutput } from '../protocol/output/messages.ts';
import type { WorkerRecord } from '../protocol/records.ts';
import type { Operation } from './operation.ts';
import { delegateElsewhere } from './shared/elsewhere.ts';
import { indexOf, mayTrack } from '../git/mayTrack.ts';
import { refuseTracked } from '../git/refuseTracked.ts';

const Input = z.object({
	/** A worker, or the human of a task (`orchestrator`). */
	to: z.object({ task: TaskName, worker: WorkerName }),
	/** By default a directive for an agent, and feedback for the human. */
	kind: z.optional(z.enum(['directive', 'feedback'])),
	priority: Priority,
	effect: Effect,
	text: z.string(),
});
type Input = z.infer<typeof Input>;

/** Queues a message for an agent or for the human. */
export const send: Operation<Input, SendOutput> = {
	name: 'send',
	input: Input,
	output: SendOutput,
	worksOnPage: true,
	permit: (_asker, _input, context) => refuseTracked(context.workspace),
	async run(asker, input, context) {
		const { workspace } = context;
		const { to: address, priority, effect, text } = input;
		const elsewhere = await delegateElsewhere(address, context);
		const isToHuman = address.worker === ORCHESTRATOR;
		refuseEffect(input, address);
		const author = authorOf(asker);
		const kind = input.kind ?? (isToHuman ? 'feedback' : 'directive');
		const words: Words = { kind, priority, effect, text };
		const trouble = new Set<string>();
		const id = await workspace.send(address, words, author, error => trouble.add(errorText(error)));
		// It is queued. A later failure must not look like a failure of the sending.
		const record = isToHuman
			? undefined
			: await workspace.worker(address).catch((error: unknown) => void trouble.add(errorText(error)));
		const isHere = record !== undefined && isRunning(record);
		if (isHere) await prepare(workspace, record, id);
		const held = isHere && wakes(words) ? await whyItWaits(workspace, record, id) : elsewhere?.held;
		const running = isHere || elsewhere?.isRunning === true;
		return {
			id,
			to: mailboxName(address),
			from: headerName(author),
			author,
			kind,
			priority,
			effect,
			running,
			...(held !== undefined && { held }),
			...(trouble.size > 0 && { untold: [...trouble] }),
		};
	},
};

/** @throws NancyError `bad-usage` for a halt or a pause that cannot be */
export function refuseEffect({ kind, effect }: Pick<Input, 'kind' | 'effect'>, { worker }: WorkerAddress): void {
	if (effect === 'none') return;
	if (worker === ORCHESTRATOR) throw new NancyError('bad-usage', phrase`the human cannot be halted or paused`);
	if (kind === 'feedback') {
		throw new NancyError(
			'bad-usage',
			phrase`halt and pause are for directives: feedback waits until the agent is done`,
		);
	}
}

/** So that the agent gets it sooner. It gets it in any case. */
async function prepare(workspace: Workspace, record: WorkerRecord, id: MessageId): Promise<void> {
	try {
		if (mayTrack(workspace.folder, basename(workspace.paths.root))) return;
		const { driverById } = await import('../drivers/index.ts');
		const driver = driverById(record.agent);
		if (driver) await prepareAnswer(workspace, driver, record, id, indexOf(realpathSync(workspace.folder)));
	} catch {
		// The program hands it over.
	}
}

/** Why an idle agent will not read it before its next prompt. Noted beside the message, which may have been read by now. */
async function whyItWaits(workspace: Workspace, record: WorkerRecord, id: MessageId): Promise<string | undefined> {
	const session = record.sessions.at(-1)?.id;
	if (session === undefined || (await readPhase(workspace.paths, session)).phase !== 'idle') return undefined;
	const { driverById, limitOf } = await import('../drivers/index.ts');
	const held = await whyUnheard(workspace, driverById(record.agent), session);
	if (held !== undefined)
		await workspace
			.mailbox({ task: record.task, worker: record.name })
			.setHeld(id, held)
			.catch(() => undefined);
	return held && String(heldText(held, limitOf));
}
