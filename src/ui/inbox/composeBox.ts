import { EMPTY_DRAFT, type Draft } from '../../protocol/compose.ts';
import type { ComposeDrafts } from './composeDrafts.ts';

/** A queued message in the box. */
export interface Edit<I> {
	readonly item: I;
	/** The key of its reader. */
	readonly key: string;
	readonly was: Draft;
	draft: Draft;
}

interface Page {
	/** Shows what is around the text. */
	showState(): void;
	/** Replaces the text and what is around it. */
	fill(): void;
}

/**
 * What the box holds, and for whom: a draft for its recipients, and over it perhaps a queued message that is edited. The user types, sends,
 * saves and chooses while earlier acts are still under way, and workers come and go. So each act names the words that it is about.
 */
export class ComposeBox<I> {
	/** Counts what the page was filled with. */
	private filling = 0;
	private draft: Draft;
	private replied: string | undefined;
	private edited: Edit<I> | undefined;
	/** Whom the selection and the terminals suggested last. */
	private suggested: string | undefined;
	/** What the page was filled with before the user's look alone changed the recipients. Words for it may be on their way. */
	private left: { filling: number; to: ComposeDrafts['to'] } | undefined;

	constructor(
		private readonly drafts: ComposeDrafts,
		private readonly page: Page,
	) {
		this.draft = drafts.get(drafts.to.keys) ?? EMPTY_DRAFT;
	}

	/** What the page is filled with. */
	get content(): { filling: number; draft: Draft; isEdit: boolean } {
		const { filling, edited } = this;
		return { filling, draft: edited?.draft ?? this.draft, isEdit: edited !== undefined };
	}

	/** The recipients of the draft. */
	get keys(): readonly string[] {
		return this.drafts.to.keys;
	}

	/** What is answered, in a line. */
	get reply(): string | undefined {
		return this.replied;
	}

	get editing(): Edit<I> | undefined {
		return this.edited;
	}

	/** The page may have missed what it was filled with. */
	fill(): void {
		this.filling++;
		this.left = undefined;
		this.page.fill();
	}

	/** @param reply what the recipients wrote */
	open(keys: readonly string[], reply: string | undefined): void {
		// The page has the words for these recipients already, and perhaps newer ones than are known here.
		const isThere = this.edited === undefined && this.drafts.isTo(keys);
		this.edited = undefined;
		this.replied = reply;
		if (!isThere) return this.address(keys, true);
		this.drafts.to = { keys, isChosen: true };
		this.page.showState();
	}

	edit(item: I, key: string, was: Draft): void {
		this.edited = { item, key, was, draft: was };
		this.fill();
	}

	/** The user has written. */
	changed(filling: number, draft: Draft): void {
		const { left } = this;
		if (filling !== this.filling && filling !== left?.filling) return;
		this.left = undefined;
		if (filling !== this.filling) {
			if (left && draft.text !== '') this.giveBack(left.to, draft);
			return;
		}
		if (this.edited) {
			this.edited.draft = draft;
			return;
		}
		this.draft = draft;
		this.drafts.set(this.keys, draft);
	}

	/**
	 * Addresses whom the user looks at, unless the user has chosen, or has begun to write.
	 * @param all every worker; none if the folders are not read yet
	 */
	follow(all: readonly string[], suggestion: string | undefined): void {
		const isFree = this.draft.text === '' && this.replied === undefined && !this.edited;
		const before = { filling: this.filling, to: this.drafts.to };
		// Words keep their recipients, also after these are gone: nobody else gets them.
		if (all.length > 0 && isFree) this.forgetGone(all);
		const isNew = suggestion !== this.suggested || this.keys.length === 0;
		this.suggested = suggestion;
		if (!isFree || this.drafts.to.isChosen || !isNew || suggestion === undefined) return this.page.showState();
		this.address([suggestion], false);
		this.left = before;
	}

	/** The words go to the recipients that the user has chosen. */
	choose(keys: readonly string[]): void {
		if (this.edited) return;
		this.replied = undefined;
		// Words that wait for these recipients are shown, and these ones stay for theirs.
		const isOther = !this.drafts.isTo(keys) && this.drafts.get(keys) !== undefined;
		if (this.draft.text === '' || isOther) return this.address(keys, true);
		this.drafts.delete(this.keys);
		this.drafts.set(keys, this.draft);
		this.drafts.to = { keys, isChosen: true };
		this.page.showState();
	}

	/** From now on nothing is answered, and the recipients follow the selection again. */
	dropReply(): void {
		this.replied = undefined;
		this.suggested = undefined;
		this.unchoose();
	}

	/** Back to the draft. */
	dropEdit(): void {
		this.edited = undefined;
		this.fill();
	}

	/** Whether words would be lost with the edit. */
	get hasChangedEdit(): boolean {
		const { edited } = this;
		return edited !== undefined && edited.draft.text !== edited.was.text;
	}

	/** Makes the words of the edit a draft for the same worker. @returns false if it has one */
	keepEdit({ key, draft }: Edit<I>): boolean {
		return this.keep([key], draft);
	}

	/**
	 * A message was queued.
	 * @param left the recipients for whom that failed, who keep the words
	 */
	sent(keys: readonly string[], draft: Draft, left: readonly string[]): void {
		// Also below an edit.
		const isShown = this.drafts.isTo(keys) && this.draft.text === draft.text;
		this.drafts.forgetSent(keys, draft);
		if (!isShown) {
			if (left.length > 0) this.keep(left, draft);
			return;
		}
		if (left.length > 0) {
			this.drafts.set(left, draft);
			this.drafts.to = { keys: left, isChosen: true };
			this.draft = draft;
		} else {
			this.unchoose();
			this.draft = { ...EMPTY_DRAFT, kind: draft.kind };
		}
		// An edit that was begun while the message was sent stays as it is.
		if (this.edited) return;
		if (left.length === 0) this.replied = undefined;
		this.fill();
	}

	/** An edit that was left while it was saved has become a draft. */
	saved(edit: Edit<I>, draft: Draft): void {
		if (this.edited === edit) {
			this.edited = undefined;
			this.fill();
			return;
		}
		const isShown = this.drafts.isTo([edit.key]) && this.draft.text === draft.text && !this.edited;
		this.drafts.forgetSent([edit.key], draft);
		if (isShown) this.address([edit.key], this.drafts.to.isChosen);
	}

	private address(keys: readonly string[], isChosen: boolean): void {
		this.drafts.to = { keys, isChosen: isChosen && keys.length > 0 };
		this.draft = this.drafts.get(keys) ?? { ...EMPTY_DRAFT, kind: this.draft.kind };
		this.fill();
	}

	/** The user had begun to write when nobody here knew. */
	private giveBack(to: ComposeDrafts['to'], draft: Draft): void {
		this.drafts.to = to;
		this.draft = draft;
		this.drafts.set(to.keys, draft);
		this.fill();
	}

	private forgetGone(all: readonly string[]): void {
		const { keys, isChosen } = this.drafts.to;
		const known = keys.filter(key => all.includes(key));
		if (known.length < keys.length) this.drafts.to = { keys: known, isChosen: isChosen && known.length > 0 };
	}

	private unchoose(): void {
		this.drafts.to = { ...this.drafts.to, isChosen: false };
	}

	private keep(keys: readonly string[], draft: Draft): boolean {
		if (this.drafts.get(keys)) return false;
		this.drafts.set(keys, draft);
		if (this.drafts.isTo(keys)) this.draft = draft;
		return true;
	}
}
