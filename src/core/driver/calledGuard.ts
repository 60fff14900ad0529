import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { DriverId } from '../../protocol/names.ts';

/** Where a program of Nancy's stands between an agent and its terminal. */
export interface BetweenPlace {
	/** Absolute path of the launcher of hooks. */
	readonly launcher: string;
	readonly workspaceFolder: string;
	readonly env: NodeJS.ProcessEnv;
}

/** An event of Nancy's own, for a wait: nothing has happened. */
export const WAITS = 'wait';

/** One call of the guard, as a hook of the agent makes it. */
export interface GuardCall {
	readonly driver: DriverId;
	/** The CLI's own name, or one of Nancy's own. */
	readonly event: string;
	/**
	 * `ask` holds a question until a person has answered. `boundary` hands over what waits. `end` notes that the agent is idle. `wait`
	 * waits until a message is worth a turn. `program` begins a session. `turn` hands over what goes with a prompt. `report` keeps the
	 * event for Nancy.
	 */
	readonly slot: 'ask' | 'boundary' | 'end' | 'program' | 'report' | 'turn' | 'wait';
	readonly session: string;
	/** The agent's process. */
	readonly agent: number;
	/** For a `wait`: the caller sees on the agent's screen that the agent is idle. */
	readonly seesIdle?: true;
}

export interface CalledGuard {
	/** What it prints, once it has ended and the event is kept; nothing if nobody has answered, or nothing waits. */
	readonly printed: Promise<string>;
	/** For a `wait`: the words of the turn; nothing if there is no turn to begin. */
	readonly woken: Promise<string | undefined>;
	/** Whether a signal has ended it, from here or from elsewhere. */
	readonly killed: Promise<boolean>;
	/** Ends a question that is over. The signal tells how: see {@link ENDINGS}. */
	end(signal: NodeJS.Signals): void;
}

/** The exit code of a wait whose agent is to begin a turn: see hooks/due. */
const WAKES = 2;

/** Calls the guard for what came to a program of Nancy's, and not to a hook. @param payload what the driver reads */
export function callGuard(
	{ launcher, workspaceFolder, env }: BetweenPlace,
	{ driver, event, slot, session, agent, seesIdle }: GuardCall,
	payload: object,
): CalledGuard {
	const child = spawn(launcher, [driver, event, slot, workspaceFolder], {
		env: {
			...env,
			NANCY_HOOK_SESSION: session,
			NANCY_HOOK_PROJECT: '',
			NANCY_HOOK_PID: String(agent),
			NANCY_HOOK_ATTENDED: '1',
			NANCY_HOOK_SEES_IDLE: seesIdle ? '1' : '',
		},
		stdio: ['pipe', 'pipe', slot === 'wait' ? 'pipe' : 'ignore'],
	});
	const exit = new Promise<{ code?: number | null; signal?: NodeJS.Signals | null }>(done =>
		child.on('error', () => done({})).on('exit', (code, signal) => done({ code, signal })),
	);
	child.stdin?.on('error', () => undefined).end(JSON.stringify(payload));
	const read = (from: Readable | null) => (from ? text(from).catch(() => '') : Promise.resolve(''));
	const [output, said] = [read(child.stdout), read(child.stderr)];
	return {
		// The guard closes its output before it has kept the event: the next event would seem to be older.
		printed: exit.then(() => output),
		woken: exit.then(async ({ code }) => (code === WAKES ? await said : undefined)),
		killed: exit.then(({ signal }) => typeof signal === 'string'),
		end: signal => void child.kill(signal),
	};
}
