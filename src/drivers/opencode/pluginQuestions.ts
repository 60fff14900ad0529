/** How the plugin lets a person answer from elsewhere. Stands in the plugin's one function: see plugin.ts. */
export const QUESTIONS = String.raw`	/** What the CLI asks and a guard holds, by the CLI's id of the request. */
	const held = new Map();
	/** The input of each call that has not ended, by session and call. A request for permission may hold none of it. */
	const inputs = new Map();
	/** Names that two calls had at a time: nobody can tell which of them is asked about, also once one has ended. */
	const ambiguous = new Set();
	const callOf = (sessionID, callID) => sessionID + ' ' + callID;

	function keepInput({ sessionID, callID }, output) {
		const call = callOf(sessionID, callID);
		if (inputs.has(call)) ambiguous.add(call);
		inputs.set(call, output);
	}

	function inputOf(sessionID, callID) {
		const call = callOf(sessionID, callID);
		return ambiguous.has(call) ? undefined : inputs.get(call)?.args;
	}

	function forget({ sessionID, callID }) {
		inputs.delete(callOf(sessionID, callID));
		allowed.delete(callOf(sessionID, callID));
	}

	/** What the guard prints that holds a request until a person answers it elsewhere; undefined if the request was over before. */
	async function heldAnswer(event, request) {
		const { id, sessionID, tool } = request;
		const waiting = { sessionID };
		held.set(id, waiting);
		const { root, subagent } = await placeOf(sessionID);
		if (waiting.signal) return;
		const agent = subagent && known(subagent).agent;
		const args = inputOf(sessionID, tool?.callID);
		const asked = { sessionID: root, directory, subagent, agent, args, request };
		const { stdout } = await guard(root, event, 'ask', asked, undefined, child => (waiting.child = child));
		if (held.get(id) === waiting) held.delete(id);
		return { answer: answerIn(stdout), isOver: () => waiting.signal !== undefined };
	}

	async function tellLate({ sessionID, tool }) {
		const { root, subagent } = await placeOf(sessionID);
		await tell(root, 'answer-late', 'report', { subagent, callID: tool?.callID });
	}

	/**
	 * Has a guard hold a request until a person answers it elsewhere. The CLI's own prompt stays open, and nothing waits for this. The answer goes
	 * to the request that this very guard held, whatever it printed.
	 * @param bodyOf the end of the address and the body that an answer is for the CLI; undefined for what is no answer
	 */
	async function hold(event, request, kind, bodyOf) {
		if (!isAttended || isServer) return;
		const given = await heldAnswer(event, request);
		// The guard said nothing: the CLI's own prompt decides.
		const sent = given && bodyOf(given.answer);
		if (!sent) return;
		const url = '/' + kind + '/' + encodeURIComponent(request.id) + '/' + sent.end;
		// Somebody else's answer may have come first.
		if (given.isOver() || !(await isPosted(url, sent.body))) await tellLate(request);
	}

	async function isPosted(url, body) {
		try {
			const { data } = await client._client.post({ url, body, headers: { 'Content-Type': 'application/json' } });
			return data === true;
		} catch {
			return false;
		}
	}

	function holdPermission(request) {
		const bodyOf = ({ reply, message }) => ['once', 'always', 'reject'].includes(reply) && { end: 'reply', body: { reply, message } };
		hold('ask-permission', request, 'permission', bodyOf).catch(() => undefined);
	}

	function holdQuestion(request) {
		const bodyOf = ({ answers, reject }) => {
			if (Array.isArray(answers)) return { end: 'reply', body: { answers } };
			return reject === true && { end: 'reject', body: {} };
		};
		hold('ask-question', request, 'question', bodyOf).catch(() => undefined);
	}

	/** Ends the guard of a request that is over. The signal tells it how: see core/driver/asking. */
	function letGo(id, signal) {
		const waiting = held.get(id);
		if (!waiting) return;
		held.delete(id);
		waiting.signal = signal;
		try {
			waiting.child?.kill(signal);
		} catch {
			// A signal that this system does not have.
			waiting.child?.kill();
		}
	}

	/** Of one session, or of all. A turn that is broken off withdraws what it asks without a word. */
	function letAllGo(sessionID) {
		for (const [id, waiting] of [...held]) if (sessionID === undefined || waiting.sessionID === sessionID) letGo(id, 'SIGHUP');
	}
`;
