import { join } from 'node:path';
import type { MessageId, SessionId, TaskName, WorkerName } from '../../protocol/names.ts';

/** The paths below one workspace folder's `.nancy`. The only place that spells these names. */
export class NancyPaths {
	readonly root: string;
	private known: readonly string[] | undefined;

	constructor(readonly workspaceFolder: string) {
		this.root = join(workspaceFolder, '.nancy');
	}

	/** The process that keeps the mailboxes: see core/live/upkeep. */
	get upkeepLock(): string {
		return join(this.root, 'upkeep.lock');
	}
	/** `.nancy` and the folders directly in it: none of them may be a link. Cached, because a hook asks before everything else. */
	get folders(): readonly string[] {
		return (this.known ??= [
			this.root,
			this.tasks,
			this.spool,
			this.traffic,
			this.sessions,
			this.bells,
			this.phases,
			this.halts,
			this.waiters,
			this.agents,
			this.originals,
			this.delegates,
			this.launches,
			this.machines,
			this.memory,
		]);
	}
	/** The place of launch files in earlier versions. */
	get launches(): string {
		return join(this.root, 'launch');
	}
	get config(): string {
		return join(this.root, 'config.json');
	}
	get gitignore(): string {
		return join(this.root, '.gitignore');
	}
	get tasks(): string {
		return join(this.root, 'tasks');
	}
	get spool(): string {
		return join(this.root, 'spool');
	}
	get traffic(): string {
		return join(this.root, 'traffic');
	}
	/** `<session id>` files that bind a session to its mailbox: what the sh guard reads. */
	get sessions(): string {
		return join(this.root, 'sessions');
	}
	/** `<session id>` files that are touched to wake an idle session; each session watches its own. */
	get bells(): string {
		return join(this.root, 'bells');
	}
	/** `<session id>` files with the hooks' knowledge of a session's turn: see core/sessions/phase. */
	get phases(): string {
		return join(this.root, 'phases');
	}
	/** `<session id>` files that exist while the tool calls of a halted batch are being denied. */
	get halts(): string {
		return join(this.root, 'halts');
	}
	/** `<session id>` files that name the process that waits to wake the session. */
	get waiters(): string {
		return join(this.root, 'waiters');
	}
	/** Notes of earlier versions about agents' processes. */
	get agents(): string {
		return join(this.root, 'agents');
	}
	/** A file for each machine that is at work here: see core/files/leases. */
	get machines(): string {
		return join(this.root, 'machines');
	}
	/** Copies of notes that are too long for a hook's answer, for agents to read. */
	get memory(): string {
		return join(this.root, 'memory');
	}
	get delegates(): string {
		return join(this.root, 'delegates');
	}
	/** The place of copies of other tools' files in earlier versions. */
	get originals(): string {
		return join(this.root, 'deployed');
	}
	task(task: TaskName): string {
		return join(this.tasks, task);
	}
	taskRecord(task: TaskName): string {
		return join(this.task(task), 'task.json');
	}
	comms(task: TaskName): string {
		return join(this.task(task), 'comms');
	}
	workers(task: TaskName): string {
		return join(this.task(task), 'workers');
	}
	workerRecord(task: TaskName, worker: WorkerName): string {
		return join(this.workers(task), `${worker}.json`);
	}
	screens(task: TaskName): string {
		return join(this.task(task), 'screens');
	}
	screen(task: TaskName, worker: WorkerName): string {
		return join(this.screens(task), `${worker}.json`);
	}
	mailbox(task: TaskName, worker: WorkerName): string {
		return join(this.comms(task), worker);
	}
	session(session: SessionId): string {
		return join(this.sessions, session);
	}
	bell(session: SessionId): string {
		return join(this.bells, session);
	}
	trafficFile(session: SessionId): string {
		return join(this.traffic, `${session}.jsonl`);
	}
}

/** The file name of a message in any of a mailbox's folders. */
export function messageFile(id: MessageId): string {
	return `${id}.md`;
}
