import { extensionHead } from './extension.ts';
import { ANSWERED, ASKS } from './ownEvents.ts';

/** The extension's folder below the launch folder. A plugin of its own, because the CLI asks its user whether it may be loaded. */
export const QUESTIONS = 'questions';

/**
 * An extension of the CLI that lets a person answer from elsewhere. It has the guard hold each request, and sends what a person has answered. The
 * CLI's own prompt stays open, and nothing waits for this. The CLI loads it only if its user has agreed that it handles permission requests.
 * Only agents that Nancy starts have it, from the user's data folder. The CLI keeps the user's agreement by the extension's name, so a file of the
 * workspace with that name would have it too, and agents write there.
 */
export function questionsFile(launcher: string, folder: string): string {
	return `// Nancy's: carries a person's answers to what this session asks. It decides nothing itself.
${extensionHead(launcher, folder)}
const ANSWERS = ['approve-once', 'approve-for-session', 'reject'];

function answerIn(text) {
	try {
		const answer = JSON.parse(text);
		return ANSWERS.includes(answer?.kind) ? answer : undefined;
	} catch {
		return undefined;
	}
}

if (process.env.NANCY_ATTENDED !== '0' && isInstalled()) {
	/** The calls that have begun and not ended, and the names of subagents. A request may hold only a part of its call's input. */
	const calls = new Map();
	const agents = new Map();
	/** What the CLI asks and a guard holds, by the CLI's id of the request. */
	const held = new Map();
	// The request itself names no id. The event does.
	const session = await joinSession({ onPermissionRequest: () => ({ kind: 'no-result' }) });
	const tell = more => guard(session.sessionId, ${JSON.stringify(ANSWERED)}, 'report', { sessionId: session.sessionId, ...more });

	async function hold({ agentId, data: { requestId, permissionRequest, promptRequest, resolvedByHook } }) {
		if (resolvedByHook || !permissionRequest || !promptRequest) return;
		const waiting = {};
		held.set(requestId, waiting);
		const { toolCallId } = permissionRequest;
		const call = calls.get(toolCallId);
		const asked = {
			sessionId: session.sessionId,
			cwd: process.cwd(),
			agentId,
			agentName: agents.get(agentId),
			tool: call?.toolName,
			args: call?.arguments,
			request: permissionRequest,
			prompt: promptRequest,
		};
		const { stdout } = await guard(session.sessionId, ${JSON.stringify(ASKS)}, 'ask', asked, undefined, child => (waiting.child = child));
		const result = answerIn(stdout);
		// The guard said nothing: the CLI's own prompt decides.
		if (!result) return void held.delete(requestId);
		// To the request that this very guard held, whatever it printed. Somebody else's answer may have come first.
		const isTaken = held.delete(requestId) && (await isSent(requestId, result));
		await tell({ toolCallId, by: isTaken ? 'nancy' : 'late' });
	}

	async function isSent(requestId, result) {
		try {
			const { success } = await session.rpc.permissions.handlePendingPermissionRequest({ requestId, result });
			return success === true;
		} catch {
			return false;
		}
	}

	/** Ends the guard of a request. The signal tells it how: see core/driver/asking. */
	function letGo(requestId, signal) {
		const waiting = held.get(requestId);
		if (!waiting) return false;
		held.delete(requestId);
		try {
			waiting.child?.kill(signal);
		} catch {
			// A signal that this system does not have.
			waiting.child?.kill();
		}
		return true;
	}

	const listen = (type, listener) => session.on(type, event => void listener(event)?.catch?.(() => undefined));
	listen('tool.execution_start', ({ data }) => void calls.set(data.toolCallId, data));
	listen('tool.execution_complete', ({ data }) => void calls.delete(data.toolCallId));
	listen('subagent.started', ({ agentId, data }) => void agents.set(agentId, data.agentName));
	listen('permission.requested', hold);
	listen('permission.completed', ({ data: { requestId, toolCallId, result } }) => {
		const isYes = result?.kind?.startsWith('approved');
		if (letGo(requestId, isYes ? 'SIGUSR2' : 'SIGTERM')) return tell({ toolCallId, by: isYes ? 'yes' : 'no' });
	});
	for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'])
		process.once(signal, () => {
			for (const requestId of [...held.keys()]) letGo(requestId, 'SIGHUP');
			process.exit(0);
		});
}
`;
}
