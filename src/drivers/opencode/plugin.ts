import { guardSource } from '../guardSource.ts';
import { ID } from './events.ts';
import { DOORBELL, WAKE_WORDS } from './wake.ts';

/**
 * A plugin of the CLI's: a module that it loads into its own process, without a question. This one hands the guard what happens, and
 * does what the guard answers, with the client that the CLI gives it: no port listens anywhere. Written in what runs unbuilt in every
 * version of the CLI. Nothing that it does may throw or hold the CLI up for longer than {@link LIMIT_MS}, but for the denial of a halt.
 * @param place `launch`: the agent is one of Nancy's own. `workspace`: whoever starts the CLI in the folder.
 */
export function pluginFile(place: 'launch' | 'workspace', launcher: string, folder: string): string {
	return `// Nancy's: reports what this agent does, and hands it the messages that wait for it. It decides nothing about permissions.
import { spawnSync } from 'node:child_process';
import { unwatchFile, watchFile } from 'node:fs';
${guardSource(ID, launcher, folder)}
${SOURCE.replace('__IS_OURS__', place === 'launch' ? 'true' : '!process.env.NANCY_TASK_DIR')}`;
}

/**
 * Variables of a launch that resumes: in a terminal the CLI's plugins see no command line, and a prompt on it is passed over when it
 * names a session.
 */
export const RESUMED_SESSION = 'NANCY_OPENCODE_SESSION';
export const RESUMED_PROMPT = 'NANCY_OPENCODE_PROMPT';

/** How the names of Nancy's own agents begin, which exist in one run alone. */
export const OWN_AGENT = 'nancy-';

/** Longest time that one event may hold the CLI up, in milliseconds: above the program's own limit of 2.5 s. */
const LIMIT_MS = 4000;

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

	/** The agent's own session that this one belongs to; a subagent has one of its own. */
	async function placeOf(id) {
		let root = id;
		for (let depth = 0; depth < 8; depth++) {
			const session = known(root);
			session.parent ??= client.session.get({ path: { id: root } }).then(found => found.data?.parentID ?? '', () => '');
			const parent = await session.parent;
			if (!parent) break;
			root = parent;
		}
		return root === id ? { root } : { root, subagent: id };
	}

	/** Calls of one session go one after another, so that they are told in the order in which things happened. */
	function tell(root, event, slot, payload) {
		const session = known(root);
		const before = session.last;
		const call = (async () => {
			await before;
			const { stdout } = await guard(root, event, slot, { sessionID: root, directory, ...payload }, __LIMIT_MS__);
			return slot === 'report' ? {} : answerIn(stdout);
		})();
		session.last = call;
		return call;
	}

	/** The guard learns of a session before anything else of it. */
	function begin(root, cause) {
		const session = known(root);
		session.begun ??= (async () => {
			const isFirst = !hasBegun;
			hasBegun = true;
			const source = cause ?? (session.isNew ? (isFirst || isServer ? 'startup' : 'clear') : 'resume');
			const { bell } = await tell(root, 'session-start', 'program', { source });
			if (typeof bell !== 'string' || !isAttended) return;
			session.bell = bell;
			watchFile(bell, { interval: 500, persistent: false }, () => void wake(root));
		})();
		return session.begun;
	}

	async function wake(root) {
		// It may wait for the turn to end, so nothing waits for it.
		const { code, stderr } = await guard(root, '__DOORBELL__', 'wake', { sessionID: root, directory });
		// Where it is not taken, nothing was handed over: the bell rings again.
		if (code === 2) await prompt(root, stderr.trim() || '__WAKE_WORDS__');
	}

	/** A prompt as the user's last one was: another agent could be allowed more. Says whether it was taken. */
	async function prompt(root, text) {
		try {
			const { agent, model, variant } = known(root).user ?? (await lastUser(root)) ?? {};
			const body = { agent, model, variant, parts: [{ type: 'text', text }] };
			const { error } = await client.session.promptAsync({ path: { id: root }, body });
			return error === undefined;
		} catch {
			return false;
		}
	}

	/** A prompt that exists nowhere else any more: where it is not taken, it goes with what the agent reads next. */
	async function say(root, text) {
		if (await prompt(root, text)) return true;
		known(root).unsaid = withUnsaid(root, text);
		await tell(root, 'stop-failed', 'end', { text: 'opencode did not take a prompt of Nancy’s: it goes with the next one' });
		return false;
	}

	/** What the agent is to read now, with what it should have read before. To be called only where it will be handed over. */
	function withUnsaid(root, context) {
		const session = known(root);
		const words = [session.unsaid, typeof context === 'string' ? context : ''].filter(Boolean).join('\n\n');
		session.unsaid = undefined;
		return words;
	}

	async function lastUser(root) {
		const { data = [] } = await client.session.messages({ path: { id: root } });
		const last = data.map(message => message.info).findLast(info => info.role === 'user');
		// One of a run's is not there any more: then it is the agent that a prompt typed here would go to.
		return last?.agent?.startsWith('__OWN_AGENT__') ? { ...last, agent: undefined } : last;
	}

	/** Says when the model's turn is over, and goes on with what waited for that. */
	async function stop(root, summary) {
		const { isContinued } = known(root);
		const { prompt: text } = await tell(root, 'stop', 'end', { isContinued: isContinued === true, text: cut(summary) });
		const words = withUnsaid(root, text);
		if (!words) return;
		// One that the guard knows of is no prompt to be told.
		const session = known(root);
		session.own = typeof text === 'string' ? words : undefined;
		if (!(await say(root, words))) session.own = undefined;
	}

	async function toolEvent(event, slot, { sessionID, tool, callID }, more) {
		const { root, subagent } = await placeOf(sessionID);
		if (!subagent) await begin(root);
		return tell(root, event, subagent ? 'report' : slot, { subagent, tool, callID, ...more });
	}

	const events = {
		'session.created': async ({ info }) => {
			const session = known(info.id);
			session.parent = Promise.resolve(info.parentID ?? '');
			session.isNew = true;
			const { root, subagent } = await placeOf(info.id);
			if (subagent) await tell(root, 'subagent-start', 'report', { subagent, text: cut(info.title) });
			else await begin(root);
		},
		'session.idle': async ({ sessionID }) => {
			const { root, subagent } = await placeOf(sessionID);
			if (subagent) return void (await tell(root, 'subagent-stop', 'report', { subagent }));
			const session = known(root);
			const { failure, begun } = session;
			session.failure = undefined;
			if (!begun) return;
			if (failure) await tell(root, failure.isAbort ? 'interrupted' : 'stop-failed', 'end', { text: failure.text });
			// At the end of a run its process is gone before a prompt could be taken.
			else if (!isRun) await stop(root, session.text);
		},
		'session.error': async ({ sessionID, error }) => {
			if (!sessionID || !error) return;
			const isAbort = error.name === 'MessageAbortedError';
			known(sessionID).failure ??= { isAbort, text: isAbort ? undefined : cut(error.data?.message ?? error.name) };
		},
		'session.compacted': async ({ sessionID }) => {
			const { root, subagent } = await placeOf(sessionID);
			if (!subagent) await tell(root, 'compacted', 'report', {});
		},
		'permission.asked': async ({ sessionID, permission, patterns, metadata, tool }) => {
			// A subagent's question stops the agent as well.
			const { root } = await placeOf(sessionID);
			const text = cut(metadata?.command ?? metadata?.filepath ?? patterns?.join(', '));
			await tell(root, 'permission-asked', 'report', { tool: permission, callID: tool?.callID, text });
		},
		'permission.replied': async ({ sessionID, reply }) => {
			const { root } = await placeOf(sessionID);
			await tell(root, 'permission-replied', 'report', { reply });
		},
		'question.asked': async ({ sessionID, questions, tool }) => {
			const { root } = await placeOf(sessionID);
			const text = cut(questions?.[0]?.question);
			await tell(root, 'permission-asked', 'report', { tool: 'question', callID: tool?.callID, text });
		},
		'question.replied': async ({ sessionID }) => {
			const { root } = await placeOf(sessionID);
			await tell(root, 'permission-replied', 'report', { reply: 'answered' });
		},
		'question.rejected': async ({ sessionID }) => {
			const { root } = await placeOf(sessionID);
			await tell(root, 'permission-replied', 'report', { reply: 'reject' });
		},
		'message.part.updated': async ({ part }) => {
			// A tool that fails is told here alone, again and again.
			if (part?.type !== 'tool' || part.state?.status !== 'error') return;
			const session = known(part.sessionID);
			session.failed ??= new Set();
			if (session.failed.has(part.callID)) return;
			session.failed.add(part.callID);
			await toolEvent('tool-failed', 'report', part, { error: cut(part.state.error) });
		},
	};

	// Taken once, and nothing that this agent starts inherits it.
	const { __SESSION__: resumed, __PROMPT__: firstPrompt } = process.env;
	delete process.env.__SESSION__;
	delete process.env.__PROMPT__;
	if (resumed) {
		begin(resumed, 'resume')
			.then(() => firstPrompt && say(resumed, firstPrompt))
			.catch(() => undefined);
	}

	return {
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
				await begin(root);
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
				const { context } = await tell(root, 'prompt', last ? 'turn' : 'report', { text: cut(text), model });
				const words = last && withUnsaid(root, context);
				if (!words) return;
				// Parts are kept in the order of their ids.
				const place = { id: last.id + 'n', messageID: last.messageID, sessionID: last.sessionID };
				parts.push({ ...place, type: 'text', text: words, synthetic: true });
			} catch {
				// The prompt goes its way.
			}
		},
		'tool.execute.before': async (call, { args }) => {
			let answer = {};
			try {
				answer = await toolEvent('tool-start', 'boundary', call, { args });
			} catch {
				// The tool runs.
			}
			if (typeof answer.deny !== 'string') return;
			if (answer.pause === true) known(call.sessionID).isPaused = true;
			throw new Error(answer.deny);
		},
		'tool.execute.after': async (call, output) => {
			try {
				const takes = typeof output?.output === 'string' ? 'text' : Array.isArray(output?.content) ? 'content' : undefined;
				const text = cut(takes === 'text' ? output.output : undefined);
				const slot = takes ? 'boundary' : 'report';
				const { context, pause } = await toolEvent('tool-end', slot, call, { args: call.args, text });
				const words = takes && !(await placeOf(call.sessionID)).subagent && withUnsaid(call.sessionID, context);
				if (!words) return;
				if (takes === 'text') output.output += '\n\n' + words;
				else output.content.push({ type: 'text', text: words });
				if (pause === true) known(call.sessionID).isPaused = true;
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
			for (const [id, { bell, begun }] of sessions) {
				if (bell) unwatchFile(bell);
				if (!begun) continue;
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
	.replaceAll('__DOORBELL__', DOORBELL)
	.replaceAll('__WAKE_WORDS__', WAKE_WORDS)
	.replaceAll('__LIMIT_MS__', String(LIMIT_MS))
	.replaceAll('__TEXT_LIMIT__', String(TEXT_LIMIT));
