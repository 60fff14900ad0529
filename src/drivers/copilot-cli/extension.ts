import { WAKE_WORDS } from '../bell.ts';
import { guardSource } from '../guardSource.ts';
import { BELL, JOINED } from './ownEvents.ts';
import { program } from './program.ts';

/** The CLI resolves this module for its extensions. No code of Nancy's depends on it. */
const SDK = '@github/copilot-sdk/extension';

/** The head of an extension: what it imports, and the call of the guard. */
export function extensionHead(launcher: string, folder: string): string {
	return `import { joinSession } from ${JSON.stringify(SDK)};
${guardSource(program.id, launcher, folder)}
function environment(session) {
	return {
		...process.env,
		NANCY_HOOK_SESSION: session,
		NANCY_HOOK_PROJECT: '',
		NANCY_HOOK_PID: process.env.COPILOT_EXTENSION_PARENT_PID ?? '',
		NANCY_HOOK_ATTENDED: '1',
	};
}
`;
}

/**
 * An extension of the CLI: a program beside a session that may send prompts. It tells the guard about events for which the CLI has no hook.
 * It obeys the guard: it watches the session's bell, and wakes the session. The CLI runs it only if the user has switched on experimental
 * features. It asks for no permission and registers nothing.
 * @param place as for the hooks
 */
export function extensionFile(place: 'launch' | 'workspace', launcher: string, folder: string): string {
	const isOwn = place === 'launch' ? 'true' : '!process.env.NANCY_TASK_DIR';
	return `// Nancy's: wakes this session when it is idle and a message waits for it.
import { watchFile } from 'node:fs';
${extensionHead(launcher, folder)}
async function wakeAtBell(session) {
	const call = (event, slot) => guard(session.sessionId, event, slot, { sessionId: session.sessionId });
	const { stdout } = await call(${JSON.stringify(JOINED)}, 'program');
	const bell = stdout.trim();
	if (bell === '') return;
	watchFile(bell, { interval: 500 }, async () => {
		const { code, stderr } = await call(${JSON.stringify(BELL)}, 'wake');
		// Whatever else a guard says is no prompt.
		if (code === 2 && stderr.trim() === ${JSON.stringify(WAKE_WORDS)})
			await session.send({ prompt: stderr.trim() }).catch(() => undefined);
	});
}

if (${isOwn} && process.env.NANCY_ATTENDED !== '0' && isInstalled()) {
	const session = await joinSession({});
	// Not waited for: the CLI takes no prompt before its extensions have loaded.
	wakeAtBell(session).catch(() => undefined);
}
`;
}
