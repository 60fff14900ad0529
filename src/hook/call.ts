import { dirname, basename } from 'node:path';
import { identify, liveness, type ProcessIdentity } from '../base/liveness.ts';
import type { Driver } from '../core/driver/driver.ts';
import { Workspace } from '../core/workspace/workspace.ts';
import { driverById } from '../drivers/index.ts';
import { SessionId } from '../protocol/names.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the guard starts the program for, see hooks/nancy-hook; the waking ones wait in the background and hand nothing over. */
const slots = {
	boundary: undefined,
	turn: undefined,
	end: undefined,
	program: undefined,
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
	/** What the agent says its session is, where it says so outside the payload. */
	session: SessionId | undefined;
	/** Undefined also where it has ended by now. */
	agent: ProcessIdentity | undefined;
	/** Whether the guard was told which process the agent is. */
	isNamed: boolean;
	/** Process of the guard that made the call: this very one, where something is to be handed over. */
	guardPid: number;
	/** Process that the guard was started by. Once it is gone, nobody reads what is printed. */
	parentPid: number;
	/** How long the CLI waits for the hook, from the start of its process. Infinite where the CLI's line does not say it. */
	timeoutMs: number;
	/** False where nobody sits at the agent: it ends with its turn, and a wake would reach nobody. */
	isAttended: boolean;
	env: Environment;
}

/** Undefined when the call is not one that the guard makes. */
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
		workspace: new Workspace(dirname(root)),
		session: session.success ? session.data : undefined,
		agent: isNamed ? living(identify(pid)) : undefined,
		isNamed,
		guardPid: Number.isSafeInteger(guardPid) && guardPid > 1 ? guardPid : process.ppid,
		parentPid: Number(env['NANCY_HOOK_PARENT']),
		timeoutMs: Number(env['NANCY_HOOK_TIMEOUT']) * 1000 || Infinity,
		isAttended: env['NANCY_HOOK_ATTENDED'] !== '0',
		env,
	};
}

/** An agent that has ended before its hook ran is not known by its pid any more. */
function living(process: ProcessIdentity): ProcessIdentity | undefined {
	return liveness(process) === 'dead' ? undefined : process;
}
