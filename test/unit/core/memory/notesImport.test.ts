import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { importNotes, withdrawImport, writeImported } from '../../../../src/core/memory/notesImport.ts';
import { Workspace } from '../../../../src/core/workspace/workspace.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';
import { ToldProject } from '../../../support/toldProject.ts';

const MANUAL = 'CLAUDE.md';
const LINE = '@.nancy/memory/context.md';

let folder: TempFolder;
let workspace: Workspace;
let project: ToldProject;
beforeEach(async () => {
	folder = tempFolder();
	mkdirSync(folder.file('project'));
	workspace = new Workspace(folder.file('project'), folder.file('data'));
	await workspace.prepare();
	project = new ToldProject(workspace, folder.file('config'));
});
afterEach(() => folder.remove());

const manual = () => folder.file('project', MANUAL);
const read = () => readFileSync(manual(), 'latin1');
const imported = () => folder.file('project', '.nancy', 'memory', 'context.md');

describe('the line in CLAUDE.md', () => {
	it.each([
		['with a last line that has no end', 'Use tabs.', `Use tabs.\n${LINE}\n`],
		['of Windows', 'Use tabs.\r\n', `Use tabs.\r\n${LINE}\r\n`],
		['in another encoding', 'Use \xe4 tabs.\n', `Use \xe4 tabs.\n${LINE}\n`],
	])('goes at the end of a file %s, and comes out again without a trace', async (_, before, after) => {
		writeFileSync(manual(), before, 'latin1');
		expect(await importNotes(workspace, MANUAL)).toBe(true);
		expect(read()).toBe(after);
		expect(await importNotes(workspace, MANUAL)).toBe(false);
		expect(read()).toBe(after);
		expect(await withdrawImport(workspace)).toBe(MANUAL);
		expect(read()).toBe(before);
		expect(await withdrawImport(workspace)).toBeUndefined();
	});

	it('makes the file, which goes with it unless somebody wrote into it', async () => {
		await importNotes(workspace, MANUAL);
		expect(read()).toBe(`${LINE}\n`);
		await withdrawImport(workspace);
		expect(existsSync(manual())).toBe(false);
		await importNotes(workspace, MANUAL);
		writeFileSync(manual(), `# Rules\n\n  ${LINE}\r\nUse tabs.\n`);
		await withdrawImport(workspace);
		expect(read()).toBe('# Rules\n\nUse tabs.\n');
	});

	it('takes nothing of a person along: words behind it, a mention of it, an empty file', async () => {
		writeFileSync(manual(), 'last line');
		await importNotes(workspace, MANUAL);
		writeFileSync(manual(), `${read()}more\n`);
		await withdrawImport(workspace);
		expect(read()).toBe('last line\nmore\n');

		writeFileSync(manual(), `See ${LINE}\n`);
		await importNotes(workspace, MANUAL);
		expect(read()).toBe(`See ${LINE}\n${LINE}\n`);
		await withdrawImport(workspace);
		expect(read()).toBe(`See ${LINE}\n`);

		writeFileSync(manual(), '');
		await importNotes(workspace, MANUAL);
		await withdrawImport(workspace);
		expect(read()).toBe('');
	});

	it.each([
		['code', `\`\`\`\n${LINE}\n\`\`\`\n`],
		['a comment', `<!-- off:\n${LINE}\n-->\n`],
		['an indented block', `    ${LINE}\n`],
	])('counts not where it stands in %s', async (_, text) => {
		writeFileSync(manual(), text);
		await project.note(['npm test needs DB_URL.']);
		await writeImported(workspace, [MANUAL]);
		expect(existsSync(imported())).toBe(false);
		expect(await importNotes(workspace, MANUAL)).toBe(true);
	});

	it('stays if a person wrote it', async () => {
		writeFileSync(manual(), `${LINE}\n`);
		expect(await importNotes(workspace, MANUAL)).toBe(false);
		expect(await withdrawImport(workspace)).toBeUndefined();
		expect(read()).toBe(`${LINE}\n`);
	});

	it('is written into the file that CLAUDE.md is a link to, but not outside of the workspace', async () => {
		writeFileSync(folder.file('project', 'AGENTS.md'), 'Use tabs.\n');
		symlinkSync('AGENTS.md', manual());
		await importNotes(workspace, MANUAL);
		expect(lstatSync(manual()).isSymbolicLink()).toBe(true);
		expect(readFileSync(folder.file('project', 'AGENTS.md'), 'utf8')).toBe(`Use tabs.\n${LINE}\n`);
		const other = new Workspace(folder.file('other'), folder.file('data'));
		mkdirSync(folder.file('other'));
		await other.prepare();
		writeFileSync(folder.file('mine.md'), 'Mine.\n');
		symlinkSync('../mine.md', folder.file('other', MANUAL));
		await expect(importNotes(other, MANUAL)).rejects.toMatchObject({ code: 'settings-broken' });
		expect(readFileSync(folder.file('mine.md'), 'utf8')).toBe('Mine.\n');
	});
});

describe('the file that it names', () => {
	it('holds what agents are told now, only while the line is there', async () => {
		await project.note(['npm test needs DB_URL.']);
		await writeImported(workspace, [MANUAL]);
		expect(existsSync(imported())).toBe(false);
		await importNotes(workspace, MANUAL);
		await writeImported(workspace, [MANUAL]);
		expect(readFileSync(imported(), 'utf8')).toMatch(
			/^<!-- Nancy: project my-feature[^]*- npm test needs DB_URL\. \(by the user\)\n$/,
		);
		await project.note(['The port is 4100.']);
		await writeImported(workspace, [MANUAL]);
		expect(readFileSync(imported(), 'utf8')).toContain('- The port is 4100.');
		await project.set('my-feature', 'paused');
		await writeImported(workspace, [MANUAL]);
		expect(existsSync(imported())).toBe(false);
		await project.set('my-feature', 'active');
		await writeImported(workspace, [MANUAL]);
		expect(existsSync(imported())).toBe(true);
		await withdrawImport(workspace);
		expect(existsSync(imported())).toBe(false);
	});

	it('is no way out of the workspace', async () => {
		await project.note(['npm test needs DB_URL.']);
		await importNotes(workspace, MANUAL);
		writeFileSync(folder.file('mine.md'), 'Mine.\n');
		mkdirSync(folder.file('project', '.nancy', 'memory'), { recursive: true });
		symlinkSync('../../../mine.md', imported());
		await writeImported(workspace, [MANUAL]);
		expect(readFileSync(folder.file('mine.md'), 'utf8')).toBe('Mine.\n');
		expect(lstatSync(imported()).isSymbolicLink()).toBe(false);
	});
});
