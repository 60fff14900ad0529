import { join } from 'node:path';
import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { row, type Row } from '../kit/row.ts';
import { tooltip } from '../kit/tooltip.ts';
import type { ChangedFile, ChangesOf, Folder } from '../ports.ts';
import { lineNotes, lineWords, spokenLines } from '../useWords.ts';
import { rootOf } from './changesOf.ts';
import type { ShownChanges } from './knownChanges.ts';

/** The changed files below the row of a delegate or of a task's worker. */

/** What the rows of one list share. */
interface List {
	/** The element of the row above. */
	readonly owner: { readonly folder: Folder };
	/** The key of the row above. */
	readonly key: string;
	readonly of: ChangesOf;
	readonly changes: ShownChanges;
}

export class ChangedFileItem {
	constructor(
		readonly list: List,
		readonly file: ChangedFile,
	) {}

	/** Absolute. */
	get path(): string {
		return join(rootOf(this.list.owner.folder, this.list.of), this.file.path);
	}
}

/** Stands for the files that are not listed. */
export class MoreFilesItem {
	constructor(readonly list: List) {}
}

/** All of them in one row, where other rows stand beside it. */
export class ChangedFilesItem {
	constructor(
		readonly list: List,
		readonly isOpenAtFirst: boolean,
	) {}
}

export type ChangedFileElement = ChangedFileItem | MoreFilesItem;

/** The rows of a list, in git's order. */
export function changedFilesIn(list: List): ChangedFileElement[] {
	const { files, more } = list.changes;
	return [...files.map(file => new ChangedFileItem(list, file)), ...(more > 0 ? [new MoreFilesItem(list)] : [])];
}

/** The element whose changes a row belongs to; any other row itself. */
export function ownerOf(element: unknown): unknown {
	const isOfList =
		element instanceof ChangedFileItem || element instanceof MoreFilesItem || element instanceof ChangedFilesItem;
	return isOfList ? element.list.owner : element;
}

/** `timer.js   +12 −3 · src` */
export function changedFileRow(element: ChangedFileItem): Row {
	const { list, file } = element;
	const slash = file.path.lastIndexOf('/');
	const name = file.path.slice(slash + 1);
	const folder = file.path.slice(0, Math.max(slash, 0));
	const item = row(`${list.key}//:file/${file.path}`, name);
	item.contextValue = file.status === 'deleted' ? 'change.deleted' : 'change';
	item.iconPath = vscode.ThemeIcon.File;
	item.resourceUri = vscode.Uri.file(element.path).with({ scheme: DECORATED, query: file.status });
	const notes = file.lines ? lineNotes(file.lines) : [l10n.t('binary')];
	item.description = [...notes, folder].filter(Boolean).join(' · ');
	item.command = { command: 'nancy.openChange', title: l10n.t('Open Changes'), arguments: [element] };
	const spoken = file.lines ? spokenLines(file.lines) : [l10n.t('binary')];
	item.accessibilityInformation = {
		label: l10n.t('File {0}, {1}', name, [statusWords(file), ...spoken, folder].filter(Boolean).join(', ')),
	};
	return item;
}

export function changedFileHover({ file }: ChangedFileItem): vscode.MarkdownString {
	return tooltip(file.path, [
		[l10n.t('State'), statusWords(file)],
		[l10n.t('Changed'), file.lines ? lineWords(file.lines) : l10n.t('binary')],
	]);
}

export function moreFilesRow(element: MoreFilesItem): Row {
	const { list } = element;
	const { more } = list.changes;
	const item = row(`${list.key}//:more-files`, more === 1 ? l10n.t('1 more file') : l10n.t('{0} more files', more));
	item.contextValue = 'changes.more';
	item.iconPath = new vscode.ThemeIcon('ellipsis');
	item.description = l10n.t('in the review');
	item.command = { command: 'nancy.reviewDelegate', title: l10n.t('Review Changes'), arguments: [element] };
	item.accessibilityInformation = { label: `${item.label}, ${item.description}` };
	return item;
}

export function changedFilesRow({ list, isOpenAtFirst }: ChangedFilesItem): Row {
	const { files, more } = list.changes;
	const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
	const item = row(list.key, l10n.t('Changed Files'), isOpenAtFirst ? Expanded : Collapsed);
	item.contextValue = 'changes';
	item.iconPath = new vscode.ThemeIcon('diff-multiple');
	item.description = String(files.length + more);
	item.accessibilityInformation = { label: l10n.t('Changed files: {0}', files.length + more) };
	return item;
}

function statusWords({ status, before }: ChangedFile): string {
	switch (status) {
		case 'added':
			return l10n.t('added');
		case 'modified':
			return l10n.t('changed');
		case 'deleted':
			return l10n.t('deleted');
		case 'renamed':
			return l10n.t('renamed, before: {0}', before ?? '');
	}
}

/**
 * The scheme of the addresses of these rows. They are not the files themselves: git's own letters say what has changed since the last
 * commit.
 */
const DECORATED = 'nancy-change';

/** The letter behind a row, as in the view of source control. */
const letters: ReadonlyMap<string, vscode.FileDecoration> = new Map(
	Object.entries({
		added: { badge: 'A', color: new vscode.ThemeColor('gitDecoration.addedResourceForeground') },
		modified: { badge: 'M', color: new vscode.ThemeColor('gitDecoration.modifiedResourceForeground') },
		deleted: { badge: 'D', color: new vscode.ThemeColor('gitDecoration.deletedResourceForeground') },
		renamed: { badge: 'R', color: new vscode.ThemeColor('gitDecoration.renamedResourceForeground') },
	}),
);

/** Gives the rows their letters. */
export function decorateChanges(): vscode.Disposable {
	return vscode.window.registerFileDecorationProvider({
		provideFileDecoration: ({ scheme, query }) => (scheme === DECORATED ? letters.get(query) : undefined),
	});
}
