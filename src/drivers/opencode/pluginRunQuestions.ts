/**
 * How the plugin lets a person answer what a run asks. The run itself says No to each request at once. So a call waits before it begins, and
 * the plugin is the first to reply to what it then asks. Stands in the plugin's one function: see plugin.ts.
 */
export const RUN_QUESTIONS = String.raw`	/** What Nancy's rules of a run ask for. Nothing but these waits. */
	const ASKED = __ASKED__;
	/** What any call may ask for besides. */
	const OF_CALLS = ['external_directory', 'doom_loop'];
	/** The calls that a person has allowed: what they may ask for, with the input as the person saw it. */
	const allowed = new Map();
	/** Whether the rules of the run leave what the user's own settings deny. */
	let hasDenials = false;

	/** By the CLI's own names. Each tool that writes a file asks for edit, and one of an MCP server by its own name. */
	function permissionOf(tool) {
		if (['write', 'multiedit', 'patch', 'apply_patch'].includes(tool)) return 'edit';
		return ASKED.includes(tool) || tool.includes('_') ? tool : undefined;
	}

	/**
	 * Has a guard hold a call until a person answers, and gives the words of a No. Without an answer the call goes on and asks, and the run denies it.
	 */
	async function holdCall({ sessionID, tool, callID }) {
		const permission = permissionOf(tool);
		if (!isRun || !hasDenials || permission === undefined) return;
		if (!known(sessionID).user?.agent?.startsWith('__ASKING_AGENT__')) return;
		const call = callOf(sessionID, callID);
		const input = inputOf(sessionID, callID);
		const shown = JSON.stringify(input);
		const metadata = { command: input?.command, filepath: input?.filePath };
		const given = await heldAnswer('ask-permission', { id: call, sessionID, permission, patterns: [], metadata, always: [], tool: { callID } });
		if (!given || given.isOver()) return;
		const { reply, message } = given.answer;
		if (reply === 'once' && shown !== undefined) allowed.set(call, { permission, input, shown });
		return reply === 'reject' && typeof message === 'string' ? 'The user rejected this call with the following feedback: ' + message : undefined;
	}

	/**
	 * Replies to what an allowed call asks, as long as its input is what the person saw. A call may ask for its folder, too. Where two calls have one
	 * name, nobody can tell which of them asks.
	 */
	async function allowHeld(request) {
		const { id, sessionID, permission, tool } = request;
		const found = allowed.get(callOf(sessionID, tool?.callID));
		if (!found || ![found.permission, 'external_directory'].includes(permission)) return;
		if (inputOf(sessionID, tool?.callID) !== found.input || JSON.stringify(found.input) !== found.shown) return;
		const isTaken = await isPosted('/permission/' + encodeURIComponent(id) + '/reply', { reply: 'once' });
		if (!isTaken) await tellLate(request);
	}

	/**
	 * An agent's rules come last. So the user's own are added to those of Nancy's agent, in their order: what they deny is not asked for, and what they
	 * allow is asked for.
	 */
	function keepDenials(config) {
		const users = typeof config.permission === 'string' ? { '*': config.permission } : (config.permission ?? {});
		for (const [name, agent] of Object.entries(config.agent ?? {})) {
			if (!name.startsWith('__ASKING_AGENT__')) continue;
			agent.permission = withUsers(agent.permission, users);
			hasDenials = true;
		}
	}

	function withUsers(own, users) {
		const rules = { ...own };
		const asked = actions => Object.fromEntries(actions.some(([pattern]) => pattern === '*') ? actions : [['*', 'ask'], ...actions]);
		for (const [name, value] of Object.entries(users)) {
			const actions = Object.entries(typeof value === 'string' ? { '*': value } : value);
			delete rules[name];
			if (own[name] === 'deny') rules[name] = 'deny';
			else if (/[*?]/.test(name)) {
				// An allowance of many tools would undo what comes before it.
				const kept = actions.filter(([, action]) => action !== 'allow');
				rules[name] = own[name] ? asked(kept) : Object.fromEntries(kept);
			} else if (OF_CALLS.includes(name) || permissionOf(name) !== name) rules[name] = value;
			else rules[name] = asked(actions.map(([pattern, action]) => [pattern, action === 'deny' ? 'deny' : 'ask']));
		}
		return rules;
	}
`;
