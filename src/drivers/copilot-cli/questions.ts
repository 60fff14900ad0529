import { extensionHead } from './extension.ts';
import { ANSWERED, ASKS, ASKS_USER } from './ownEvents.ts';

/** The extension's folder below the launch folder. A plugin of its own, because the CLI asks its user whether it may be loaded. */
export const QUESTIONS = 'questions';

/**
 * An extension of the CLI that lets a person answer from elsewhere. It has the guard hold each request, and sends what a person has
 * answered. The CLI's own prompt stays open, and nothing waits for this. The CLI loads it only if its user has agreed that it handles
 * permission requests. Only agents that Nancy starts have it, from the user's data folder. The CLI keeps the user's agreement by the
 * extension's name. So a file of the workspace with that name would have it too, and agents write there.
 */
export function questionsFile(launcher: string, folder: string): string {
	return `// Nancy's: carries a person's answers to what this session asks. It decides nothing itself.
${extensionHead(launcher, folder)}
const DECISIONS = ['approve-once', 'approve-for-session', 'reject'];
const ACTIONS = ['accept', 'cancel'];

function answerIn(text) {
	try {
		return JSON.parse(text) ?? {};
	} catch {
		return {};
	}
}

if (process.env.NANCY_ATTENDED !== '0' && isInstalled()) {
	/** The calls that have begun and not ended, and the names of subagents. A request may hold only a part of its call's input. */
	const calls = new Map();
	const agents = new Map();
	/** Told when the model's next turn begins. */
	const turns = new Set();
	/** What the CLI asks and a guard holds, by the CLI's id of the request. */
	const held = new Map();
	// The request itself names no id. The event does.
	const session = await joinSession({ onPermissionRequest: () => ({ kind: 'no-result' }) });
	const tell = more => guard(session.sessionId, ${JSON.stringify(ANSWERED)}, 'report', { sessionId: session.sessionId, ...more });

	/**
	 * Has a guard hold a request until a person answers it elsewhere.
	 * @param send hands the answer that the guard printed to the CLI; undefined for what is no answer
	 */
	async function hold(event, { agentId, data: { requestId } }, asked, toolCallId, send) {
		const waiting = {};
		held.set(requestId, waiting);
		const about = { sessionId: session.sessionId, cwd: process.cwd(), agentId, agentName: agents.get(agentId) };
		const begun = child => (waiting.child = child);
		const { stdout } = await guard(session.sessionId, event, 'ask', { ...about, ...asked }, undefined, begun);
		const sent = send(answerIn(stdout));
		// The guard said nothing: the CLI's own prompt decides.
		if (!sent) return void held.delete(requestId);
		// To the request that this very guard held, whatever it printed. Somebody else's answer may have come first.
		const isTaken = held.delete(requestId) && (await isSent(sent.to, { requestId, result: sent.result }));
		await tell({ toolCallId, by: !isTaken ? 'late' : sent.endsTurn ? 'ended' : 'nancy' });
		return isTaken;
	}

	async function isSent(to, answer) {
		try {
			const { success } = await to(answer);
			return success === true;
		} catch {
			return false;
		}
	}

	async function holdPermission(event) {
		const { permissionRequest: request, promptRequest: prompt, resolvedByHook } = event.data;
		if (resolvedByHook || !request || !prompt) return;
		const { toolName: tool, arguments: args } = calls.get(request.toolCallId) ?? {};
		const to = session.rpc.permissions.handlePendingPermissionRequest;
		await hold(${JSON.stringify(ASKS)}, event, { tool, args, request, prompt }, request.toolCallId, result =>
			DECISIONS.includes(result.kind) && { to, result, endsTurn: result.kind === 'reject' && !result.feedback });
	}

	async function holdForm(event) {
		const { toolCallId } = event.data;
		// A form of an MCP server names its server in the terminal alone.
		if (calls.get(toolCallId)?.toolName !== 'ask_user') return;
		const to = session.rpc.ui.handlePendingElicitation;
		let isNo = false;
		const isNextTurn = new Promise(resolve => turns.add(resolve));
		const isTaken = await hold(${JSON.stringify(ASKS_USER)}, event, { request: event.data }, toolCallId, result => {
			isNo = result.action === 'cancel';
			return ACTIONS.includes(result.action) && { to, result, endsTurn: isNo && !event.agentId };
		});
		// The end would be that of another turn: the agent's own, which may have begun long after its subagent.
		if (!isTaken || !isNo || event.agentId) return;
		// The CLI goes on. Any earlier, the end would leave the form on the screen, or come before the call's own report.
		await isNextTurn;
		await session.abort();
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
	// Of two calls with one name, nobody can tell which is asked about.
	listen('tool.execution_start', ({ data }) => void calls.set(data.toolCallId, calls.has(data.toolCallId) ? {} : data));
	listen('tool.execution_complete', ({ data }) => void calls.delete(data.toolCallId));
	listen('assistant.turn_start', ({ agentId }) => {
		if (agentId) return;
		for (const begin of turns) begin();
		turns.clear();
	});
	listen('subagent.started', ({ agentId, data }) => void agents.set(agentId, data.agentName));
	listen('permission.requested', holdPermission);
	listen('elicitation.requested', holdForm);
	// After a No, a report could come after that of the turn's end.
	const answered = (requestId, toolCallId, isYes) => {
		const wasHeld = letGo(requestId, isYes ? 'SIGUSR2' : 'SIGTERM');
		if (wasHeld && isYes) return tell({ toolCallId, by: 'yes' });
	};
	listen('permission.completed', ({ data: { requestId, toolCallId, result } }) =>
		answered(requestId, toolCallId, result?.kind?.startsWith('approved')));
	listen('elicitation.completed', ({ data: { requestId, action } }) => answered(requestId, undefined, action === 'accept'));
	for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'])
		process.once(signal, () => {
			for (const requestId of [...held.keys()]) letGo(requestId, 'SIGHUP');
			process.exit(0);
		});
}
`;
}
