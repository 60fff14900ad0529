import { dirname, basename } from 'node:path';
import { identify, liveness, type ProcessIdentity } from '../base/liveness.ts';
import { keepProgramsOutOf } from '../base/searchPath.ts';
import type { Driver } from '../core/driver/driver.ts';
import { agentsFolders } from '../core/workspace/placeFrom.ts';
import { Workspace } from '../core/workspace/workspace.ts';
import { driverById } from '../drivers/index.ts';
import { SessionId } from '../protocol/names.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The guard's reason for starting the program, see hooks/nancy-hook. The waking ones wait in the background and hand nothing over. */
const slots = {
	boundary: undefined,
	turn: undefined,
	end: undefined,
	program: undefined,
	ask: undefined,
	wake: { rung: 'wake', isAgain: false },
	'wake-again': { rung: 'wake', isAgain: true },
	wait: { rung: 'waiter', isAgain: false },
	'wait-again': { rung: 'waiter', isAgain: true },
} as const;
type ProgramSlot = keyof typeof slots;

/** Undefined for a slot that hands something over. */
export function wakingOf({ slot }: Pick<Call, 'slot'>) {
	return slots[slot];
}

function isProgramSlot(slot: string): slot is ProgramSlot {
	return Object.hasOwn(slots, slot);
}

/** One call of the program by the guard. */
export interface Call {
	driver: Driver;
	/** The agent CLI's own event name. */
	event: string;
	slot: ProgramSlot;
	workspace: Workspace;
	/** The agent's own word for its session, if it gives one outside the payload. */
	session: SessionId | undefined;
	/** Also undefined if it has already ended. */
	agent: ProcessIdentity | undefined;
	/** Whether the guard knew the agent's process. */
	isNamed: boolean;
	/** Process of the guard that made the call: for a delivery, this very process. */
	guardPid: number;
	/** Process that started the guard. Once it is gone, nobody reads the output. */
	parentPid: number;
	/** How long the CLI waits for the hook, from the start of its process. Infinite if the CLI's line does not say it. */
	timeoutMs: number;
	/** False if nobody sits at the agent: it ends with its turn, and a wake would reach nobody. */
	isAttended: boolean;
	/** The caller sees on the agent's screen that it is idle. */
	seesIdle: boolean;
	env: Environment;
}

/** Undefined if the guard makes no such call. */
export function readCall(args: readonly string[], env: Environment): Call | undefined {
	const [driverId = '', event = '', slot = '', root = ''] = args;
	const driver = driverById(driverId);
	if (!driver || event === '' || !isProgramSlot(slot) || basename(root) !== '.nancy') return undefined;
	const session = SessionId.safeParse(env['NANCY_HOOK_SESSION']);
	const pid = Number(env['NANCY_HOOK_PID']);
	const isNamed = Number.isSafeInteger(pid) && pid > 1;
	const guardPid = Number(env['NANCY_HOOK_GUARD']);
	return {
		driver,
		event,
		slot,
		workspace: workspaceOf(dirname(root)),
		session: session.success ? session.data : undefined,
		agent: isNamed ? living(identify(pid)) : undefined,
		isNamed,
		guardPid: Number.isSafeInteger(guardPid) && guardPid > 1 ? guardPid : process.ppid,
		parentPid: Number(env['NANCY_HOOK_PARENT']),
		timeoutMs: Number(env['NANCY_HOOK_TIMEOUT']) * 1000 || Infinity,
		isAttended: env['NANCY_HOOK_ATTENDED'] !== '0',
		seesIdle: env['NANCY_HOOK_SEES_IDLE'] === '1',
		env,
	};
}

/** A hook runs outside of its agent's sandbox. */
function workspaceOf(folder: string): Workspace {
	keepProgramsOutOf(agentsFolders(folder));
	return new Workspace(folder);
}

/** The pid of an agent that ended before its hook ran identifies nothing any more. */
function living(process: ProcessIdentity): ProcessIdentity | undefined {
	return liveness(process) === 'dead' ? undefined : process;
}
