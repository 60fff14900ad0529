import { Emitter } from '../base/event.ts';
import { DisposableStore, type Disposable } from '../base/lifetime.ts';
import { deskChange } from '../core/live/deskChanges.ts';
import { DeskView } from '../core/live/deskView.ts';
import type { DeskPatch, DeskState } from '../protocol/deskState.ts';
import type { Served } from './served.ts';

/** How long changes are gathered, in milliseconds. */
const GATHER_MS = 50;

export interface Step {
	readonly seq: number;
	readonly patch: DeskPatch;
}

/** The state of the desk with its number, and what changes in it. While nobody looks, nothing is made. */
export class LiveState implements Disposable {
	private readonly owned = new DisposableStore();
	private readonly changed = this.owned.add(new Emitter<Step>());
	private known: { seq: number; state: DeskState; seen: ReadonlyMap<string, string> } | undefined;
	private seq = 0;
	private isStale = true;
	private timer: NodeJS.Timeout | undefined;
	private lookers = 0;

	private readonly view: DeskView;

	constructor(private readonly served: Pick<Served, 'sources' | 'words' | 'onDidChange'>) {
		this.view = new DeskView(served.words);
		this.owned.add(
			served.onDidChange(() => {
				this.isStale = true;
				this.lookSoon();
			}),
		);
	}

	dispose(): void {
		clearTimeout(this.timer);
		this.owned.dispose();
	}

	/** As it is now. */
	present(): { seq: number; state: DeskState } {
		if (!this.known || this.isStale) this.look();
		const { seq = this.seq, state = this.view.of(this.served.sources()) } = this.known ?? {};
		return { seq, state };
	}

	/** From now on each change is told. */
	follow(listener: (step: Step) => void): Disposable {
		this.lookers++;
		const listening = this.changed.event(listener);
		return {
			dispose: () => {
				listening.dispose();
				this.lookers--;
			},
		};
	}

	private lookSoon(): void {
		if (this.lookers === 0) return;
		this.timer ??= setTimeout(() => this.look(), GATHER_MS).unref();
	}

	private look(): void {
		clearTimeout(this.timer);
		this.timer = undefined;
		this.isStale = false;
		const state = this.view.of(this.served.sources());
		const { seen, patch } = deskChange(this.known?.seen ?? new Map(), state);
		if (patch) this.seq++;
		this.known = { seq: this.seq, state, seen };
		if (patch) this.changed.fire({ seq: this.seq, patch });
	}
}
