import { DENIED, type AcpAgent, type SilentHook, type ToolCall } from '../../core/driver/acp.ts';
import type { GuardCall } from '../../core/driver/calledGuard.ts';
import { SessionId } from '../../protocol/names.ts';
import { isWake } from '../bell.ts';
import { isObject } from '../summary.ts';
import { wordsIn } from './answers.ts';
import { wordsFrom } from './launch.ts';
import type { EventName } from './payloads.ts';
import { sessions } from './sessions.ts';

/** An agent of which nothing is known but the protocol: Nancy's program calls the guard for everything that happens. */
export const acp: AcpAgent = {
	read: words => {
		const { resume, ...others } = wordsFrom(words);
		return { ...others, resume: resume === undefined ? undefined : SessionId.parse(resume) };
	},
	noYes: [],
	toolOf,
	sessions,
	steering: 'none',
	brokenOff: {
		event: 'interrupted' satisfies EventName,
		payload: (session, cwd, error) => ({ session, cwd, error }),
		// Some end the turn there and some go on. At its end, nobody can tell which.
		isAfterNo: false,
	},
	silent: {
		begun: (session, cwd, isResumed) =>
			call('session-start', 'program', { session, cwd, source: isResumed ? 'resume' : 'startup' }),
		ended: (session, cwd) => call('session-end', 'report', { session, cwd }),
		asked: (asked, session, cwd) => call('permission-asked', 'report', { session, cwd, ...toolIn(asked) }),
		told(told, session, cwd) {
			const event = TOLD[told.status ?? ''];
			const slot = event === 'tool-end' || event === 'tool-failed' ? 'boundary' : 'report';
			return event && call(event, slot, { session, cwd, ...toolIn(told) });
		},
	},
	turns: {
		prompted: (text, session, cwd) => call('prompt', 'turn', { session, cwd, text }),
		stopped: (turn, session, cwd) => call('stop', 'end', { session, cwd, ...turn }),
		words: wordsIn,
		saysNothing: isWake,
	},
};

/** By the status of a call. */
const TOLD: Readonly<Record<string, EventName>> = {
	in_progress: 'tool-start',
	completed: 'tool-end',
	failed: 'tool-failed',
	[DENIED]: 'permission-denied',
};

function call<Slot extends GuardCall['slot']>(event: EventName, slot: Slot, payload: object): SilentHook<Slot> {
	return { event, slot, payload };
}

function toolIn(told: ToolCall) {
	return { call: told.toolCallId, tool: toolOf(told), input: inputOf(told) };
}

/** The protocol names no tool. Its kinds are the same for all agents. */
export function toolOf({ kind }: Pick<ToolCall, 'kind'>): string {
	return kind ?? 'other';
}

/** What an agent says of a call, where it names no input. */
function inputOf({ rawInput, title, locations }: ToolCall): unknown {
	if (isObject(rawInput) && Object.keys(rawInput).length > 0) return rawInput;
	const [file] = locations ?? [];
	return file ? { file_path: file.path } : { description: title ?? '' };
}
