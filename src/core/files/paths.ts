import { join } from 'node:path';
import { ORCHESTRATOR, type MessageId, type SessionId, type TaskName, type WorkerName } from '../../protocol/names.ts';

/** Where everything stands below one workspace folder's `.nancy` (design §3). The only place that spells these names. */
export class NancyPaths {
	readonly root: string;
	private known: readonly string[] | undefined;

	constructor(readonly workspaceFolder: string) {
		this.root = join(workspaceFolder, '.nancy');
	}

	/** Which process keeps the mailboxes: see core/upkeep. */
	get upkeepLock(): string {
		return join(this.root, 'upkeep.lock');
	}
	/** `.nancy` and the folders directly in it: none of them may be a link. Kept, for a hook asks before all that it does. */
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
		]);
	}
	/** Where earlier versions had the files that a launch points a CLI to. */
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
	/** `<session id>` files that say what hooks know of a session's turn: see core/phase. */
	get phases(): string {
		return join(this.root, 'phases');
	}
	/** `<session id>` files that are there while the tool calls of a halted batch are being denied. */
	get halts(): string {
		return join(this.root, 'halts');
	}
	/** `<session id>` files that say which process waits to wake the session. */
	get waiters(): string {
		return join(this.root, 'waiters');
	}
	/** `<pid>.json` files that say which worker a running agent process is. */
	get agents(): string {
		return join(this.root, 'agents');
	}
	/** A file for each machine that is at work here: see core/files/leases. */
	get machines(): string {
		return join(this.root, 'machines');
	}
	get delegates(): string {
		return join(this.root, 'delegates');
	}
	/** Where earlier versions kept copies of other tools' files. */
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
	mailbox(task: TaskName, worker: WorkerName): string {
		return join(this.comms(task), worker);
	}
	orchestratorMailbox(task: TaskName): string {
		return this.mailbox(task, ORCHESTRATOR);
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
