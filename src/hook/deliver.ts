import { errorText } from '../base/errors.ts';
import { isBeginning, isBrokenOff, Turn, type Print, type TurnPlace } from '../core/sessions/turn.ts';
import { bindCaller } from '../core/sessions/sessions.ts';
import { dueNotes } from '../core/memory/dueNotes.ts';
import { markSession } from '../core/sessions/notesMark.ts';
import { slotOf } from '../core/mailbox/due.ts';
import { ProjectName } from '../protocol/memoryNames.ts';
import type { AgentEvent } from '../protocol/traffic.ts';
import type { Call } from './call.ts';
import { mayHandOver } from '../git/mayHandOver.ts';
import { complain, note, spool } from './notes.ts';
import { ringLater } from './ringLater.ts';

/** Does the work of one event: records it, finds the session's mailbox, hands over due messages, writes the receipts. */
export async function deliver(call: Call, input: string, print: Print): Promise<void> {
	const event = await readInput(call, input);
	if (event === 'silent') return;
	spool(call, input);
	if (event.subagent !== undefined) return;
	const project = call.env['NANCY_PROJECT'];
	await withoutFailing(call, () => markSession(call.workspace, event, call.driver.hooks, project));
	const slot = slotOf(call.driver.hooks.slots, event);
	if (slot === 'never' && !isBeginning(event) && !isBrokenOff(event)) return;
	const bound = await bindCaller(call.workspace, {
		session: event.session,
		driver: call.driver,
		agent: call.agent,
		isNamed: call.isNamed,
		launchedFor: { taskFolder: call.env['NANCY_TASK_DIR'], worker: call.env['NANCY_WORKER'] },
		project: ProjectName.safeParse(project).data,
		transcript: event.transcript,
		begins: event.kind === 'session-start',
		cause: event.kind === 'session-start' ? event.cause : undefined,
	});
	const { workspace, driver } = call;
	const place: TurnPlace = {
		workspace,
		driver,
		canFile: call.env['NANCY_TASK_DIR'] !== undefined,
		print,
		mayHandOver: (mailbox, due) => mayHandOver(workspace, mailbox, due),
		notes: each => withoutFailing(call, () => dueNotes(workspace, each, project)),
		ringLater,
		note: content => note(call, content),
	};
	await new Turn(place, event, slot, bound).run();
}

/** Notes that cannot be read, or marked, keep no message back. */
async function withoutFailing<T>(call: Call, work: () => T | Promise<T>): Promise<T | undefined> {
	try {
		return await work();
	} catch (error) {
		complain(call, errorText(error));
		return undefined;
	}
}

/** An unreadable payload is kept as it came, and the collector reports it. */
async function readInput(call: Call, input: string): Promise<AgentEvent | 'silent'> {
	try {
		return call.driver.hooks.read({ event: call.event, payload: JSON.parse(input), env: call.env });
	} catch (error) {
		spool(call, input);
		throw error;
	}
}
