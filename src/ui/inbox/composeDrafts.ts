import type * as vscode from 'vscode';
import * as z from 'zod/mini';
import { Draft, EMPTY_DRAFT } from '../../protocol/compose.ts';

const MEMORY = 'nancy.compose';
/** More than these are hardly missed: the drafts that were changed longest ago are forgotten. */
const MOST = 30;
const SETTLES_MS = 100;

const To = z.object({
	/** Keys of workers. */
	keys: z.readonly(z.array(z.string())),
	/** The user chose them. They do not follow the selection. */
	isChosen: z.boolean(),
});
type To = z.infer<typeof To>;

const Kept = z.object({ to: To, drafts: z.array(z.tuple([z.string(), Draft])) });

/** What the user has begun to write, by recipients. It survives a reload of the window. */
export class ComposeDrafts implements vscode.Disposable {
	/** In the order of their last change. */
	private readonly drafts: Map<string, Draft>;
	private present: To;
	private timer: NodeJS.Timeout | undefined;

	constructor(private readonly memory: vscode.Memento) {
		const kept = Kept.safeParse(memory.get(MEMORY));
		this.drafts = new Map(kept.success ? kept.data.drafts : []);
		this.present = kept.success ? kept.data.to : { keys: [], isChosen: false };
	}

	/** The recipients of what is in the box. */
	get to(): To {
		return this.present;
	}

	set to(to: To) {
		this.present = to;
		this.storeSoon();
	}

	get(keys: readonly string[]): Draft | undefined {
		return this.drafts.get(nameOf(keys));
	}

	/** A draft without a text is none. */
	set(keys: readonly string[], draft: Draft): void {
		const name = nameOf(keys);
		const had = this.drafts.delete(name);
		if (draft.text !== '') this.drafts.set(name, draft);
		else if (!had) return;
		for (const oldest of this.drafts.keys()) {
			if (this.drafts.size <= MOST) break;
			this.drafts.delete(oldest);
		}
		this.storeSoon();
	}

	/** Forgets the draft of these recipients, unless other words were written to them since. */
	forgetSent(keys: readonly string[], { text }: Draft): void {
		if (this.get(keys)?.text === text) this.delete(keys);
	}

	/** Whether these are the recipients of what is in the box. */
	isTo(keys: readonly string[]): boolean {
		return nameOf(keys) === nameOf(this.present.keys);
	}

	delete(keys: readonly string[]): void {
		this.set(keys, EMPTY_DRAFT);
	}

	dispose(): void {
		if (this.timer) this.store();
	}

	/** Storing goes through the workbench: not at each key. */
	private storeSoon(): void {
		this.timer ??= setTimeout(() => this.store(), SETTLES_MS);
	}

	private store(): void {
		clearTimeout(this.timer);
		this.timer = undefined;
		void this.memory.update(MEMORY, { to: this.present, drafts: [...this.drafts] });
	}
}

function nameOf(keys: readonly string[]): string {
	return [...keys].toSorted().join('\n');
}
