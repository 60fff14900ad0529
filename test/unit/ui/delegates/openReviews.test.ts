import { mkdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { OpenReviews } from '../../../../src/ui/delegates/openReviews.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';

type Tabs = ConstructorParameters<typeof OpenReviews>[1];
type Item = Parameters<OpenReviews['add']>[1];
type Change = Parameters<Parameters<Tabs['onDidChangeTabs']>[0]>[0];
type Tab = Change['opened'][number];

/** Only its id and its state count. */
function item(id: string, state = 'done'): Item {
	return Object.assign(Object.create(null), { delegate: { record: { id }, state } });
}

function tab(label: string): Tab {
	return Object.assign(Object.create(null), { label });
}

let folder: TempFolder;
let watched: Set<string>;
let group: { tabs: Tab[]; activeTab?: Tab | undefined };
let changed: (change: Change) => void;
let showsReview: unknown;
let reviews: OpenReviews;

beforeEach(() => {
	folder = tempFolder();
	for (const name of ['a', 'b']) mkdirSync(folder.file(name));
	watched = new Set();
	group = { tabs: [] };
	const around: Tabs = Object.assign(Object.create(null), {
		all: [group],
		activeTabGroup: group,
		onDidChangeTabs: (listener: (change: Change) => void) => ((changed = listener), { dispose: () => undefined }),
		onDidChangeTabGroups: () => ({ dispose: () => undefined }),
	});
	const watch = (path: string) => (watched.add(path), { dispose: () => watched.delete(path) });
	reviews = new OpenReviews({ set: (_key, value) => (showsReview = value) }, around, watch);
});
afterEach(async () => {
	reviews.dispose();
	expect(watched).toEqual(new Set());
	await folder.remove();
});

const change = (opened: readonly Tab[], closed: readonly Tab[]) => changed({ opened, closed, changed: [] });

function opens(label: string): Tab {
	const opened = tab(`${label} (2 files)`);
	group.tabs.push(opened);
	group.activeTab = opened;
	change([opened], []);
	return opened;
}

function activeId(): string | undefined {
	const item = reviews.active();
	return item && 'delegate' in item ? item.delegate.record.id : undefined;
}

function closes(closed: Tab): void {
	group.tabs = group.tabs.filter(each => each !== closed);
	group.activeTab = group.tabs.at(-1);
	change([], [closed]);
}

it('has the files of open reviews watched, and of no others', () => {
	reviews.add('One', item('1'), folder.file('1'), [folder.file('a/x'), folder.file('b/y')]);
	const one = opens('One');
	reviews.add('Two', item('2'), folder.file('2'), [folder.file('a/z'), folder.file('gone/z')]);
	const two = opens('Two');
	expect(watched).toEqual(new Set([folder.file('a'), folder.file('b')]));
	closes(one);
	expect(watched).toEqual(new Set([folder.file('a')]));
	closes(two);
	expect(watched).toEqual(new Set());
	// The user opens the closed editor again.
	opens('One');
	expect(watched).toEqual(new Set([folder.file('a'), folder.file('b')]));
	expect(activeId()).toBe('1');
});

it('watches a review that is not open yet, and one that moves to another group', () => {
	reviews.add('One', item('1'), folder.file('1'), [folder.file('a/x')]);
	const other = opens('Another editor');
	closes(other);
	const one = opens('One');
	const moved = tab('One (2 files)');
	group.tabs = [moved];
	change([moved], [one]);
	expect(watched).toEqual(new Set([folder.file('a')]));
});

it('knows the delegate of the active tab, unless two share its label', () => {
	reviews.add('One', item('1'), folder.file('1'), [folder.file('a/x')]);
	opens('One');
	expect([activeId(), showsReview]).toEqual(['1', true]);
	reviews.add('One', item('2'), folder.file('2'), [folder.file('a/x')]);
	expect([reviews.active(), showsReview]).toEqual([undefined, false]);
});

it('knows whose open changes show a file: the active tab’s, or else the last ones', () => {
	const [shared, own] = [folder.file('a/x'), folder.file('b/y')];
	const idWith = (file: string) => {
		const found = reviews.lastWith(file);
		return found && 'delegate' in found ? found.delegate.record.id : undefined;
	};
	expect([reviews.shows(shared), idWith(shared)]).toEqual([false, undefined]);
	reviews.add('One', item('1'), folder.file('1'), [shared, own]);
	opens('One');
	reviews.add('Two', item('2'), folder.file('2'), [shared]);
	const two = opens('Two');
	expect([idWith(shared), idWith(own)]).toEqual(['2', '1']);
	group.activeTab = group.tabs[0];
	expect(idWith(shared)).toBe('1');
	opens('Another editor');
	expect(idWith(shared)).toBe('2');
	closes(two);
	expect([reviews.shows(shared), reviews.shows(folder.file('a/z'))]).toEqual([true, false]);
});

it('knows the files of two open tabs with one label, of the same changes', () => {
	reviews.add('x · One', item('1'), folder.file('1'), [folder.file('a/x')]);
	const first = opens('x · One');
	reviews.add('x · One', item('1'), folder.file('1'), [folder.file('b/x')]);
	const second = opens('x · One');
	const shown = () => ['a/x', 'b/x'].map(file => reviews.shows(folder.file(file)));
	expect(shown()).toEqual([true, true]);
	closes(second);
	expect(shown()).toEqual([true, true]);
	closes(first);
	expect(shown()).toEqual([false, false]);
	reviews.add('x · One', item('1'), folder.file('1'), [folder.file('b/x')]);
	expect(shown()).toEqual([false, true]);
	closes(opens('x · One'));
});

it('offers no merge of a task in the folder itself', () => {
	const worker = (worktree?: object): Item => Object.assign(Object.create(null), { worker: { worktree } });
	reviews.add('In a worktree', worker({}), folder.file('1'), [folder.file('a/x')]);
	opens('In a worktree');
	expect(showsReview).toBe(true);
	reviews.add('In the folder', worker(), folder.file('2'), [folder.file('a/x')]);
	opens('In the folder');
	expect(showsReview).toBe(false);
});
