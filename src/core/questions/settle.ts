import { liveness } from '../../base/liveness.ts';
import type { OutcomeState, Question } from '../../protocol/question.ts';
import type { AgentEvent, TrafficRecord } from '../../protocol/traffic.ts';
import { TrafficFollower } from '../traffic/store.ts';
import type { NancyPaths } from '../files/paths.ts';
import type { Asked, Questions } from './questions.ts';
import { isYes } from './reply.ts';

/** How much of a session's events is read, in bytes. A question that is older than these events stays until its holder ends. */
const TAIL_BYTES = 1024 * 1024;

/**
 * Ends the open questions that are over as the agents' own events show. Agents can write these events. They decide what is shown, and
 * nothing else: an outcome allows nothing.
 */
export async function settleAll(questions: Questions, paths: NancyPaths): Promise<void> {
	for (const asked of await questions.open()) await settle(questions, paths, asked);
}

/** @returns whether the question is over now */
export async function settle(questions: Questions, paths: NancyPaths, asked: Asked): Promise<boolean> {
	const { question, answer } = asked;
	const records = await new TrafficFollower(paths, question.session, TAIL_BYTES).next();
	const isLost = liveness(question.holder) === 'dead' && !(await questions.isHanded(question.id));
	// No event shows what came of an answer that the CLI never had. A delegate's denial looks like a No that was applied.
	const shown = isLost && answer ? undefined : outcomeIn(asked, records);
	const over = isLost && !shown ? { state: alone(question), evidence: 'the process that waited has ended' } : shown;
	if (over) await questions.end(question.id, over.state, over.evidence);
	return over !== undefined;
}

/** Of a delegate no prompt remains. */
function alone({ delegate }: Question): OutcomeState {
	return delegate === undefined ? 'silent' : 'ended';
}

interface Shown {
	state: OutcomeState;
	evidence: string;
}

/** What the events after a question show of it. */
export function outcomeIn(asked: Asked, records: readonly TrafficRecord[]): Shown | undefined {
	const { question, answer } = asked;
	const events = records.flatMap(record =>
		record.type === 'event' && record.event.driver === question.driver ? [record] : [],
	);
	const call =
		question.call ??
		events.findLast(({ at, event }) => at <= question.askedAt && isCall(question, event))?.event.toolUseId;
	for (const { at, event } of events) {
		if (at <= question.askedAt) continue;
		const state = outcomeAt(asked, event, call);
		// A delegate is answered elsewhere only where its tool has run: by a hook of the user's.
		const isDenied = question.delegate !== undefined && !answer && event.kind !== 'tool-end';
		if (state) return { state: isDenied ? 'ended' : state, evidence: event.event };
	}
	return undefined;
}

/** By the cause of the event. It names its call, so it may be another agent's event. */
const answeredBy: Readonly<Record<string, OutcomeState>> = { late: 'late', taken: 'applied', ended: 'applied' };

/** @param call the CLI's id of the tool's call, if the CLI names it or its start was reported */
function outcomeAt({ question, answer }: Asked, event: AgentEvent, call: string | undefined): OutcomeState | undefined {
	if (event.kind === 'session-end') return answer ? 'applied' : 'ended';
	if (event.kind === 'permission-answered' && answer && event.toolUseId === call)
		return answeredBy[event.cause ?? ''];
	if (event.subagent !== question.subagent) return undefined;
	const saidYes = answer && isYes(answer.effect);
	switch (event.kind) {
		case 'tool-end':
		case 'tool-failed':
			// Hooks of some CLIs do not name the call.
			if (
				call === undefined || event.toolUseId === undefined
					? !isCall(question, event)
					: event.toolUseId !== call
			)
				return undefined;
			// A call that is denied fails too.
			if (answer && !saidYes) return event.kind === 'tool-failed' ? 'applied' : 'late';
			return answer ? 'applied' : 'yes-elsewhere';
		case 'batch-end':
		case 'stop':
		case 'stop-failed':
			return answer ? 'applied' : 'yes-elsewhere';
		case 'interrupted':
		case 'prompt':
			if (!answer) return 'no-elsewhere';
			return answer.effect === 'end' ? 'applied' : 'late';
		default:
			return undefined;
	}
}

/** Whether an event tells of the call that is asked about, or of its like. */
function isCall({ tool, title, subagent }: Question, event: AgentEvent): boolean {
	return event.tool === tool && event.subagent === subagent && event.summary === title;
}
