import { guardSource } from '../guardSource.ts';
import { ID } from './events.ts';
import { EVENTS } from './pluginEvents.ts';
import { QUESTIONS } from './pluginQuestions.ts';
import { RUN_QUESTIONS } from './pluginRunQuestions.ts';
import { SESSIONS } from './pluginSessions.ts';
import { WORDS } from './pluginWords.ts';
import { ASKING_AGENT, CAREFUL, OWN_AGENT } from './runRules.ts';
import { WAKE_WORDS } from '../bell.ts';
import { BELL_ASKED, DOORBELL } from './wake.ts';

/**
 * A plugin of the CLI's: a module that it loads into its own process, without a question. This one hands the guard what happens, and
 * does what the guard answers, with the client that the CLI gives it: no port listens anywhere. Written in what runs unbuilt in every
 * version of the CLI. Nothing that it does may throw or hold the CLI up for longer than {@link LIMIT_MS}, but for the denial of a halt.
 * @param place `launch`: the agent is one of Nancy's own. `workspace`: whoever starts the CLI in the folder.
 */
export function pluginFile(place: 'launch' | 'workspace', launcher: string, folder: string): string {
	return `// Nancy's: reports what this agent does, and hands it the messages that wait for it. It carries a person's answers, and decides nothing itself.
import { spawnSync } from 'node:child_process';
import { lstatSync, readFileSync, renameSync, unwatchFile, watchFile, writeFileSync } from 'node:fs';
${guardSource(ID, launcher, folder)}
${SOURCE.replace('__IS_OURS__', place === 'launch' ? 'true' : '!process.env.NANCY_TASK_DIR')}`;
}

/**
 * Variables of a launch that resumes. In a terminal the CLI's plugins see no command line, and a prompt on it is passed over when it names
 * a session.
 */
export const RESUMED_SESSION = 'NANCY_OPENCODE_SESSION';
export const RESUMED_PROMPT = 'NANCY_OPENCODE_PROMPT';

/** Longest time that one event may hold the CLI up, in milliseconds: above the program's own limit of 2.5 s. */
const LIMIT_MS = 4000;

/** Longest wait for the bell of a session, in milliseconds. It holds nothing up, and on a busy machine Node starts late. */
const BEGIN_MS = 30_000;

/** Longest text of an event that is kept, in UTF-16 units. */
const TEXT_LIMIT = 20_000;

const SOURCE = String.raw`// Options before it have values of their own.
const command = process.argv.slice(2).find(word => ['run', 'serve', 'web', 'acp'].includes(word));
/** A run that ends with its turn: nobody could be woken in it. */
const isRun = command === 'run' && !process.argv.includes('-i') && !process.argv.includes('--interactive');
const isAttended = !isRun && process.env.NANCY_ATTENDED !== '0';
/** One process with the sessions of many. */
const isServer = command !== undefined && command !== 'run';

function mayReport() {
	// An agent that one of our tools has started inherits all variables: it is nobody's business.
	const outer = process.env.NANCY_OPENCODE_PID;
	if (outer && outer !== String(process.pid)) return false;
	process.env.NANCY_OPENCODE_PID = String(process.pid);
	return __IS_OURS__ && isInstalled();
}

function environment(session) {
	return {
		...process.env,
		NANCY_HOOK_SESSION: session,
		NANCY_HOOK_PROJECT: '',
		NANCY_HOOK_PID: isServer ? '' : String(process.pid),
		NANCY_HOOK_ATTENDED: isAttended ? '1' : '0',
	};
}

function answerIn(text) {
	try {
		const answer = JSON.parse(text);
		return typeof answer === 'object' && answer !== null ? answer : {};
	} catch {
		return {};
	}
}

const LIMIT_MS = __LIMIT_MS__;
const BEGIN_MS = __BEGIN_MS__;
/** The first pause before a session without a bell asks again, in milliseconds. Each later one is twice as long. */
const AGAIN_MS = 1000;
/** Half a minute in all: longer than the start of a worker counts as one. */
const TIMES = 5;

const cut = text => (typeof text === 'string' ? text.slice(0, __TEXT_LIMIT__) : undefined);

export const Nancy = async ({ client, directory }) => {
	if (!mayReport()) return {};
	/** What is known of the sessions of this process, by their id. */
	const sessions = new Map();
	const known = id => {
		if (!sessions.has(id)) sessions.set(id, { last: Promise.resolve() });
		return sessions.get(id);
	};
	let hasBegun = false;
	let isOver = false;

${SESSIONS}
${WORDS}
${QUESTIONS}
${RUN_QUESTIONS}
${EVENTS}
	// Taken once, and nothing that this agent starts inherits it.
	const { __SESSION__: resumed, __PROMPT__: firstPrompt } = process.env;
	delete process.env.__SESSION__;
	delete process.env.__PROMPT__;
	if (resumed) {
		isOverBy(Date.now() + LIMIT_MS, begin(resumed, 'resume'))
			.then(() => firstPrompt && say(resumed, firstPrompt))
			.catch(() => undefined);
	}

	return {
		config: async config => keepDenials(config),
		event: async ({ event }) => {
			try {
				await events[event.type]?.(event.properties);
			} catch {
				// What it would have told is not known.
			}
		},
		'chat.message': async ({ sessionID }, { message, parts }) => {
			try {
				const { root, subagent } = await placeOf(sessionID);
				if (subagent) return;
				begin(root);
				const session = known(root);
				session.user = { agent: message.agent, model: message.model, variant: message.variant };
				session.failure = undefined;
				session.text = undefined;
				const text = parts.filter(part => part.type === 'text').map(part => part.text).join('\n');
				session.isContinued = session.own !== undefined && text === session.own;
				session.own = undefined;
				if (session.isContinued) return;
				const model = message.model && message.model.providerID + '/' + message.model.modelID;
				const last = parts.at(-1);
				const answer = await tell(root, 'prompt', last ? 'turn' : 'report', { text: cut(text), model });
				if (!last) return;
				const context = withUnread(session, answer.context);
				if (context === '') return;
				// Parts are kept in the order of their ids.
				const place = { id: last.id + 'n', messageID: last.messageID, sessionID: last.sessionID };
				parts.push({ ...place, type: 'text', text: context, synthetic: true });
			} catch {
				// The prompt goes its way.
			}
		},
		'tool.execute.before': async (call, output) => {
			keepInput(call, output);
			let answer = {};
			try {
				answer = await toolEvent('tool-start', 'boundary', call, { args: output.args });
			} catch {
				// The tool runs.
			}
			if (typeof answer.deny === 'string') {
				if (answer.pause === true) known(call.sessionID).isPaused = true;
				throw new Error(answer.deny);
			}
			const no = await holdCall(call).catch(() => undefined);
			if (no !== undefined) throw new Error(no);
		},
		'tool.execute.after': async (call, output) => {
			forget(call);
			try {
				const takes = typeof output?.output === 'string' ? 'text' : Array.isArray(output?.content) ? 'content' : undefined;
				const text = cut(takes === 'text' ? output.output : undefined);
				const slot = takes ? 'boundary' : 'report';
				const answer = await toolEvent('tool-end', slot, call, { args: call.args, text });
				if (!takes) return;
				const session = known(call.sessionID);
				const context = withUnread(session, answer.context);
				if (context === '') return;
				session.handed = { callID: call.callID, context };
				if (session.failed?.has(call.callID)) return takeBack(session, call.callID);
				if (takes === 'text') output.output += '\n\n' + context;
				else output.content.push({ type: 'text', text: context });
				if (answer.pause === true) session.isPaused = true;
			} catch {
				// The tool's result is what it is.
			}
		},
		'chat.params': async ({ sessionID }) => {
			const session = sessions.get(sessionID);
			if (!session?.isPaused) return;
			session.isPaused = false;
			// What was said stands in the tool's result; the model is not asked.
			await client.session.abort({ path: { id: sessionID } }).catch(() => undefined);
		},
		'experimental.text.complete': async ({ sessionID }, { text }) => {
			try {
				const { root, subagent } = await placeOf(sessionID);
				if (subagent || !known(root).begun) return;
				known(root).text = text;
				// The last moment at which a run takes a prompt.
				if (isRun) await stop(root, text);
			} catch {
				// The turn ends.
			}
		},
		'experimental.session.compacting': async ({ sessionID }) => {
			try {
				const { root, subagent } = await placeOf(sessionID);
				if (!subagent) await tell(root, 'compacting', 'report', {});
			} catch {
				// It is compacted all the same.
			}
		},
		dispose: async () => {
			isOver = true;
			letAllGo();
			for (const [id, { bell, begun, own, unread }] of sessions) {
				if (bell) unwatchFile(bell);
				if (!begun) continue;
				// Taken, but not begun with.
				if (own !== undefined) giveBack(id, own);
				if (unread) giveBack(id, unread);
				const input = JSON.stringify({ sessionID: id, directory });
				const options = { env: environment(id), input, timeout: 1000, stdio: ['pipe', 'ignore', 'ignore'] };
				spawnSync(LAUNCHER, ['__ID__', 'session-end', 'report', FOLDER], options);
			}
		},
	};
};
`
	.replaceAll('__SESSION__', RESUMED_SESSION)
	.replaceAll('__PROMPT__', RESUMED_PROMPT)
	.replaceAll('__ID__', ID)
	.replaceAll('__OWN_AGENT__', OWN_AGENT)
	.replaceAll('__ASKING_AGENT__', ASKING_AGENT)
	.replaceAll('__ASKED__', JSON.stringify(Object.keys(CAREFUL).filter(name => CAREFUL[name] === 'ask')))
	.replaceAll('__BELL_ASKED__', BELL_ASKED)
	.replaceAll('__DOORBELL__', DOORBELL)
	.replaceAll('__WAKE_WORDS__', WAKE_WORDS)
	.replaceAll('__LIMIT_MS__', String(LIMIT_MS))
	.replaceAll('__BEGIN_MS__', String(BEGIN_MS))
	.replaceAll('__TEXT_LIMIT__', String(TEXT_LIMIT));
