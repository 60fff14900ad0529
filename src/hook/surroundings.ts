import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { Tickets } from '../core/delegates/tickets.ts';
import type { Surroundings } from '../core/questions/risks.ts';
import { sealedSession } from '../core/workspace/sealedSessions.ts';
import type { Workspace } from '../core/workspace/workspace.ts';
import { TaskWorktrees } from '../core/worktrees/taskWorktrees.ts';
import { drivers } from '../drivers/index.ts';
import type { DelegateId } from '../protocol/delegate.ts';
import type { SessionId } from '../protocol/names.ts';
import { idOfBranch } from '../protocol/worktree.ts';

interface Where {
	workspace: Workspace;
	session: SessionId;
	delegate: DelegateId | undefined;
	env: Readonly<Record<string, string | undefined>>;
}

/** Where the agent of a session works: its workspace, and its own worktree by the user's sealed records. */
export async function surroundingsOf({ workspace, session, delegate, env }: Where): Promise<Surroundings> {
	const worktree =
		delegate === undefined ? await taskWorktree(workspace, session) : await ofDelegate(workspace, delegate);
	return {
		folders: [workspace.folder, ...(worktree === undefined ? [] : [worktree])],
		home: env['HOME'] || homedir(),
		settings: drivers.flatMap(({ executableSettings }) => executableSettings.map(each => basename(each))),
	};
}

async function ofDelegate({ own, folder }: Workspace, id: DelegateId): Promise<string | undefined> {
	return (await new Tickets(own.dataFolder, folder).worktree(id))?.folder;
}

/** The worker's record, which agents can write, only names it. */
async function taskWorktree(workspace: Workspace, session: SessionId): Promise<string | undefined> {
	const mailbox = sealedSession(workspace.own, session);
	const record = mailbox && (await workspace.worker(mailbox).catch(() => undefined));
	const worktree = record && new TaskWorktrees(workspace.own).ofWorkerSync(record);
	return worktree && join(`${worktree.repository}.worktrees`, idOfBranch(worktree.branch));
}
