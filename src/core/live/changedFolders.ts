import type { Disposable } from '../../base/lifetime.ts';

/** The changed folders, read until none is left. One reading at a time covers all folders that changed meanwhile. */
export class ChangedFolders implements Disposable {
	private readonly changed = new Set<string>();
	private working: Promise<void> | undefined;
	private isOver = false;

	/** @param read must not reject */
	constructor(private readonly read: (folders: readonly string[]) => Promise<void>) {}

	dispose(): void {
		this.isOver = true;
	}

	/** Resolves when the present reading has ended. */
	async settled(): Promise<void> {
		await this.working;
	}

	touch(folders: Iterable<string>): void {
		if (this.isOver) return;
		for (const folder of folders) this.changed.add(folder);
		if (this.changed.size === 0) return;
		this.working ??= this.work().finally(() => {
			this.working = undefined;
			this.touch([]); // what was touched after the last look at what has changed
		});
	}

	private async work(): Promise<void> {
		await Promise.resolve(); // so that `working` is set before it is done
		while (this.changed.size > 0 && !this.isOver) {
			const folders = [...this.changed];
			this.changed.clear();
			await this.read(folders);
		}
	}
}
