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

/** One call of the guard, as a hook of the agent makes it. */
export interface GuardCall {
	readonly driver: DriverId;
	/** The CLI's own name, or one of Nancy's own. */
	readonly event: string;
	/** `ask` holds a question until a person has answered, `boundary` hands over what waits, and `report` keeps the event. */
	readonly slot: 'ask' | 'boundary' | 'report';
	readonly session: string;
	/** The agent's process. */
	readonly agent: number;
}

export interface CalledGuard {
	/** What it prints; nothing if nobody has answered, or nothing waits. */
	readonly printed: Promise<string>;
	/** Of a question that is over; the signal tells how: see {@link ENDINGS}. */
	end(signal: NodeJS.Signals): void;
}

/** Calls the guard for what came to a program of Nancy's, and not to a hook. @param payload what the driver reads */
export function callGuard(
	{ launcher, workspaceFolder, env }: BetweenPlace,
	{ driver, event, slot, session, agent }: GuardCall,
	payload: object,
): CalledGuard {
	const child = spawn(launcher, [driver, event, slot, workspaceFolder], {
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
	child.stdin.on('error', () => undefined).end(JSON.stringify(payload));
	return { printed: text(child.stdout).catch(() => ''), end: signal => void child.kill(signal) };
}
