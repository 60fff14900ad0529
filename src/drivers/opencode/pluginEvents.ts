/** What the plugin tells of the CLI's events. Stands in the plugin's one function: see plugin.ts. */
export const EVENTS = String.raw`	async function toolEvent(event, slot, { sessionID, tool, callID }, more) {
		const { root, subagent } = await placeOf(sessionID);
		if (!subagent) begin(root);
		return tell(root, event, subagent ? 'report' : slot, { subagent, tool, callID, ...more });
	}

	const events = {
		'session.created': async ({ info }) => {
			const session = known(info.id);
			session.parent = Promise.resolve(info.parentID ?? '');
			session.agent = info.agent;
			session.isNew = true;
			const { root, subagent } = await placeOf(info.id);
			if (subagent) await tell(root, 'subagent-start', 'report', { subagent, text: cut(info.title) });
			else begin(root);
		},
		'session.idle': async ({ sessionID }) => {
			letAllGo(sessionID);
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
			if (!subagent) await tell(root, 'compacted', 'program', {});
		},
		'permission.asked': async request => {
			// At once: a run itself says No to whatever it is asked.
			allowHeld(request).catch(() => undefined);
			holdPermission(request);
			const { sessionID, permission, patterns, metadata, tool } = request;
			// A subagent's question stops the agent as well.
			const { root } = await placeOf(sessionID);
			const text = cut(metadata?.command ?? metadata?.filepath ?? patterns?.join(', '));
			await tell(root, 'permission-asked', 'report', { tool: permission, callID: tool?.callID, text });
		},
		'permission.replied': async ({ sessionID, requestID, reply }) => {
			letGo(requestID, reply === 'reject' ? 'SIGTERM' : 'SIGUSR2');
			const { root } = await placeOf(sessionID);
			await tell(root, 'permission-replied', 'report', { reply });
		},
		'question.asked': async request => {
			holdQuestion(request);
			const { sessionID, questions, tool } = request;
			const { root } = await placeOf(sessionID);
			const text = cut(questions?.[0]?.question);
			await tell(root, 'permission-asked', 'report', { tool: 'question', callID: tool?.callID, text });
		},
		'question.replied': async ({ sessionID, requestID }) => {
			letGo(requestID, 'SIGUSR2');
			const { root } = await placeOf(sessionID);
			await tell(root, 'permission-replied', 'report', { reply: 'answered' });
		},
		'question.rejected': async ({ sessionID, requestID }) => {
			letGo(requestID, 'SIGTERM');
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
			forget(part);
			takeBack(session, part.callID);
			await toolEvent('tool-failed', 'report', part, { error: cut(part.state.error) });
		},
	};
`;
