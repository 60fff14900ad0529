import type { DelegateId } from '../../protocol/delegate.ts';
import type { SessionId } from '../../protocol/names.ts';
import type { Driver } from '../driver/driver.ts';
import { sealedSession } from '../workspace/sealedSessions.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { Delegates } from './delegates.ts';
import { ownRequest } from './ownRequest.ts';
import { Tickets } from './tickets.ts';

/**
 * The delegate that runs a session, if its permissions let it ask its user. The result is `asks-nobody` if they do not, and `undefined` for
 * a session of no running delegate. The user's sealed records alone decide: no variable and no file below the workspace makes another run
 * ask.
 */
export async function askingDelegate(
	workspace: Workspace,
	{ headless }: Pick<Driver, 'headless'>,
	session: SessionId,
): Promise<DelegateId | 'asks-nobody' | undefined> {
	const modes = headless === 'none' ? [] : headless.permissionModes.filter(({ asks }) => asks);
	const mailbox = sealedSession(workspace.own, session);
	if (!mailbox) return undefined;
	const tickets = new Tickets(workspace.own.dataFolder, workspace.folder);
	const running = await tickets.openAt(mailbox);
	for (const id of running) {
		const request = await ownRequest(new Delegates(workspace), tickets, id);
		if (modes.some(mode => mode.id === request?.record.permissions)) return id;
	}
	return running.length > 0 ? 'asks-nobody' : undefined;
}
