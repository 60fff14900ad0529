import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { DriverId, SessionId, TaskName, WorkerName } from '../../../src/protocol/names.ts';
import type { WorkerRecord } from '../../../src/protocol/records.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';
import { taskRecord } from '../../support/taskRecord.ts';

export const AGENT = DriverId.parse('test-agent');

/** A workspace on disk with tasks and workers, as if agents had been started in it. */
export class Project implements AsyncDisposable {
	readonly workspace: Workspace;

	/** @param dataFolder the user's, of the commands that run in it */
	constructor(
		private readonly folder: TempFolder = tempFolder(),
		dataFolder?: string,
	) {
		this.workspace = new Workspace(folder.path, dataFolder);
	}

	get path(): string {
		return this.folder.path;
	}

	async addTask(name: string): Promise<TaskName> {
		const task = TaskName.parse(name);
		await this.workspace.createTask(taskRecord(task, AGENT, { prompt: 'Do it.' }));
		return task;
	}

	async addWorker(task: TaskName, worker: string, more: Partial<WorkerRecord> = {}): Promise<WorkerName> {
		const name = WorkerName.parse(worker);
		const startedAt = new Date().toISOString();
		const sessions = [{ id: SessionId.parse(`session-${task}-${worker}`), startedAt }];
		await this.workspace.saveWorker({ version: 1, task, name, agent: AGENT, sessions, startedAt, ...more });
		return name;
	}

	/** What an agent in a terminal of Nancy's has in its environment. */
	terminal(task: TaskName, worker: string): Record<string, string> {
		return { NANCY_TASK_DIR: this.workspace.paths.task(task), NANCY_TASK: task, NANCY_WORKER: worker };
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.folder.remove();
	}
}
