import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ProjectMemory } from '../../../src/core/memory/memory.ts';
import { ProjectName } from '../../../src/protocol/memoryNames.ts';
import { NotesOutput, ProjectsOutput } from '../../../src/protocol/output/memory.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';
import { NancyCommand } from './nancyCommand.ts';

let nancy: NancyCommand;
let folder: TempFolder;
beforeAll(async () => {
	nancy = await NancyCommand.build();
});
afterAll(() => nancy[Symbol.asyncDispose]());
beforeEach(async () => {
	folder = tempFolder();
	const memory = new ProjectMemory(folder.file('config', 'nancy'));
	for (const name of ['main', 'my-feature'])
		await memory.open(ProjectName.parse(name), realpathSync(folder.path), undefined);
	mkdirSync(folder.file('config', 'nancy', 'projects', 'main', 'notes'));
	writeFileSync(notesFile(), '- Build first.\n- The pool leaks. <!-- n:0000000a t:003 b:main by:codex -->\n');
});
afterEach(() => folder.remove());

const notesFile = () => folder.file('config', 'nancy', 'projects', 'main', 'notes', 'failures.md');
const run = (...args: string[]) =>
	nancy.runHere(args, { cwd: folder.path, env: { XDG_CONFIG_HOME: folder.file('config') } });
async function json<T>(schema: { parse: (value: unknown) => T }, ...args: string[]): Promise<T> {
	return schema.parse(JSON.parse((await run(...args, '--json')).stdout));
}

describe('projects on the command line', () => {
	it('are listed with what is known of them, linked, archived and brought back', async () => {
		expect((await run('list')).stdout).toMatch(/^main {2}0 tasks - 2 notes\nmy-feature {2}0 tasks - 0 notes\n$/);
		expect((await json(ProjectsOutput, 'link', 'my-feature', 'main')).projects).toMatchObject([{ parent: 'main' }]);
		expect(await run('link', 'main', 'my-feature')).toMatchObject({
			code: 6,
			stderr: expect.stringContaining('no circle'),
		});
		expect((await run('projects', 'main', '--archive')).stdout).toContain('archived');
		expect((await json(ProjectsOutput, 'projects', 'main', '--restore')).projects).toMatchObject([
			{ status: 'active' },
		]);
		expect((await run('projects', 'main', '--pause')).stdout).toMatch(/^main {2}paused - /);
		expect(await run('extract', 'main')).toMatchObject({ code: 6, stderr: expect.stringContaining('is paused') });
		expect(await run('projects', 'main', '--pause', '--restore')).toMatchObject({ code: 2 });
		await run('projects', 'main', '--restore');
		expect(await run('projects', 'none')).toMatchObject({
			code: 3,
			stderr: expect.stringContaining('there is no project "none"'),
		});
	});

	it('open their notes in the user’s editor, and show what they are then', async () => {
		const edits = (editor: string, ...more: string[]) =>
			nancy.start(['notes', 'main', ...more, '--edit'], {
				cwd: folder.path,
				env: { XDG_CONFIG_HOME: folder.file('config'), EDITOR: editor, PATH: '/usr/bin:/bin' },
			});
		expect((await edits('sed -i s/Build/Compile/', 'failures')).stdout).toMatch(
			/^failures\n {2}\w{8} {2}Compile first\./,
		);
		expect((await edits('echo')).stdout).toMatch(/plan\.md \S+architecture\.md \S+decisions\.md \S+failures\.md\n/);
		expect(await edits('false', 'failures')).toMatchObject({
			code: 2,
			stderr: expect.stringContaining('false ended with code 1'),
		});
		expect(await edits('true', 'nothing')).toMatchObject({
			code: 2,
			stderr: expect.stringContaining('use plan, architecture'),
		});
	});

	it('show their plan alone, and open it alone', async () => {
		expect((await run('notes', 'main', 'plan')).stdout).toBe('no plan\n');
		const plan = folder.file('config', 'nancy', 'projects', 'main', 'notes', 'plan.md');
		writeFileSync(plan, '# Next\n- [ ] Measure it\n');
		expect((await run('notes', 'main', 'plan')).stdout).toBe('plan\n  # Next\n  - [ ] Measure it\n');
		const edited = await nancy.start(['notes', 'main', 'plan', '--edit'], {
			cwd: folder.path,
			env: { XDG_CONFIG_HOME: folder.file('config'), EDITOR: 'sed -i s/Measure/Weigh/', PATH: '/usr/bin:/bin' },
		});
		expect(edited).toMatchObject({ code: 0, stdout: 'plan\n  # Next\n  - [ ] Weigh it\n' });
		expect(readFileSync(plan, 'utf8')).toBe('# Next\n- [ ] Weigh it\n');
		expect(readFileSync(notesFile(), 'utf8')).toContain('- Build first.\n');
	});

	it('share a note in a file of the repository', async () => {
		const { stdout } = await run('notes', 'share', '0000000a');
		expect(stdout).toContain('docs/agent-notes/failures-0000000a.md');
		expect(readFileSync(folder.file('docs', 'agent-notes', 'failures-0000000a.md'), 'utf8')).toContain(
			'The pool leaks.',
		);
		expect(await run('notes', 'share', '0000000b')).toMatchObject({ code: 3 });
	});

	it('show their notes with ids and sources, and take a decision about one', async () => {
		const { stdout } = await run('notes', 'main');
		expect(stdout).toMatch(
			/^failures\n {2}[0-9a-f]{8} {2}Build first\. \(by you\)\n {2}0000000a {2}The pool leaks\. \(task 3 of codex\)\n$/,
		);
		expect((await json(NotesOutput, 'notes', 'main')).notes).toMatchObject([
			{ task: 0 },
			{ id: '0000000a', task: 3 },
		]);
		expect((await run('notes', 'main', 'decisions')).stdout).toBe('no notes\n');
		expect((await run('notes', 'pin', '0000000a')).stdout).toContain('The pool leaks.');
		expect(readFileSync(notesFile(), 'utf8')).toContain(' pin:1 ');
		expect(await run('notes', 'retire', '0000000a')).toMatchObject({ code: 0 });
		expect(readFileSync(notesFile(), 'utf8')).not.toContain('The pool leaks.');
		expect(await run('notes', 'accept', '0000000b')).toMatchObject({ code: 3 });
		expect(await run('notes', 'accept')).toMatchObject({ code: 2, stderr: expect.stringContaining('name the id') });
	});

	it('say what is wrong with a name, and that nothing is to be extracted', async () => {
		expect(await run('start', 'accept')).toMatchObject({ code: 2 });
		expect(await run('notes', '../x')).toMatchObject({ code: 2 });
		expect((await run('extract', 'main')).stdout).toBe('nothing is to be extracted\n');
		expect(await run('extract', 'main', '7')).toMatchObject({ code: 3 });
	});

	it('asks no other agent for notes than the one that config.toml names', async () => {
		writeFileSync(folder.file('config', 'nancy', 'config.toml'), '[extraction]\nagent = "nobody"\n');
		expect(await run('extract', 'main')).toMatchObject({
			code: 2,
			stderr: expect.stringContaining('there is no agent "nobody"'),
		});
	});

	it.each([
		['list'],
		['notes', 'main'],
		['notes', 'pin', '0000000a'],
		['extract', 'main'],
		['start', 'main'],
		['link', 'main', 'my-feature'],
	])('are for people: an agent is refused nancy %s %s %s', async (...args) => {
		const env = { XDG_CONFIG_HOME: folder.file('config'), CLAUDECODE: '1' };
		expect(await nancy.runHere(args, { cwd: folder.path, env })).toMatchObject({
			code: 5,
			stdout: '',
			stderr: expect.stringContaining('an agent may not see or change the notes of projects'),
		});
	});
});
