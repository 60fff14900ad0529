import { join } from 'node:path';
import { liveness, processOf, type ProcessIdentity } from '../../base/liveness.ts';
import type { SessionId } from '../../protocol/names.ts';
import type { Driver } from '../driver/driver.ts';
import { readMark } from '../files/plainFile.ts';
import { wakeLimit, type Held } from '../mailbox/held.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { sessionBinding } from './bindings.ts';

/** Earlier versions named no machine. */
const WAITER = /^(?<pid>\d+) (?<ticks>\d+) ?(?<machine>[0-9a-z.]+)?\n/;

/** The process in `waiters/<session>`, which waits to wake the session. It may have ended. */
export async function waiterOf(workspace: Workspace, session: SessionId): Promise<ProcessIdentity | undefined> {
	const holder = WAITER.exec((await readMark(join(workspace.paths.waiters, session))) ?? '')?.groups;
	return holder && processOf(holder);
}

/**
 * Why an idle session does not react to its bell: it does not watch the bell, and no process waits for it. Undefined if one of them does.
 */
export async function whyUnheard(
	workspace: Workspace,
	driver: Pick<Driver, 'id' | 'limits'> | undefined,
	session: SessionId,
): Promise<Held | undefined> {
	if ((await sessionBinding(workspace, session))?.watched) return undefined;
	const waiter = await waiterOf(workspace, session);
	if (waiter && liveness(waiter) !== 'dead') return undefined;
	return driver?.limits.wake === undefined ? { code: 'unheard' } : wakeLimit(driver);
}
