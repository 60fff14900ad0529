import type { Memento, MarkdownString, TreeView } from 'vscode';
import { l10n } from 'vscode';
import { Emitter } from '../../base/event.ts';
import { isPlumbing } from '../../core/traffic/plumbing.ts';
import type { SessionTraffic } from '../../core/live/sessionView.ts';
import type { Turn } from '../../core/traffic/node.ts';
import type { Folders } from '../folders.ts';
import { LiveTree } from '../kit/liveTree.ts';
import { plainLine } from '../kit/plain.ts';
import type { Row } from '../kit/row.ts';
import type { Folder } from '../ports.ts';
import { filterSession, isFiltering, NO_FILTER, type TrafficFilter } from './trafficFilter.ts';
import { NodeItem, NoteItem, notesOf, SessionItem, TurnItem, type TrafficElement } from './trafficItems.ts';
import { nodeHover, nodeRow, noteRow, sessionRow, turnRow, type Drawing } from './trafficRows.ts';
import { eventLabel } from './trafficWords.ts';

/** Only the age of a session changes by itself. */
const TICK_MS = 30_000;

/** Whether the user wants to see every event, in all windows. */
const SHOWS_ALL = 'traffic.showsAllEvents';

/** Sessions, their turns, and the events of each turn. Changes show at once. */
export class TrafficView extends LiveTree<TrafficElement> {
	private readonly _onDidChoose = new Emitter<void>();
	/** The filter is another one, or other kinds of events are shown. */
	readonly onDidChoose = this._onDidChoose.event;
	private current: TrafficFilter = NO_FILTER;

	constructor(
		private readonly folders: Folders,
		private readonly view: TreeView<unknown>,
		private readonly maximumSessions: () => number,
		private readonly memory: Memento,
	) {
		super(view, TICK_MS, folders.onDidChange);
	}

	get filter(): TrafficFilter {
		return this.current;
	}

	set filter(filter: TrafficFilter) {
		this.current = filter;
		const parts = [filter.task?.title, filter.event, filter.text === undefined ? undefined : `“${filter.text}”`];
		const words = parts.filter(part => part !== undefined).join(' · ');
		// Above the rows: in a panel, VS Code shows no description of a view that is alone.
		this.view.message = words === '' ? '' : plainLine(l10n.t('Only: {0}', words));
		this.choose();
	}

	get showsAll(): boolean {
		return this.memory.get(SHOWS_ALL) === true;
	}

	/** Shows every event, or only those that tell a person something. */
	async showAll(shows: boolean): Promise<void> {
		const stored = this.memory.update(SHOWS_ALL, shows);
		this.choose();
		await stored;
	}

	override dispose(): void {
		this._onDidChoose.dispose();
		super.dispose();
	}

	/** What the events that are shown now are called, for the user to choose from. */
	labels(): string[] {
		const sessions = this.folders.list().flatMap(folder => folder.sessions());
		const nodes = sessions.flatMap(({ turns }) => turns.flatMap(turn => this.shownOf(turn).nodes));
		return [...new Set(nodes.map(eventLabel))].toSorted();
	}

	protected childrenOf(parent: TrafficElement | undefined): TrafficElement[] {
		if (parent === undefined) return this.sessions();
		if (parent instanceof SessionItem) return this.turnsBelow(parent);
		if (parent instanceof TurnItem) return parent.turn.nodes.map(node => new NodeItem(parent, node));
		if (parent instanceof NodeItem) return notesOf(parent.node).map((note, at) => new NoteItem(parent, note, at));
		return [];
	}

	protected itemOf(element: TrafficElement): Row {
		if (element instanceof SessionItem) return sessionRow(element, this.drawing);
		if (element instanceof TurnItem) return turnRow(element, this.drawing);
		return element instanceof NodeItem ? nodeRow(element) : noteRow(element);
	}

	protected hoverOf(element: TrafficElement): MarkdownString | undefined {
		return element instanceof NodeItem ? nodeHover(element.node) : undefined;
	}

	private get drawing(): Drawing {
		const isOpen = isFiltering(this.current);
		return { salt: isOpen ? '//filtered' : '', isOpen };
	}

	private choose(): void {
		this.update();
		this._onDidChoose.fire();
	}

	/** In the order in which they began, so that no row moves while somebody looks. */
	private sessions(): SessionItem[] {
		const folders = this.folders.list();
		const found = folders
			.flatMap(folder => folder.sessions().map(whole => ({ folder, whole, traffic: this.filtered(whole) })))
			.filter(({ traffic }) => traffic !== undefined)
			.toSorted((a, b) => (a.whole.lastAt < b.whole.lastAt ? 1 : -1))
			.slice(0, this.maximumSessions())
			.toSorted((a, b) => (a.whole.startedAt < b.whole.startedAt ? 1 : -1));
		const ofWorker = new Map<string, number>();
		for (const { folder, whole } of found) {
			const worker = workerOf(folder, whole);
			ofWorker.set(worker, (ofWorker.get(worker) ?? 0) + 1);
		}
		return found.map(({ folder, whole, traffic }, at) => {
			const isOneOfSeveral = (ofWorker.get(workerOf(folder, whole)) ?? 0) > 1;
			const isFirst = at === 0 && folders.length === 1;
			return new SessionItem(folder, traffic ?? whole, whole.turns, isFirst, isOneOfSeveral);
		});
	}

	private filtered(whole: SessionTraffic): SessionTraffic | undefined {
		if (!isFiltering(this.current)) return whole;
		return filterSession({ ...whole, turns: whole.turns.map(turn => this.shownOf(turn)) }, this.current);
	}

	private turnsBelow(session: SessionItem): TurnItem[] {
		const places = new Map(session.turns.map(({ id }, place) => [id, place]));
		const shown = session.traffic.turns.map(turn => this.shownOf(turn)).filter(({ nodes }) => nodes.length > 0);
		return shown
			.map((turn, at) => {
				const place = places.get(turn.id) ?? -1;
				const [before, whole] = [session.turns[place - 1], session.turns[place] ?? turn];
				return new TurnItem(session, turn, whole, before, at === shown.length - 1);
			})
			.toReversed();
	}

	private shownOf(turn: Turn): Turn {
		return this.showsAll ? turn : { ...turn, nodes: turn.nodes.filter(node => !isPlumbing(node)) };
	}
}

function workerOf(folder: Folder, { address, session }: SessionTraffic): string {
	return [folder.path, ...(address ? [address.task, address.worker] : [session])].join('//');
}
