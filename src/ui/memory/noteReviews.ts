import * as vscode from 'vscode';
import { l10n } from 'vscode';
import * as z from 'zod/mini';
import { fnvOf } from '../../base/fnv.ts';
import { NewestMap } from '../../base/newestMap.ts';
import { visible } from '../../base/visible.ts';
import { NoteId, ProjectName } from '../../protocol/memoryNames.ts';
import type { ContextKeys } from '../contextKeys.ts';
import { SCHEMES } from '../contributions.ts';
import type { Failures } from '../kit/failures.ts';
import { plainLine } from '../kit/plain.ts';
import { proposalItems, type ProposalItem } from './memoryItems.ts';
import type { MemoryOperations } from './memoryPorts.ts';
import { proposedWords, reasonWords } from './memoryWords.ts';
import { commonLines, withLine } from './notePlaces.ts';
import type { Remembered } from './remembered.ts';

/** What the query of a side's address says. `is` tells one state of the file from another. */
const Address = z.object({ project: ProjectName, id: NoteId, side: z.enum(['before', 'after']), is: z.number() });
type Address = z.infer<typeof Address>;

/** Texts that are kept: VS Code asks again for one whose editor it brings back. */
const MOST_TEXTS = 40;

/**
 * Each update that waits, as a comparison of its notes file. Above the change, both sides say why it waits. They are read-only, and nothing in
 * them is a link.
 */
export class NoteReviews implements vscode.Disposable {
	private readonly texts = new NewestMap<string, string>(MOST_TEXTS);
	private readonly following: vscode.Disposable;

	constructor(
		private readonly remembered: Remembered,
		private readonly operations: Pick<MemoryOperations, 'proposal'>,
		private readonly keys: ContextKeys,
		private readonly failures: Pick<Failures, 'background'>,
	) {
		const { tabGroups } = vscode.window;
		const look = () => this.keys.set('showsProposal', this.active() !== undefined);
		this.following = vscode.Disposable.from(
			tabGroups.onDidChangeTabs(look),
			tabGroups.onDidChangeTabGroups(look),
			remembered.onDidChange(() => {
				this.closeDecided();
				look();
			}),
		);
		look();
	}

	dispose(): void {
		this.following.dispose();
	}

	async open(item: ProposalItem): Promise<void> {
		const { of, waiting } = item;
		const { file, before, after } = await this.operations.proposal(of.project.project, waiting.id);
		const line = commonLines(before, after);
		const is = fnvOf(`${before}\n${after}`);
		const uriOf = (side: Address['side'], text: string) => {
			const address: Address = { project: of.project.project, id: waiting.id, side, is };
			const name = file.replace(/\.md$/, '.nancy-note');
			// The path tells the manifest what can be done.
			const path = `/${waiting.id}/${waiting.what}/${name}`;
			const uri = vscode.Uri.from({ scheme: SCHEMES.note, path, query: JSON.stringify(address) });
			this.texts.set(uri.toString(), visible(withLine(text, line, waitsWords(item))));
			return uri;
		};
		const label = plainLine(`${file} · ${proposedWords(waiting.what)}`);
		const [left, right] = [uriOf('before', before), uriOf('after', after)];
		const options = { preview: true, selection: new vscode.Range(line, 0, line, 0) };
		await vscode.commands.executeCommand('vscode.diff', left, right, label, options);
	}

	/** The text of one side. */
	async text(uri: vscode.Uri): Promise<string> {
		const known = this.texts.get(uri.toString());
		if (known !== undefined) return known;
		const address = addressOf(uri);
		if (!address) return '';
		const { project, id, side } = address;
		const found = await this.operations.proposal(project, id).catch(() => undefined);
		// A window that has just begun knows of nothing yet.
		await this.remembered.refresh();
		const item = this.itemOf(address);
		const why = item ? waitsWords(item) : '';
		return found
			? visible(withLine(found[side], commonLines(found.before, found.after), why))
			: l10n.t('This proposal is gone: it was decided.');
	}

	/** What the active tab shows. */
	active(): ProposalItem | undefined {
		const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
		return tab && this.itemOf(shownIn(tab));
	}

	/** The one after the shown one, or the first. */
	next(): ProposalItem | undefined {
		const all = proposalItems(this.remembered.list());
		const shown = this.active()?.waiting.id;
		return all[(all.findIndex(({ waiting }) => waiting.id === shown) + 1) % all.length];
	}

	private itemOf(address: Address | undefined): ProposalItem | undefined {
		if (!address) return undefined;
		return proposalItems(this.remembered.list()).find(
			({ of, waiting }) => waiting.id === address.id && of.project.project === address.project,
		);
	}

	private closeDecided(): void {
		const tabs = vscode.window.tabGroups.all.flatMap(group => group.tabs);
		const decided = tabs.filter(tab => {
			const address = shownIn(tab);
			return address !== undefined && !this.itemOf(address);
		});
		if (decided.length > 0) this.failures.background(Promise.resolve(vscode.window.tabGroups.close(decided)));
	}
}

/** `Waits: tells an agent what to do. Task 3 quotes: “npm test fails”` */
export function waitsWords({ waiting }: ProposalItem): string {
	const why = l10n.t('» Waits: {0}.', waiting.held.map(reasonWords).join(', '));
	const quotes = waiting.evidence.map(({ quote }) => l10n.t('“{0}”', quote)).join(' ');
	return quotes === ''
		? `${why} ${l10n.t('From task {0}.', waiting.task)}`
		: `${why} ${l10n.t('Task {0} quotes: {1}', waiting.task, quotes)}`;
}

function shownIn({ input }: vscode.Tab): Address | undefined {
	return input instanceof vscode.TabInputTextDiff ? addressOf(input.modified) : undefined;
}

function addressOf({ scheme, query }: vscode.Uri): Address | undefined {
	if (scheme !== SCHEMES.note) return undefined;
	try {
		return Address.safeParse(JSON.parse(query)).data;
	} catch {
		return undefined;
	}
}
