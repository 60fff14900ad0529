import { join } from 'node:path';
import { fileNames } from '../../base/listing.ts';
import { look, stampOf } from '../../base/look.ts';
import { DelegateId } from '../../protocol/delegate.ts';
import { fileProblem, type FileProblem } from '../files/fileProblem.ts';
import { Questions } from '../questions/questions.ts';
import { swarmWorkers } from './swarm.ts';
import { isFinal, swarmFeatures, type Delegate } from './delegate.ts';
import type { Delegates } from './delegates.ts';
import { proved } from './reportable.ts';
import type { Tickets } from './tickets.ts';

/** How often to look at delegates that have ended, in milliseconds: only a late result or a merge changes one. */
const SETTLED_MS = 5000;
/** How many of them each look takes. With more, each has its turn in a later look, so that hundreds cost no more than some. */
const MOST_SETTLED = 50;

/** Two changes within this time may leave the same time at a folder, in milliseconds. */
const CLOCK_MS = 2000;

interface Mirrored {
	/** The look of its files when they were read. */
	look: string;
	delegate?: Delegate;
	problem?: FileProblem;
}

/** `.nancy/delegates` in memory, as last read. Reads again only the delegates whose files have changed. */
export class DelegateMirror {
	private known = new Map<DelegateId, Mirrored>();
	private foreign: Delegate[] = [];
	private list: readonly Delegate[] | undefined;
	private settledMs = -Infinity;
	/** The ids, as listed when the folder was last other than before. */
	private listed: { stamp: string; ids: readonly DelegateId[] } | undefined;
	/** How many of the ended delegates had their turn. */
	private turn = 0;

	constructor(
		private readonly store: Delegates,
		private readonly tickets: Tickets | undefined,
		private readonly now: () => number = Date.now,
	) {}

	/** Nancy's own, oldest first, then those of a swarm that works here. The same list until something has changed. */
	all(): readonly Delegate[] {
		return (this.list ??= [...this.own(), ...this.foreign]);
	}

	find(id: string): Delegate | undefined {
		const parsed = DelegateId.safeParse(id);
		return parsed.success ? this.known.get(parsed.data)?.delegate : undefined;
	}

	private own(): Delegate[] {
		return [...this.known.values()].flatMap(({ delegate }) => delegate ?? []);
	}

	problems(): FileProblem[] {
		return [...this.known.values()].map(({ problem }) => problem).filter(each => each !== undefined);
	}

	/** There is something that somebody has to look at: to start it, to find out that its runner died, or to report it. */
	hasUnsettled(): boolean {
		return this.own().some(({ state, status }) => !isFinal(state) || !status.reported);
	}

	/**
	 * @param isThorough looks at delegates that have ended, too
	 * @returns whether anything is other than it was
	 */
	async read(isThorough = false): Promise<boolean> {
		const { folder } = this.store;
		const before = this.known;
		const isDue = this.settledToLookAt(isThorough);
		// Put in place whole: somebody may look while it is being read.
		const after = new Map<DelegateId, Mirrored>();
		let isChanged = false;
		for (const id of await this.ids(isThorough)) {
			const known = before.get(id);
			const seen = known && isSettled(known) && !isDue(id) ? known.look : await this.lookOf(id);
			if (known?.look === seen) {
				after.set(id, known);
				continue;
			}
			isChanged = true;
			after.set(id, { look: seen, ...(await this.readOne(id, join(folder, `${id}.json`))) });
		}
		const own = [...after.values()].flatMap(({ delegate }) => delegate ?? []);
		const foreign = await swarmWorkers(this.store.workspace.folder, swarmFeatures(own));
		isChanged ||= JSON.stringify(foreign) !== JSON.stringify(this.foreign);
		this.foreign = foreign;
		this.known = after;
		isChanged ||= [...before.keys()].some(id => !after.has(id));
		if (isChanged) this.list = undefined;
		return isChanged;
	}

	/** Sorted. Listed again once a file came, went or was replaced, which the folder's time tells. */
	private async ids(isThorough: boolean): Promise<readonly DelegateId[]> {
		const { folder } = this.store;
		const found = await look(folder);
		const stamp = stampOf(found);
		if (!isThorough && this.listed && this.listed.stamp === stamp) return this.listed.ids;
		const isOld = found !== undefined && Date.now() - Number(found.mtimeNs / 1_000_000n) > CLOCK_MS;
		const names = (await fileNames(folder, '.json')).toSorted();
		const ids = names.flatMap(name => DelegateId.safeParse(name.slice(0, -'.json'.length)).data ?? []);
		this.listed = isOld ? { stamp, ids } : undefined;
		return ids;
	}

	/** The delegates that have ended and whose turn it is. */
	private settledToLookAt(isThorough: boolean): (id: DelegateId) => boolean {
		if (isThorough) return () => true;
		if (this.now() - this.settledMs < SETTLED_MS) return () => false;
		this.settledMs = this.now();
		const settled = [...this.known].filter(([, each]) => isSettled(each)).map(([id]) => id);
		if (this.turn >= settled.length) this.turn = 0;
		const due = new Set(settled.slice(this.turn, this.turn + MOST_SETTLED));
		this.turn += MOST_SETTLED;
		return id => due.has(id);
	}

	/** Taken before they are read: what changes meanwhile is read once more. */
	private async lookOf(id: DelegateId): Promise<string> {
		const looks = ['json', 'status', 'done'].map(async ending =>
			stampOf(await look(join(this.store.folder, `${id}.${ending}`))),
		);
		const merges = await this.tickets?.merges(id).look();
		const isElsewhere = this.known.get(id)?.delegate?.record.on !== undefined;
		const elsewhere = isElsewhere ? await this.tickets?.lookElsewhere(id) : '';
		return [...(await Promise.all(looks)), merges, elsewhere].join(' ');
	}

	private async readOne(id: DelegateId, file: string): Promise<Omit<Mirrored, 'look'>> {
		try {
			const delegate = await this.store.find(id);
			if (!delegate) return {};
			const asks = await this.asksOf(delegate);
			const told = asks.length > 0 ? { ...delegate, asks } : delegate;
			return { delegate: this.tickets ? await proved(this.tickets, told) : told };
		} catch (error) {
			return { problem: fileProblem(file, error) };
		}
	}

	/** Its status changes with its questions. Only the user's own records say what they are. */
	private async asksOf({ record, state, status }: Delegate): Promise<string[]> {
		if (state !== 'running' || status.asks === undefined) return [];
		const questions = await new Questions(this.store.workspace.own).ofDelegate(record.id);
		return questions.map(({ title }) => title);
	}
}

function isSettled({ delegate }: Mirrored): boolean {
	return delegate !== undefined && isFinal(delegate.state) && delegate.status.reported === true;
}
