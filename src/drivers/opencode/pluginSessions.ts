/** What the plugin knows of the sessions of its process, and how it tells the guard of them in order. Stands in the plugin's one function: see plugin.ts. */
export const SESSIONS = String.raw`	/** The agent's own session that this one belongs to; a subagent has one of its own. */
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

	/** Whether it is over by then: never later. */
	const isOverBy = (until, promise) =>
		new Promise(resolve => {
			const timer = setTimeout(() => resolve(false), until - Date.now());
			promise.then(() => { clearTimeout(timer); resolve(true); });
		});

	/**
	 * Calls of one session go one after another, so that they are told in the order in which things happened. One whose time is over
	 * before its turn comes hands nothing over: it is told, and nobody waits for that.
	 */
	function tell(root, event, slot, payload, limit = LIMIT_MS) {
		const until = Date.now() + limit;
		const session = known(root);
		const before = session.last;
		const told = { sessionID: root, directory, ...payload };
		const isInTime = isOverBy(until, before);
		const call = (async () => {
			if (!(await isInTime)) return {};
			const { stdout } = await guard(root, event, slot, told, Math.max(1, until - Date.now()));
			return slot === 'report' ? {} : answerIn(stdout);
		})();
		session.last = (async () => {
			if (await isInTime) return call;
			await before;
			await guard(root, event, 'report', told, LIMIT_MS);
		})();
		return call;
	}

	/** The guard learns of a session before anything else of it; nothing has to wait for it, for calls keep their order. */
	function begin(root, cause) {
		const session = known(root);
		session.begun ??= (async () => {
			const isFirst = !hasBegun;
			hasBegun = true;
			const source = cause ?? (session.isNew ? (isFirst || isServer ? 'startup' : 'clear') : 'resume');
			const answer = await tell(root, 'session-start', 'program', { source }, BEGIN_MS);
			if (isAttended && !watchBell(root, answer)) void askForBell(root);
		})().catch(() => undefined);
		return session.begun;
	}

	/** Whether there is a bell in the answer. */
	function watchBell(root, { bell }) {
		if (typeof bell !== 'string') return false;
		known(root).bell = bell;
		watchFile(bell, { interval: 500, persistent: false }, () => void wake(root));
		return true;
	}

	/**
	 * While Nancy is still starting a worker, its session belongs to nobody yet and gets no bell. A session without one is never woken,
	 * so it asks again.
	 */
	async function askForBell(root) {
		for (let time = 0; time < TIMES; time++) {
			await new Promise(resolve => setTimeout(resolve, AGAIN_MS * 2 ** time).unref());
			if (isOver) return;
			// A message may have come before.
			if (watchBell(root, await tell(root, '__BELL_ASKED__', 'program', {}))) return wake(root);
		}
	}
`;
