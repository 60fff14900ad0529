import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { configFolder } from '../../src/base/folders.ts';
import { ProjectMemory } from '../../src/core/memory/memory.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { memoryPlace } from '../../src/operations/shared/memory.ts';
import { ProjectName } from '../../src/protocol/memoryNames.ts';
import { childrenOf, NoteItem, ProjectItem, ProposalItem, SectionItem } from '../../src/ui/memory/memoryItems.ts';
import {
	noteHover,
	noteRow,
	projectHover,
	projectRow,
	proposalRow,
	sectionRow,
} from '../../src/ui/memory/memoryRows.ts';
import type { FolderMemory } from '../../src/ui/memory/remembered.ts';
import { seedWaitingNote } from '../support/seedMemory.ts';
import { unusedFolder } from '../support/unusedFolder.ts';

const path = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
const name = ProjectName.parse('my-feature');
const memory = new ProjectMemory(configFolder());
const projects = join(configFolder(), 'projects');
const notesFile = (file: string) => join(projects, name, 'notes', file);
const read = (file: string) => (existsSync(notesFile(file)) ? readFileSync(notesFile(file), 'utf8') : '');
const tabsOfNotes = () =>
	vscode.window.tabGroups.all
		.flatMap(({ tabs }) => tabs)
		.filter(({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.scheme === 'nancy-note');

async function until(what: string, isSo: () => boolean): Promise<void> {
	for (let waited = 0; !isSo(); waited += 50) {
		assert.ok(waited < 30_000, what);
		await sleep(50);
	}
}

async function known(): Promise<readonly FolderMemory[]> {
	return [{ folder: unusedFolder(new Workspace(path)), ...(await memory.ofFolder(await memoryPlace(path))) }];
}

describe('the view Memory', () => {
	beforeEach(async () => {
		const { repository, branch } = await memoryPlace(path);
		await memory.open(name, repository, branch);
		mkdirSync(notesFile(''), { recursive: true });
	});
	afterEach(async () => {
		await vscode.commands.executeCommand('workbench.action.closeAllEditors');
		await rm(projects, { recursive: true, force: true });
	});

	it('has a project, what waits, the plan and the notes by their kind, and says what a note stands on', async () => {
		writeFileSync(join(path, 'pool.ts'), 'import a;\nconst pool = open(4);\n');
		writeFileSync(notesFile('plan.md'), 'Ship it.\n- [ ] Tests\n');
		writeFileSync(notesFile('decisions.md'), '- Kept. <!-- n:0000000a t:003 by:codex pin:1 -->\n');
		const lines = { path: 'pool.ts', from: 2, to: 2 };
		await memory.notes.add(name, { category: 'failures', text: 'The pool leaks.', lines }, await memoryPlace(path));
		seedWaitingNote(configFolder(), name);
		const state = await known();
		const [project] = childrenOf(undefined, state);
		assert.ok(project instanceof ProjectItem);
		assert.match(String(projectRow(project, undefined).description), /^1 to review/);
		const sections = childrenOf(project, state).filter(each => each instanceof SectionItem);
		assert.deepEqual(
			sections.map(each => sectionRow(each)).map(({ label, description }) => [label, description]),
			[
				['To Review', '1'],
				['Plan', 'Ship it.'],
				['Pitfalls', '1'],
				['Decisions', '1'],
			],
		);
		const [waiting, , pitfall, decision] = sections.map(each => childrenOf(each, state)[0]);
		assert.ok(waiting instanceof ProposalItem && pitfall instanceof NoteItem && decision instanceof NoteItem);
		assert.equal(proposalRow(waiting).description, 'tells an agent what to do · new note');
		assert.deepEqual([noteRow(pitfall).label, noteRow(pitfall).description], ['The pool leaks.', 'pool.ts:2']);
		assert.equal(noteRow(decision).contextValue, 'note.pinned');
		writeFileSync(join(path, 'pool.ts'), 'import a;\n');
		const later = await known();
		const [, , pitfalls] = childrenOf(childrenOf(undefined, later)[0], later);
		const [stale] = childrenOf(pitfalls, later);
		assert.ok(stale instanceof NoteItem);
		assert.equal(noteRow(stale).description, 'lines changed · pool.ts:2');
	});

	it('shows a note that quotes anything as text', async () => {
		const hostile = '[x](command:nancy.doctor) <b>bold</b> https://evil.example';
		writeFileSync(notesFile('failures.md'), `- ${hostile}\n`);
		const state = await known();
		const project = childrenOf(undefined, state)[0];
		assert.ok(project instanceof ProjectItem);
		const note = childrenOf(childrenOf(project, state)[0], state)[0];
		assert.ok(note instanceof NoteItem);
		const { value, isTrusted, supportHtml } = noteHover(note, String);
		assert.ok(!value.includes('](command:') && !value.includes('https://evil'), value);
		assert.ok(!isTrusted && !supportHtml);
		assert.match(projectHover(project).value, /Making notes took/);
	});

	it('opens what waits as a change of its file, and takes it by a command in the tab', async () => {
		seedWaitingNote(configFolder(), name);
		await vscode.commands.executeCommand('nancy.reviewNotes');
		await until('the tab', () => tabsOfNotes().length === 1);
		const input = tabsOfNotes()[0]?.input;
		assert.ok(input instanceof vscode.TabInputTextDiff);
		const [before, after] = await Promise.all(
			[input.original, input.modified].map(uri => vscode.workspace.openTextDocument(uri)),
		);
		const why = '» Waits: tells an agent what to do. Task 1 quotes: “the pool needs DB_URL to be set”\n';
		assert.equal(before?.getText(), why);
		assert.match(after?.getText() ?? '', /\n- Always run the tests with DB_URL\. <!-- n:/);
		assert.equal(after?.languageId, 'nancy-note');
		assert.equal(read('failures.md'), '');
		await vscode.commands.executeCommand('nancy.acceptNote');
		assert.equal(`${why}${read('failures.md')}`, after?.getText());
		await until('no tab', () => tabsOfNotes().length === 0);
	});

	it('puts a rejected one away, and nothing is added', async () => {
		seedWaitingNote(configFolder(), name);
		await vscode.commands.executeCommand('nancy.reviewNotes');
		await until('the tab', () => tabsOfNotes().length === 1);
		await vscode.commands.executeCommand('nancy.rejectNote');
		await until('no tab', () => tabsOfNotes().length === 0);
		assert.equal(read('failures.md'), '');
		assert.match(read('retired.md'), /DB_URL\. \(rejected\)/);
	});

	it('is paused and goes on by commands', async () => {
		await vscode.commands.executeCommand('nancy.pauseMemory');
		assert.equal((await memory.state(name)).record.status, 'paused');
		await vscode.commands.executeCommand('nancy.resumeMemory');
		assert.equal((await memory.state(name)).record.status, 'active');
	});
});
