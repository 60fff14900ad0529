import { Emitter } from '../base/event.ts';
import { DisposableStore, type Disposable } from '../base/lifetime.ts';
import { deskChange } from '../core/live/deskChanges.ts';
import { DeskView } from '../core/live/deskView.ts';
import type { WorkerAddress } from '../core/workspace/workspace.ts';
import type { DeskMessage, DeskPatch, DeskState, FolderId } from '../protocol/deskState.ts';
import type { Served } from './served.ts';

/** How long changes are gathered, in milliseconds. */
const GATHER_MS = 50;

export interface Step {
	readonly seq: number;
	readonly patch: DeskPatch;
}

interface Known {
	readonly seq: number;
	readonly state: DeskState;
	/** See {@link deskChange}. */
	readonly seen: ReadonlyMap<string, string>;
}

/** The state of the desk with its number, and what changes in it. While nobody looks, nothing is made. */
export class LiveState implements Disposable {
	private readonly owned = new DisposableStore();
	private readonly changed = this.owned.add(new Emitter<Step>());
	private known: Known | undefined;
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
	present(): Known {
		return this.known && !this.isStale ? this.known : this.look();
	}

	/** The messages that wait in a mailbox, oldest first. None if there is no such folder. */
	waiting(folder: FolderId, address: WorkerAddress): DeskMessage[] {
		const source = this.served.sources().find(({ id }) => id === folder);
		return source ? this.view.waiting(source, address) : [];
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

	private look(): Known {
		clearTimeout(this.timer);
		this.timer = undefined;
		this.isStale = false;
		const state = this.view.of(this.served.sources());
		const { seen, patch } = deskChange(this.known?.seen ?? new Map(), state);
		const seq = (this.known?.seq ?? 0) + (patch ? 1 : 0);
		this.known = { seq, state, seen };
		if (patch) this.changed.fire({ seq, patch });
		return this.known;
	}
}
