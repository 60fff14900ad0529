import { stat } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import type { LiveDelegates } from './liveDelegates.ts';
import type { SessionMirror } from './sessionMirror.ts';
import type { TaskMirror } from './taskMirror.ts';
import type { Collector } from './collector.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Represents the whole folder among the changed folders. */
export const EVERYTHING = '*';

interface Mirrors {
	workspace: Workspace;
	tasks: TaskMirror;
	traffic: SessionMirror;
	delegates: LiveDelegates;
	collector: Collector;
	mayCollect: boolean;
	/** Called when the spool holds more than was collected. The spool is then read again, after the other changes. */
	onMore: () => void;
}

/** Brings changes in `.nancy` into memory, and nothing else. */
export class FolderReader {
	private isTheCollector = false;

	constructor(private readonly mirrors: Mirrors) {}

	/** Whether this process collected the newest events: then nobody else writes the traffic. */
	get isCollector(): boolean {
		return this.isTheCollector;
	}

	/** Whether anything is other than it was. */
	async read(folders: readonly string[]): Promise<boolean> {
		const { workspace, tasks, traffic, delegates } = this.mirrors;
		workspace.refuseLinks();
		const { paths } = workspace;
		if (folders.includes(EVERYTHING)) {
			// Present data is shown before a backlog is collected.
			const failures: unknown[] = [];
			const parts = [
				() => tasks.readAll(),
				() => this.followWorkers(),
				() => traffic.read(),
				() => delegates.read(true),
				() => this.collect(),
			];
			// A part that cannot be read keeps no other one.
			for (const part of parts) await part().catch((error: unknown) => failures.push(error));
			if (failures.length > 0) throw failures[0];
			return true;
		}
		let isChanged = false;
		let areTasksRead = false;
		if (folders.includes(paths.delegates)) isChanged = await delegates.read();
		if (folders.includes(paths.spool)) isChanged = (await this.collect()) || isChanged;
		if (folders.includes(paths.tasks)) {
			await tasks.readTasks();
			areTasksRead = true;
		}
		for (const folder of folders) {
			const segments = relative(paths.tasks, folder).split(sep);
			if (segments[0] === '..' || segments[0] === '') continue;
			await tasks.readFolder(segments);
			areTasksRead = true;
		}
		if (areTasksRead) await this.followWorkers();
		if (folders.includes(paths.traffic) || folders.includes(paths.sessions))
			isChanged = (await traffic.read()) || isChanged;
		return isChanged || areTasksRead;
	}

	private async collect(): Promise<boolean> {
		const { workspace, traffic, collector, mayCollect, onMore } = this.mirrors;
		// The collector's lock would make the folder. A workspace without Nancy stays unchanged.
		if (!mayCollect || !(await stat(workspace.paths.root).catch(() => undefined))) return false;
		const problems = collector.problems.length;
		const { isCollector, sessions, hasMore } = await collector.collectSome();
		this.isTheCollector = isCollector;
		if (hasMore) onMore();
		for (const session of sessions) await traffic.follow(session);
		return sessions.length > 0 || problems !== collector.problems.length;
	}

	/** The sessions of workers count, however old their last event is. */
	private async followWorkers(): Promise<void> {
		const { tasks, traffic } = this.mirrors;
		const present = new Set(tasks.workers().flatMap(({ sessions }) => sessions.at(-1)?.id ?? []));
		for (const session of present) if (!traffic.has(session)) await traffic.follow(session);
		traffic.keepOnly(present);
	}
}
