import type * as vscode from 'vscode';
import { l10n } from 'vscode';
import type { WorkerAddress } from '../core/workspace/workspace.ts';
import type { Folders } from './folders.ts';
import { needsOf } from './needs.ts';
import type { Views } from './nancy.ts';
import type { Folder } from './ports.ts';
import { notice } from './settings.ts';

/** Counts on the Nancy icon what needs the human: questions, workers and delegates that ended unseen, and unread messages. */
export class Badges implements vscode.Disposable {
	private readonly stopped = new Set<string>();
	/** Delegates that ended while their view was out of sight. */
	private readonly ended = new Set<string>();
	private readonly owned: vscode.Disposable[] = [];

	constructor(
		private readonly folders: Folders,
		private readonly views: Views,
	) {
		this.owned.push(
			folders.onDidNeedAttention(({ folder, attention }) => {
				if (attention.kind === 'stopped') this.stopped.add(keyOf(folder, attention.address));
				const { delegate } = attention;
				if (delegate && !views.delegates.visible && notice('delegate', folder.path) !== 'off')
					this.ended.add(`${folder.path}//${delegate.id}`);
				this.show();
			}),
			views.delegates.onDidChangeVisibility(({ visible }) => {
				if (!visible) return;
				this.ended.clear();
				this.show();
			}),
			folders.onDidChange(() => this.show()),
		);
		this.show();
	}

	/** The human has looked at a worker. */
	seen(folder: Folder, address: WorkerAddress): void {
		if (this.stopped.delete(keyOf(folder, address))) this.show();
	}

	dispose(): void {
		for (const each of this.owned) each.dispose();
	}

	private show(): void {
		const { waiting } = needsOf(this.folders);
		const asking = waiting.filter(({ folder }) => notice('permission', folder.path) !== 'off').length;
		const stopped = this.countStopped();
		this.views.tasks.badge = badge(asking + stopped, l10n.t('{0} waiting, {1} stopped', asking, stopped));
		this.views.delegates.badge = badge(this.ended.size, l10n.t('{0} ended', this.ended.size));
		const unread = this.countUnread();
		this.views.inbox.badge = badge(unread, l10n.t('{0} unread', unread));
	}

	/** A worker that works again has been seen to. */
	private countStopped(): number {
		const resting = new Set<string>();
		for (const folder of this.folders.list()) {
			if (notice('stopped', folder.path) === 'off') continue;
			for (const { record, workers } of folder.overview().tasks) {
				for (const worker of workers) {
					const key = keyOf(folder, { task: record.name, worker: worker.record.name });
					if (worker.state.phase === 'idle') resting.add(key);
				}
			}
		}
		const gone = [...this.stopped].filter(key => !resting.has(key));
		for (const key of gone) this.stopped.delete(key);
		return this.stopped.size;
	}

	private countUnread(): number {
		let unread = 0;
		for (const folder of this.folders.list()) {
			if (notice('message', folder.path) === 'off') continue;
			for (const task of folder.overview().tasks) if (task.record.archivedAt === undefined) unread += task.unread;
		}
		return unread;
	}
}

function badge(value: number, tooltip: string): vscode.ViewBadge | undefined {
	return value === 0 ? undefined : { value, tooltip };
}

function keyOf({ path }: Folder, { task, worker }: WorkerAddress): string {
	return `${path}//${task}/${worker}`;
}
