import { deliveredMessages, type DeliveredMessage, type Turn } from './conversation.ts';
import type { Reply } from './script.ts';

const LATENCY_MS = 2000;

/** Harmless in any workspace, and long enough that a person can steer it. */
const PLAN: readonly { say?: string; command: string; description: string }[] = [
	{ say: "I'll look around first, then check the tests.", command: 'ls', description: 'List the workspace' },
	{ command: 'cat README.md 2>/dev/null | head -40 || true', description: 'Read the README' },
	{ command: 'git log --oneline -5 2>/dev/null || true', description: 'Look at recent commits' },
	{ say: 'Now the sources.', command: 'ls src 2>/dev/null || ls', description: 'List the sources' },
	{ command: 'git status --short 2>/dev/null || true', description: 'See what is changed' },
	{ command: 'sleep 5; echo "analysed 12 files"', description: 'Analyse the code' },
	{ command: 'echo "found 2 places to simplify"', description: 'Collect findings' },
	{
		say: 'I have a plan; checking it against the tests.',
		command: 'ls test 2>/dev/null || true',
		description: 'List the tests',
	},
	{ command: 'sleep 5; echo "all tests passed"', description: 'Run the tests' },
	// The one step that asks for permission.
	{ command: 'mkdir -p drafts && echo "# Draft" > drafts/plan.md', description: 'Write a draft of the change' },
	{ command: 'sleep 3; echo "review done"', description: 'Review the draft' },
	{ command: 'echo "summary written"', description: 'Write the summary' },
];

/**
 * What the demo's model does when no script tells it otherwise: it works through a small plan, and whenever a message from
 * Nancy arrives it says so and takes one step for it.
 */
export function demoReply(turns: readonly Turn[]): Reply {
	const message = newestDelivery(turns);
	if (message) return acknowledge(message);
	const wanted = turns.findLastIndex(turn => turn.speaker === 'agent-side' && isPrompt(turn));
	const sincePrompt = turns.slice(wanted + 1);
	const acknowledgements = sincePrompt.filter(
		(turn, index) => index > 0 && deliveredMessages(turn.text).length > 0,
	).length;
	const step = PLAN[sincePrompt.filter(turn => turn.speaker === 'model').length - acknowledgements];
	if (!step)
		return { text: 'Done: I looked at the workspace, checked the tests and wrote a summary.', delayMs: LATENCY_MS };
	const { say, ...call } = step;
	return { ...(say ? { text: say } : {}), calls: [{ kind: 'shell', ...call }], delayMs: LATENCY_MS };
}

/** A person's own words, as opposed to tool results and what the agent CLI adds around them. */
function isPrompt(turn: Turn): boolean {
	const own = turn.text.replaceAll(/<system-reminder>[^]*?<\/system-reminder>/g, '').trim();
	return own !== '' && !/hook (additional context|feedback|blocking error)/.test(own) && turn.toolOutput === '';
}

/** What came since the model last spoke. */
function newestDelivery(turns: readonly Turn[]): DeliveredMessage | undefined {
	const spoken = turns.findLastIndex(turn => turn.speaker === 'model');
	return turns
		.slice(spoken + 1)
		.flatMap(turn => deliveredMessages(turn.text))
		.at(-1);
}

function acknowledge({ kind, text, id }: DeliveredMessage): Reply {
	const words = text.replaceAll(/\s+/g, ' ').slice(0, 120);
	return {
		text: `Understood, ${kind.toLowerCase()}: “${words}”. I am changing course accordingly.`,
		calls: [
			{
				kind: 'shell',
				command: `echo ${quote(`working on: ${words}`)}`,
				description: `Act on the ${kind.toLowerCase()}: ${words.slice(0, 40)}`,
			},
			{ kind: 'shell', command: `nancy archive ${quote(id)}`, description: 'Tell Nancy that it is done' },
		],
		delayMs: LATENCY_MS,
	};
}

function quote(text: string): string {
	return `'${text.replaceAll("'", `'\\''`)}'`;
}
