/** How the plugin says something to the agent that no tool call or prompt carries. Stands in the plugin's one function: see plugin.ts. */
export const WORDS = String.raw`	async function wake(root) {
		// It may wait for the turn to end, so nothing waits for it.
		const { code, stderr } = await guard(root, '__DOORBELL__', 'wake', { sessionID: root, directory });
		// Where it is not taken, nothing was handed over: the bell rings again. Whatever else a guard says is no prompt.
		if (code === 2 && stderr.trim() === '__WAKE_WORDS__') await prompt(root, '__WAKE_WORDS__');
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

	/**
	 * Puts words into the session's inbox again that the guard has filed as delivered: says whether it could. Not as the user's, for
	 * others may have sent them; who has, they say themselves. As the guard, it follows no link.
	 */
	function giveBack(root, words) {
		try {
			const task = process.env.NANCY_TASK_DIR ?? '';
			const isOfTask = /^\/.+\/\.nancy\/tasks\/[^/]+$/.test(task);
			const base = isOfTask ? task.slice(0, task.lastIndexOf('/tasks/')) : FOLDER + '/.nancy';
			const isFolder = path => lstatSync(path).isDirectory();
			if (!/^\w[\w-]*$/.test(root) || !isFolder(base) || !isFolder(base + '/sessions')) return false;
			const [box] = readFileSync(base + '/sessions/' + root, 'utf8').split('\n');
			if (!/^tasks\/\w[\w.-]*\/comms\/\w[\w.-]*$/.test(box)) return false;
			let folder = base;
			for (const name of [...box.split('/'), 'inbox']) if (!isFolder((folder += '/' + name))) return false;
			const name = 'returned-' + Date.now() + '-' + Math.random().toString(36).slice(2);
			const file = folder + '/.' + name;
			const header = '**Type:** directive\n**From:** Nancy, for what opencode did not take\n\n';
			writeFileSync(file, header + words + '\n', { flag: 'wx', mode: 0o600 });
			renameSync(file, folder + '/' + name + '.md');
			return true;
		} catch {
			return false;
		}
	}

	/**
	 * The words in the result of a tool that was broken off. The CLI waits a quarter of a second for such a result and then throws it away.
	 * The words come with the next prompt or tool.
	 */
	function takeBack(session, callID) {
		if (session.handed?.callID !== callID) return;
		session.unread = session.handed.context;
		session.handed = undefined;
	}

	/** What is to be handed over now, with what was thrown away before. */
	function withUnread(session, words) {
		const all = [session.unread, words].filter(each => typeof each === 'string' && each !== '').join('\n\n');
		session.unread = undefined;
		return all;
	}

	/** A prompt that exists nowhere else any more: where it is not taken, it waits in the inbox again. */
	async function say(root, text) {
		if (await prompt(root, text)) return true;
		const where = giveBack(root, text) ? 'it waits in the inbox again' : 'it is lost';
		await tell(root, 'stop-failed', 'end', { text: 'opencode took no prompt from Nancy: ' + where });
		return false;
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
		const { prompt: words } = await tell(root, 'stop', 'end', { isContinued: isContinued === true, text: cut(summary) });
		if (typeof words !== 'string' || words === '') return;
		// One that the guard knows of is no prompt to be told.
		const session = known(root);
		session.own = words;
		if (!(await say(root, words))) session.own = undefined;
	}
`;
