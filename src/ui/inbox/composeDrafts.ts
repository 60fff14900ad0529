import type * as vscode from 'vscode';
import * as z from 'zod/mini';
import { Draft } from '../../protocol/compose.ts';

const MEMORY = 'nancy.compose.drafts';
/** More than these are hardly missed: the drafts that were changed longest ago are forgotten. */
const MOST = 30;
const SETTLES_MS = 300;

/** What the user has begun to write, by recipients. It survives a reload of the window. */
export class ComposeDrafts implements vscode.Disposable {
	/** In the order of their last change. */
	private readonly drafts: Map<string, Draft>;
	private timer: NodeJS.Timeout | undefined;

	constructor(private readonly memory: vscode.Memento) {
		const kept = z.array(z.tuple([z.string(), Draft])).safeParse(memory.get(MEMORY));
		this.drafts = new Map(kept.success ? kept.data : []);
	}

	get(to: readonly string[]): Draft | undefined {
		return this.drafts.get(nameOf(to));
	}

	/** A draft without a text is none. */
	set(to: readonly string[], draft: Draft): void {
		const name = nameOf(to);
		const had = this.drafts.delete(name);
		if (draft.text !== '') this.drafts.set(name, draft);
		else if (!had) return;
		for (const oldest of this.drafts.keys()) {
			if (this.drafts.size <= MOST) break;
			this.drafts.delete(oldest);
		}
		// Storing goes through the workbench: not at each key.
		this.timer ??= setTimeout(() => this.store(), SETTLES_MS);
	}

	dispose(): void {
		if (this.timer) this.store();
	}

	private store(): void {
		clearTimeout(this.timer);
		this.timer = undefined;
		void this.memory.update(MEMORY, [...this.drafts]);
	}
}

function nameOf(to: readonly string[]): string {
	return [...to].toSorted().join('\n');
}
