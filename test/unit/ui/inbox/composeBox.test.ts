import { beforeEach, describe, expect, it } from 'vitest';
import { EMPTY_DRAFT, type Draft } from '../../../../src/protocol/compose.ts';
import { ComposeBox } from '../../../../src/ui/inbox/composeBox.ts';
import { ComposeDrafts } from '../../../../src/ui/inbox/composeDrafts.ts';
import { jsonMemory } from '../../../support/jsonMemory.ts';

const words = (text: string): Draft => ({ ...EMPTY_DRAFT, text });

/** A page as the script in the webview is one: it has what it was filled with last, and tells of what is typed with that. */
class Page {
	filling = 0;
	draft = EMPTY_DRAFT;
	isEdit = false;
	/** How often the page was told whom it writes to, without the words for them. */
	toldAlone = 0;
	readonly drafts = new ComposeDrafts(jsonMemory());
	readonly box = new ComposeBox<string>(this.drafts, {
		showState: () => this.toldAlone++,
		fill: () => ({ filling: this.filling, draft: this.draft, isEdit: this.isEdit } = this.box.content),
	});

	type(text: string): void {
		this.draft = { ...this.draft, text };
		this.box.changed(this.filling, this.draft);
	}
}

let page: Page;
let box: ComposeBox<string>;
beforeEach(() => {
	page = new Page();
	({ box } = page);
	return () => page.drafts.dispose();
});

describe('the recipients of what is written', () => {
	it('change on the page together with the words for them, so that nothing typed in between is lost', () => {
		box.follow(['a', 'b'], 'a');
		box.choose(['b']);
		box.edit('queued', 'a', words('queued before'));
		expect(page.toldAlone).toBe(0);
		expect(page.filling).toBeGreaterThan(0);
	});

	it('are whom the user looks at, until something is written', () => {
		box.follow(['a', 'b'], 'a');
		expect(box.keys).toEqual(['a']);
		box.follow(['a', 'b'], 'b');
		expect(box.keys).toEqual(['b']);
		page.type('for b');
		box.follow(['a', 'b'], 'a');
		expect([box.keys, page.draft.text]).toEqual([['b'], 'for b']);
	});

	it('have the words that wait for them, and those that were just written stay for theirs', () => {
		box.follow(['a', 'b'], 'a');
		page.type('for a');
		box.open(['b'], undefined);
		page.type('for b');
		box.choose(['a']);
		expect([box.keys, page.draft.text]).toEqual([['a'], 'for a']);
		box.choose(['b']);
		expect([box.keys, page.draft.text]).toEqual([['b'], 'for b']);
	});

	it('stay after they are gone, for nobody else gets the words', () => {
		box.follow(['a', 'b'], 'a');
		page.type('for a');
		box.follow(['b'], 'b');
		expect([box.keys, page.draft.text]).toEqual([['a'], 'for a']);
		page.type('');
		box.follow(['b'], 'b');
		expect(box.keys).toEqual(['b']);
	});

	it.each(['that is gone', 'that is still there'])(
		'come back with the words that were on their way for a worker %s',
		which => {
			box.follow(['a', 'b'], 'a');
			const { filling } = page;
			box.follow(which === 'that is gone' ? ['b'] : ['a', 'b'], 'b');
			expect([box.keys, page.draft.text]).toEqual([['b'], '']);
			box.changed(filling, words('for a'));
			expect([box.keys, page.draft.text]).toEqual([['a'], 'for a']);
			page.type('for a, and more');
			box.changed(filling, words('late'));
			expect([box.keys, page.draft.text]).toEqual([['a'], 'for a, and more']);
		},
	);

	it('stay with what was written for them since, whatever comes late', () => {
		box.follow(['a', 'b'], 'a');
		const { filling } = page;
		box.follow(['a', 'b'], 'b');
		page.type('for b');
		box.changed(filling, words('for a'));
		expect([box.keys, page.draft.text]).toEqual([['b'], 'for b']);
	});

	it('are not forgotten while the folders are not read yet', () => {
		box.open(['a'], undefined);
		box.follow([], undefined);
		expect(box.keys).toEqual(['a']);
	});

	it('that the user chooses get the words, and the others none', () => {
		box.follow(['a', 'b'], 'a');
		page.type('words');
		box.choose(['a', 'b']);
		expect([box.keys, page.drafts.get(['a']), page.drafts.get(['a', 'b'])?.text]).toEqual([
			['a', 'b'],
			undefined,
			'words',
		]);
	});

	it('each keep their words', () => {
		box.open(['a'], undefined);
		page.type('for a');
		box.open(['b'], 'a question');
		expect([page.draft.text, box.reply]).toEqual(['', 'a question']);
		page.type('for b');
		box.open(['a'], undefined);
		expect([page.draft.text, box.reply]).toEqual(['for a', undefined]);
	});

	it('follow the user’s look again after a reply was dropped', () => {
		box.open(['a'], 'a question');
		box.follow(['a', 'b'], 'b');
		expect(box.keys).toEqual(['a']);
		box.dropReply();
		box.follow(['a', 'b'], 'b');
		expect([box.keys, box.reply]).toEqual([['b'], undefined]);
	});
});

describe('words on their way from the page', () => {
	it('are not taken for those of another filling', () => {
		box.open(['a'], undefined);
		const early = page.filling;
		box.open(['b'], undefined);
		box.changed(early, words('for a'));
		expect([page.drafts.get(['a']), page.drafts.get(['b'])]).toEqual([undefined, undefined]);
	});

	it('are not overwritten by the same recipients once more', () => {
		box.open(['a'], undefined);
		const before = page.filling;
		box.open(['a'], 'a question');
		expect(page.filling).toBe(before);
	});
});

describe('sending', () => {
	it('empties the box, and leaves other words that were written meanwhile', () => {
		box.open(['a'], 'a question');
		page.type('first');
		box.sent(['a'], words('first'), []);
		expect([page.draft.text, box.reply, page.drafts.get(['a'])]).toEqual(['', undefined, undefined]);
		page.type('second');
		box.open(['b'], undefined);
		page.type('for b');
		box.sent(['a'], words('second'), []);
		expect([page.draft.text, page.drafts.get(['a']), page.drafts.get(['b'])?.text]).toEqual([
			'for b',
			undefined,
			'for b',
		]);
	});

	it('leaves a draft of the same recipients that was written since', () => {
		box.open(['a'], undefined);
		page.type('newer');
		box.sent(['a'], words('older'), []);
		expect([page.draft.text, page.drafts.get(['a'])?.text]).toEqual(['newer', 'newer']);
	});

	it('leaves the words in the box for those who did not get them', () => {
		box.open(['a', 'b'], undefined);
		page.type('words');
		box.sent(['a', 'b'], words('words'), ['b']);
		expect([box.keys, page.draft.text, page.drafts.get(['b'])?.text]).toEqual([['b'], 'words', 'words']);
	});

	it('keeps the words of those who did not get them, unless they have others', () => {
		box.open(['b'], undefined);
		page.type('other');
		box.open(['c'], undefined);
		box.sent(['a'], words('lost'), ['a']);
		box.sent(['b', 'a'], words('lost too'), ['b']);
		expect([page.drafts.get(['a'])?.text, page.drafts.get(['b'])?.text, box.keys]).toEqual([
			'lost',
			'other',
			['c'],
		]);
	});

	it('does not touch an edit that was begun meanwhile', () => {
		box.open(['a'], undefined);
		page.type('words');
		box.edit('message', 'a', words('queued'));
		page.type('queued and changed');
		const before = page.filling;
		box.sent(['a'], words('words'), []);
		expect([page.draft.text, page.filling, page.isEdit]).toEqual(['queued and changed', before, true]);
		box.dropEdit();
		expect([page.draft.text, page.isEdit]).toEqual(['', false]);
	});
});

describe('an edit', () => {
	it('gives the draft back that was there before', () => {
		box.open(['a'], undefined);
		page.type('a draft');
		box.edit('message', 'b', words('queued'));
		expect([page.draft.text, page.isEdit]).toEqual(['queued', true]);
		page.type('changed');
		expect([box.hasChangedEdit, page.drafts.get(['b'])]).toEqual([true, undefined]);
		box.dropEdit();
		expect([page.draft.text, page.isEdit, box.keys]).toEqual(['a draft', false, ['a']]);
	});

	it('has nothing to lose unless its words have changed', () => {
		box.edit('message', 'a', words('queued'));
		expect(box.hasChangedEdit).toBe(false);
		page.type('changed');
		page.type('queued');
		expect(box.hasChangedEdit).toBe(false);
	});

	it('becomes a draft for the same worker, unless that has one', () => {
		box.open(['a'], undefined);
		box.edit('message', 'a', words('queued'));
		page.type('changed');
		expect(box.editing && box.keepEdit(box.editing)).toBe(true);
		box.edit('another', 'a', words('queued too'));
		page.type('changed too');
		expect(box.editing && box.keepEdit(box.editing)).toBe(false);
		box.dropEdit();
		expect([page.draft.text, page.drafts.get(['a'])?.text]).toEqual(['changed', 'changed']);
	});

	it('that was left while it was saved is no draft', () => {
		box.edit('message', 'a', words('queued'));
		page.type('changed');
		const edit = box.editing;
		if (!edit) throw new Error('no edit');
		box.keepEdit(edit);
		box.open(['a'], 'a question');
		expect(page.draft.text).toBe('changed');
		box.saved(edit, words('changed'));
		expect([page.draft.text, page.drafts.get(['a'])]).toEqual(['', undefined]);
	});

	it('ends once it is saved, unless another one was begun', () => {
		box.edit('first', 'a', words('one'));
		const first = box.editing;
		box.edit('second', 'a', words('two'));
		if (!first) throw new Error('no edit');
		box.saved(first, words('one'));
		expect([page.draft.text, box.editing?.item]).toEqual(['two', 'second']);
		if (box.editing) box.saved(box.editing, words('two'));
		expect([page.isEdit, box.editing]).toEqual([false, undefined]);
	});

	it('takes no other recipients', () => {
		box.open(['a'], undefined);
		box.edit('message', 'a', words('queued'));
		box.choose(['b']);
		expect(box.keys).toEqual(['a']);
	});
});

it('begins with the draft of the window before', () => {
	const memory = jsonMemory();
	const before = new ComposeDrafts(memory);
	before.set(['a'], words('for a'));
	before.to = { keys: ['a'], isChosen: true };
	before.dispose();
	const drafts = new ComposeDrafts(memory);
	expect(new ComposeBox(drafts, { showState: () => {}, fill: () => {} }).content.draft.text).toBe('for a');
	drafts.dispose();
});
