import type { Turn } from './conversation.ts';

/** One tool call, still in the script's words: the wire protocol binds it to a tool that the agent offers. */
export type ScriptedCall =
	| {
			kind: 'shell';
			command: string;
			description?: string;
			/** The model asks for permission itself, where the CLI leaves that to it. */
			asks?: boolean;
	  }
	| { kind: 'write'; file: string; content: string }
	| { kind: 'read'; file: string }
	| { kind: 'tool'; name: string; input: Record<string, unknown> };

/** What the model does in one reply. Text comes before the calls, as real models do it. */
export interface Reply {
	text?: string;
	calls?: ScriptedCall[];
	/** Milliseconds before anything is sent. */
	delayMs?: number;
	/** Milliseconds over which the text trickles out, word by word. */
	slowMs?: number;
	/** Tokens that the request is said to have had. */
	promptTokens?: number;
	/** HTTP status of an API error instead of a reply. */
	error?: number;
}

const STEP = /\[\[(sh|esc|par|write|read|text|slow|full|wait|err|tool):((?:(?!\]\]).)*)\]\]/gs;

/**
 * The reply that the newest script in the conversation asks for; undefined when there is none. One step per reply: a step
 * is over as soon as the agent shows our answer back to us. A finished script ends with `Done.`
 */
export function scriptedReply(turns: readonly Turn[]): Reply | undefined {
	const at = turns.findLastIndex(turn => turn.speaker === 'agent-side' && turn.text.search(STEP) >= 0);
	if (at < 0) return undefined;
	const steps = [...(turns[at]?.text ?? '').matchAll(STEP)];
	const played = turns.slice(at + 1).filter(turn => turn.speaker === 'model').length;
	const step = steps[played];
	return step ? replyOf(step[1] ?? '', step[2] ?? '') : { text: 'Done.' };
}

function replyOf(verb: string, words: string): Reply {
	switch (verb) {
		case 'sh':
			return { calls: [{ kind: 'shell', command: words }] };
		case 'esc':
			return { calls: [{ kind: 'shell', command: words, asks: true }] };
		case 'par':
			return { calls: words.split('||').map(shellCall) };
		case 'write': {
			const [file, content] = halves(words, '|');
			return { calls: [{ kind: 'write', file, content }] };
		}
		case 'read':
			return { calls: [{ kind: 'read', file: words }] };
		case 'tool': {
			const [name, input] = halves(words, '|');
			return { calls: [{ kind: 'tool', name, input: JSON.parse(input) as Record<string, unknown> }] };
		}
		case 'slow': {
			const [slowMs, text] = halves(words, ':');
			return { text, slowMs: Number(slowMs) };
		}
		case 'full': {
			const [promptTokens, text] = halves(words, ':');
			return { text, promptTokens: Number(promptTokens) };
		}
		case 'wait':
			return { text: 'Waited.', delayMs: Number(words) };
		case 'err':
			return { error: Number(words) };
		default:
			return { text: words };
	}
}

/** Of one command of several; `esc:` before it as in a step of its own. */
function shellCall(words: string): ScriptedCall {
	const [verb, command] = halves(words, ':');
	return verb === 'esc' ? { kind: 'shell', command, asks: true } : { kind: 'shell', command: words };
}

function halves(words: string, separator: string): [string, string] {
	const at = words.indexOf(separator);
	return at < 0 ? [words, ''] : [words.slice(0, at), words.slice(at + separator.length)];
}
