import { expect, it } from 'vitest';
import { EMPTY_DRAFT, type Draft } from '../../../../src/protocol/compose.ts';
import { ComposeDrafts } from '../../../../src/ui/inbox/composeDrafts.ts';
import { jsonMemory } from '../../../support/jsonMemory.ts';

function draft(text: string): Draft {
	return { ...EMPTY_DRAFT, kind: 'feedback', text };
}

/** What a window finds after `change` was made in the one before. */
function afterReload(change: (drafts: ComposeDrafts) => void): ComposeDrafts {
	const shared = jsonMemory();
	const before = new ComposeDrafts(shared);
	change(before);
	before.dispose();
	return new ComposeDrafts(shared);
}

it('keeps a draft for each set of recipients, in whatever order they are named', () => {
	const drafts = afterReload(before => {
		before.set(['a'], draft('for a'));
		before.set(['b', 'a'], draft('for both'));
		before.to = { keys: ['a'], isChosen: true };
	});
	expect(drafts.get(['a'])).toEqual(draft('for a'));
	expect(drafts.get(['a', 'b'])).toEqual(draft('for both'));
	expect(drafts.get(['b'])).toBeUndefined();
	expect(drafts.to).toEqual({ keys: ['a'], isChosen: true });
});

it('forgets a draft without a text, and the one that was changed longest ago when there are too many', () => {
	const drafts = afterReload(before => {
		for (let at = 0; at < 31; at++) before.set([`w${at}`], draft('words'));
		before.set(['w1'], draft('newer words'));
		before.set(['w2'], draft(''));
		before.set(['w31'], draft('words'));
		before.set(['w32'], draft('words'));
	});
	expect([0, 1, 2, 3, 4, 31, 32].map(at => drafts.get([`w${at}`])?.text)).toEqual([
		undefined,
		'newer words',
		undefined,
		undefined,
		'words',
		'words',
		'words',
	]);
});

it('begins anew where the memory holds something else', () => {
	const shared = jsonMemory();
	void shared.update('nancy.compose', { of: 'an earlier version' });
	const drafts = new ComposeDrafts(shared);
	expect([drafts.get(['a']), drafts.to]).toEqual([undefined, { keys: [], isChosen: false }]);
});

it('forgets what was sent, but not what was written to the same recipients since, nor to others', () => {
	const drafts = new ComposeDrafts(jsonMemory());
	drafts.set(['a', 'b'], draft('sent'));
	drafts.set(['c'], draft('sent'));
	drafts.forgetSent(['b', 'a'], draft('sent'));
	expect([drafts.get(['a', 'b']), drafts.get(['c'])]).toEqual([undefined, draft('sent')]);
	drafts.set(['a'], draft('written since'));
	drafts.forgetSent(['a'], draft('sent'));
	expect(drafts.get(['a'])).toEqual(draft('written since'));
});

it('knows the recipients of the box, in whatever order they are named', () => {
	const drafts = new ComposeDrafts(jsonMemory());
	drafts.to = { keys: ['a', 'b'], isChosen: true };
	expect([drafts.isTo(['b', 'a']), drafts.isTo(['a'])]).toEqual([true, false]);
});
