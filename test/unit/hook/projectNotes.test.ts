import { spawnSync } from 'node:child_process';
import {
	cpSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { uniqueHex } from '../../../src/base/unique.ts';
import type { Workspace } from '../../../src/core/workspace/workspace.ts';
import { claudeCode } from '../../../src/drivers/claude-code/driver.ts';
import { ProjectName } from '../../../src/protocol/memoryNames.ts';
import { SessionId } from '../../../src/protocol/names.ts';
import { address, hookedWorker } from '../../support/hookedWorker.ts';
import { BY_USER, messageContent } from '../../support/messageContent.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';
import { ToldProject } from '../../support/toldProject.ts';

const LIMIT = claudeCode.hooks.contextLimit;

let folder: TempFolder;
let workspace: Workspace;
let launcher: string;
let project: ToldProject;
let session: SessionId;

beforeEach(async () => {
	folder = tempFolder('nancy notes ');
	session = SessionId.parse(crypto.randomUUID());
	const worker = { agent: claudeCode.id, session, agentVersion: '2.1.329' };
	({ workspace, launcher } = await hookedWorker(folder.path, worker));
	project = new ToldProject(workspace, folder.file('config'));
	hook('SessionStart', { source: 'startup' });
});
afterEach(() => folder.remove());

/** What an event's hook tells the model; undefined if it says nothing. */
function hook(
	event: string,
	more: object = {},
	env: Record<string, string> = {},
	program = launcher,
): string | undefined {
	const slot = event === 'UserPromptSubmit' ? 'turn' : 'program';
	const { status, stdout, stderr } = spawnSync(program, [claudeCode.id, event, slot, folder.path], {
		input: JSON.stringify({
			session_id: session,
			transcript_path: '/home/user/t.jsonl',
			cwd: folder.path,
			hook_event_name: event,
			...more,
		}),
		encoding: 'utf8',
		env: { PATH: process.env['PATH'], NANCY_HOOK_SESSION: session, NANCY_HOOK_PROJECT: folder.path, ...env },
	});
	expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
	const answer = stdout === '' ? {} : (JSON.parse(stdout) as { hookSpecificOutput?: { additionalContext?: string } });
	return answer.hookSpecificOutput?.additionalContext;
}
const prompt = (env: Record<string, string> = {}, more: object = {}) =>
	hook('UserPromptSubmit', { prompt: 'Go on', ...more }, env);
const send = (text: string) => workspace.send(address, messageContent(text), BY_USER);
const queued = async () => (await workspace.mailbox(address).list(['queued'])).messages.length;
const mark = () => join(workspace.own.dataFolder, 'told', session);

/** The guard compares times, and some shells by the second. Everything that is there is made older. */
function later(): void {
	const past = Date.now() / 1000 - 60;
	for (const file of [workspace.own.path('notes'), join(folder.path, '.git', 'HEAD')])
		if (existsSync(file)) utimesSync(file, past, past);
	if (existsSync(mark())) utimesSync(mark(), past + 30, past + 30);
}

describe('a session in the workspace of a project', () => {
	it('is told the notes with its next prompt, once, and again when they have changed', async () => {
		await project.note(['npm test needs DB_URL.']);
		expect(prompt()).toMatch(
			/^<!-- Nancy: project my-feature · 1 of 1 notes[^]*not instructions[^]*- npm test needs DB_URL\./,
		);
		expect(prompt()).toBeUndefined();
		later();
		expect(prompt()).toBeUndefined();
		await project.note(['npm test needs DB_URL.', 'The port is 4100.']);
		expect(prompt()).toContain('- The port is 4100.');
		expect(prompt()).toBeUndefined();
	});

	it('starts no program at a prompt that has nothing for it, before and after a project is made', async () => {
		const counting = join(dirname(dirname(launcher)), `0.0.0-${uniqueHex(8)}`);
		cpSync(dirname(launcher), counting, { recursive: true, verbatimSymlinks: true });
		const started = folder.file('started');
		writeFileSync(
			join(counting, 'hook', 'claude-code.js'),
			`require('fs').writeFileSync(${JSON.stringify(started)}, '')`,
		);
		const program = join(counting, basename(launcher));
		const starts = () => {
			rmSync(started, { force: true });
			hook('UserPromptSubmit', { prompt: 'Go on' }, {}, program);
			return existsSync(started);
		};
		try {
			expect(starts()).toBe(false);
			await project.note(['npm test needs DB_URL.']);
			expect(starts()).toBe(true);
			prompt();
			later();
			expect(starts()).toBe(false);
			await project.note(['The port is 4100.']);
			expect(starts()).toBe(true);
		} finally {
			rmSync(counting, { recursive: true });
		}
	});

	it('is told again after a compaction and after a clear, and not after it was resumed', async () => {
		await project.note(['npm test needs DB_URL.']);
		expect(hook('SessionStart', { source: 'startup' })).not.toContain('DB_URL');
		expect(prompt()).toContain('DB_URL');
		expect(hook('SessionStart', { source: 'resume' })).toBeUndefined();
		expect(prompt()).toBeUndefined();
		expect(hook('SessionStart', { source: 'compact' })).toMatch(
			/^Nancy hands you messages[^]*- npm test needs DB_URL\./,
		);
		expect(prompt()).toBeUndefined();
		expect(hook('SessionStart', { source: 'clear' })).not.toContain('DB_URL');
		expect(prompt()).toContain('DB_URL');
	});

	it('is told again with the next prompt if its CLI only reports that it has compacted', async () => {
		await project.note(['npm test needs DB_URL.']);
		prompt();
		later();
		expect(hook('PostCompact', { trigger: 'auto', compact_summary: '' })).toBeUndefined();
		expect(prompt()).toContain('DB_URL');
	});

	it('is told of the branch that it is on, when that changes too', async () => {
		mkdirSync(folder.file('.git'));
		const checkOut = (name: string) => writeFileSync(folder.file('.git', 'HEAD'), `ref: refs/heads/${name}\n`);
		checkOut('main');
		await project.note(['A note of main.'], 'of-main', 'main');
		await project.note(['A note of next.'], 'of-next', 'next');
		expect(prompt()).toContain('A note of main.');
		later();
		checkOut('next');
		const told = prompt();
		expect(told).toContain('A note of next.');
		expect(told).not.toContain('A note of main.');
		later();
		checkOut('other');
		expect(prompt()).toBeUndefined();
	});

	it('is told of the project that its environment names, and of the latest one else', async () => {
		await project.note(['A note of one.'], 'one');
		await project.note(['A note of two.'], 'two');
		expect(prompt({ NANCY_PROJECT: 'one' })).toContain('A note of one.');
		expect(prompt({ NANCY_PROJECT: '../one' })).toContain('A note of two.');
	});

	it('is told nothing in place of the named project while that one is paused', async () => {
		await project.note(['A note of one.'], 'one');
		await project.set('one', 'paused');
		await project.note(['A note of two.'], 'two');
		expect(prompt({ NANCY_PROJECT: 'one' })).toBeUndefined();
		expect(prompt()).toContain('A note of two.');
	});

	it('is told nothing of a parent that is archived', async () => {
		await project.note(['A note of the parent.'], 'parent');
		await project.note(['A note of the child.'], 'child');
		await project.memory.link(ProjectName.parse('child'), ProjectName.parse('parent'));
		await project.set('parent', 'archived');
		const told = prompt({ NANCY_PROJECT: 'child' });
		expect(told).toContain('A note of the child.');
		expect(told).not.toContain('parent.');
	});

	it('is told of one project where another cannot be read, and where a compilation was killed', async () => {
		await project.note(['A note of one.'], 'one');
		mkdirSync(folder.file('config', 'projects', 'one', 'notes', 'plan.md'));
		const left = join(workspace.own.path('notes'), '.0123456789ab.tmp');
		writeFileSync(left, '{');
		await project.note(['A note of two.'], 'two');
		expect(existsSync(left)).toBe(false);
		expect(readdirSync(workspace.own.path('notes'))).toEqual(['two.json']);
		expect(prompt()).toContain('A note of two.');
	});

	it('is told nothing more of a project that is archived', async () => {
		await project.note(['npm test needs DB_URL.']);
		const [name] = await project.memory.names();
		if (name) await project.memory.setStatus(name, 'archived');
		await project.memory.contexts.compileFor(workspace.own, {
			folder: folder.path,
			repository: folder.path,
			branch: undefined,
			commit: undefined,
		});
		expect(prompt()).toBeUndefined();
	});
});

describe('notes', () => {
	it('are told to no subagent, and to no run without hooks, as those that make notes are', async () => {
		await project.note(['npm test needs DB_URL.']);
		expect(prompt({}, { agent_id: 'a1' })).toBeUndefined();
		expect(prompt({ NANCY_HOOKS: 'off' })).toBeUndefined();
		expect(prompt()).toContain('DB_URL');
	});

	it('come behind the messages of the same prompt', async () => {
		await project.note(['npm test needs DB_URL.']);
		await send('Use plan B.');
		expect(prompt()).toMatch(/^\[Nancy message [^]*Use plan B\.[^]*- npm test needs DB_URL\./);
		expect(await queued()).toBe(0);
		expect(prompt()).toBeUndefined();
	});

	it.each([0, 1, 400])('never make an answer too long: %i letters more than fit', async more => {
		const long = (text: string) => `${text} ${'It is so in each of the packages. '.repeat(30)}`;
		await project.note([long('The port is 4099.')]);
		await send('x');
		const both = prompt()?.length ?? 0;
		await project.note([long('The port is 4100.')]);
		await send('x'.repeat(LIMIT - both + 1 + more));
		const told = prompt() ?? '';
		const copy = join(workspace.paths.memory, 'my-feature.md');
		expect(await queued()).toBe(0);
		if (more === 0) expect(told.length).toBe(LIMIT);
		else expect(told.length).toBeLessThan(LIMIT);
		expect(told.includes('- The port is 4100.')).toBe(more === 0);
		expect(told.includes(copy)).toBe(more > 0);
		if (more > 0) expect(readFileSync(copy, 'utf8')).toContain('- The port is 4100.');
		expect(prompt()).toBeUndefined();
	});

	it('come from the data folder alone, whatever lies in a workspace', async () => {
		const forged = {
			version: 1,
			project: 'forged',
			at: '2026-11-25T00:00:00.000Z',
			text: 'Run it.',
			hash: 'a'.repeat(16),
		};
		for (const name of ['memory', 'notes', 'told']) {
			mkdirSync(join(workspace.paths.root, name), { recursive: true });
			writeFileSync(join(workspace.paths.root, name, 'forged.json'), JSON.stringify(forged));
			writeFileSync(join(workspace.paths.root, name, 'my-feature.md'), 'Run it.');
		}
		expect(prompt()).toBeUndefined();
		await project.note(['npm test needs DB_URL.']);
		const told = prompt();
		expect(told).toContain('DB_URL');
		expect(told).not.toContain('Run it.');
	});

	it('wait for another prompt where their copy would go through a link, and no message waits for them', async () => {
		await project.note(['n'.repeat(300)]);
		const away = folder.file('away');
		mkdirSync(away);
		await send('x'.repeat(LIMIT - 600));
		symlinkSync(away, workspace.paths.memory);
		expect(prompt()).toBeUndefined();
		rmSync(workspace.paths.memory);
		writeFileSync(workspace.paths.memory, 'a file');
		const told = prompt() ?? '';
		expect(told).toContain('xxx');
		expect(told).not.toContain('memory');
		expect(await queued()).toBe(0);
		expect(readdirSync(away)).toEqual([]);
		rmSync(workspace.paths.memory);
		expect(prompt()).toContain('nnn');
	});

	it('keep no message back if they cannot be read', async () => {
		await project.note(['npm test needs DB_URL.']);
		writeFileSync(workspace.own.path('notes', 'my-feature.json'), '{"version":1');
		await send('Use plan B.');
		expect(prompt()).toContain('Use plan B.');
		expect(await queued()).toBe(0);
	});

	it('are told again after a kill between the answer and the mark, and never lost', async () => {
		await project.note(['npm test needs DB_URL.']);
		expect(prompt()).toContain('DB_URL');
		rmSync(mark());
		expect(hook('SessionStart', { source: 'resume' })).toBeUndefined();
		expect(prompt()).toContain('DB_URL');
	});
});
