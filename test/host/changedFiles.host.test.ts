import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import {
	changedFileRow,
	changedFilesIn,
	changedFilesRow,
	ChangedFileItem,
	ChangedFilesItem,
	moreFilesRow,
	MoreFilesItem,
} from '../../src/ui/delegates/changedFiles.ts';
import { NO_CHANGES, type ShownChanges } from '../../src/ui/delegates/knownChanges.ts';
import { workerRow } from '../../src/ui/tasks/workerRows.ts';
import type { ChangedFile } from '../../src/ui/ports.ts';
import { TaskName } from '../../src/protocol/names.ts';
import { DelegateRoom } from '../support/delegateRoom.ts';
import { taskView } from '../support/taskViews.ts';
import { unusedFolder } from '../support/unusedFolder.ts';

describe('the rows of changed files', () => {
	const room = new DelegateRoom();
	after(() => room.folder.remove());

	function listOf(files: readonly ChangedFile[], more = 0) {
		const owner = { folder: unusedFolder(room.workspace) };
		const of = { task: TaskName.parse('fix') };
		return { owner, key: 'row', of, changes: { files, more, insertions: 0, deletions: 0 } };
	}
	const rowOf = (file: ChangedFile) => changedFileRow(new ChangedFileItem(listOf([file]), file));

	it('say name, lines and folder, and what has happened to the file', () => {
		const item = rowOf({
			path: 'src/a/x.ts',
			before: 'x.ts',
			status: 'renamed',
			lines: { insertions: 3, deletions: 1 },
		});
		assert.equal(item.label, 'x.ts');
		assert.equal(item.description, '+3 \u22121 · src/a');
		assert.equal(
			item.accessibilityInformation?.label,
			'File x.ts, renamed, before: x.ts, 3 lines added, 1 removed, src/a',
		);
		assert.equal(item.resourceUri?.path.endsWith('/src/a/x.ts'), true);
		assert.equal(item.command?.command, 'nancy.openChange');
	});

	it('say of a binary file that it is one, and nothing of a folder for a file at the top', () => {
		assert.equal(rowOf({ path: 'x.png', status: 'added' }).description, 'binary');
	});

	it('offer to open a file that is there, and none that was deleted', () => {
		const lines = { insertions: 0, deletions: 1 };
		assert.equal(rowOf({ path: 'x', status: 'modified', lines }).contextValue, 'change');
		assert.equal(rowOf({ path: 'x', status: 'deleted', lines }).contextValue, 'change.deleted');
	});

	it('lead to the review for the files that are not listed, which count below a worker too', () => {
		const list = listOf([{ path: 'x', status: 'added' }], 120);
		const rows = changedFilesIn(list);
		assert.equal(rows.length, 2);
		const more = rows[1];
		assert.ok(more instanceof MoreFilesItem);
		const item = moreFilesRow(more);
		assert.equal(item.label, '120 more files');
		assert.deepEqual(item.command, {
			command: 'nancy.reviewDelegate',
			title: 'Review Changes',
			arguments: [more],
		});
		assert.equal(moreFilesRow(new MoreFilesItem(listOf([], 1))).label, '1 more file');
		const group = changedFilesRow(new ChangedFilesItem(list, false));
		assert.equal(group.description, '121');
		assert.equal(group.collapsibleState, vscode.TreeItemCollapsibleState.Collapsed);
	});

	it('keep the row of their worker open while they are listed below it, also if they are no changes any more', () => {
		const task = taskView('fix', { workers: ['idle'] });
		const [worker] = task.workers;
		assert.ok(worker);
		const overview = () => ({ tasks: [task], problems: [] });
		const folder = Object.assign(unusedFolder(room.workspace), { overview });
		const beside = { names: { full: () => '', short: () => '' }, delegates: [], isTask: false, canFork: false };
		const foldWith = (changes: ShownChanges, listed: ShownChanges) =>
			workerRow({ folder, task, worker }, { ...beside, changes, listed }).collapsibleState;
		const some: ShownChanges = { ...NO_CHANGES, files: [{ path: 'x', status: 'added' }] };
		const { Collapsed, None } = vscode.TreeItemCollapsibleState;
		assert.deepEqual([foldWith(NO_CHANGES, some), foldWith(some, NO_CHANGES)], [Collapsed, None]);
	});
});
