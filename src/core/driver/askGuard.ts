import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import type { DriverId } from '../../protocol/names.ts';

/** Where a program of Nancy's stands between an agent and its terminal. */
export interface BetweenPlace {
	/** Absolute path of the launcher of hooks. */
	readonly launcher: string;
	readonly workspaceFolder: string;
	readonly env: NodeJS.ProcessEnv;
}

/** A guard that holds one question, as a hook of the agent would have it do. */
export interface AskGuard {
	/** What it prints once a person has answered; nothing if none did. */
	readonly printed: Promise<string>;
	/** The question is over; the signal tells how: see {@link ENDINGS}. */
	end(signal: NodeJS.Signals): void;
}

/**
 * Has the guard hold a question that came to a program, not to a hook.
 * @param asked what the driver's `Asking` reads. @param agent the process that waits for the answer
 */
export function askGuard(
	{ launcher, workspaceFolder, env }: BetweenPlace,
	{ driver, event, session, agent }: { driver: DriverId; event: string; session: string; agent: number },
	asked: object,
): AskGuard {
	const child = spawn(launcher, [driver, event, 'ask', workspaceFolder], {
		env: {
			...env,
			NANCY_HOOK_SESSION: session,
			NANCY_HOOK_PROJECT: '',
			NANCY_HOOK_PID: String(agent),
			NANCY_HOOK_ATTENDED: '1',
		},
		stdio: ['pipe', 'pipe', 'ignore'],
	});
	child.on('error', () => undefined);
	child.stdin.on('error', () => undefined).end(JSON.stringify(asked));
	return { printed: text(child.stdout), end: signal => void child.kill(signal) };
}
