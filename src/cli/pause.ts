import type { Disposable } from '../base/lifetime.ts';
import { watch } from '../core/watch.ts';
import type { Workspace } from '../core/workspace.ts';

/** No file tells that a process has ended, so look again this often. */
const SLOW_POLL_MS = 1000;

/** Lets a command sleep until something in `.nancy` changes. */
export class Changes implements Disposable {
	private readonly watcher: Disposable;
	private changed = false;
	private wake: () => void = () => {};

	constructor(workspace: Workspace) {
		this.watcher = watch(workspace.paths.root, () => this.interrupt());
	}

	/** Resolves at the next change, at one since the last call, or after a while; never later than `deadlineMs`. */
	async next(deadlineMs = Infinity): Promise<void> {
		if (!this.changed) {
			const waitMs = Math.max(0, Math.min(SLOW_POLL_MS, deadlineMs - Date.now()));
			await new Promise<void>(resolve => {
				const timer = setTimeout(resolve, waitMs);
				this.wake = () => {
					clearTimeout(timer);
					resolve();
				};
			});
		}
		this.changed = false;
	}

	/** Ends a wait at once, for example when the program is asked to end. */
	interrupt(): void {
		this.changed = true;
		this.wake();
	}

	dispose(): void {
		this.watcher.dispose();
	}
}
