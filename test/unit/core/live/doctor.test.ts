import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deploy } from '../../../../src/core/deployment/deploy.ts';
import { examine, repair } from '../../../../src/core/live/doctor.ts';
import type { Instruments } from '../../../../src/core/deployment/finding.ts';
import type { InstalledRuntime } from '../../../../src/core/deployment/runtime.ts';
import { DeploymentRecords } from '../../../../src/core/deployment/records.ts';
import { Workspace } from '../../../../src/core/workspace/workspace.ts';
import { claudeCode } from '../../../../src/drivers/claude-code/driver.ts';
import { copilotCli } from '../../../../src/drivers/copilot-cli/driver.ts';
import { geminiCli } from '../../../../src/drivers/gemini-cli/driver.ts';
import { PluginSessions } from '../../../../src/core/deployment/pluginSessions.ts';
import { noteHooksChoice } from '../../../../src/core/workspace/hooksChoice.ts';
import { ownFilesDriver, SHARED } from '../../../support/ownFilesDriver.ts';
import { FIRST_WORKER, SessionId, TaskName } from '../../../../src/protocol/names.ts';
import type { WorkerRecord } from '../../../../src/protocol/records.ts';
import { taskRecord } from '../../../support/taskRecord.ts';

let folder: string;
let workspace: Workspace;
let settings: string;
let runtime: InstalledRuntime;

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'nancy-doctor-'));
	workspace = new Workspace(folder);
	settings = join(folder, '.claude/settings.local.json');
	const home = join(folder, 'nancy/runtime/1-aaaaaaaa');
	runtime = {
		folder: home,
		launcher: `${home}/nancy-hook`,
		bin: '',
		skills: join(folder, 'none'),
		version: '1-aaaaaaaa',
		dataFolder: join(folder, 'nancy'),
		isRepaired: false,
		node: { executable: '/usr/bin/node', isElectron: false },
	};
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const instruments = (more: Partial<Instruments> = {}): Instruments => ({
	agents: [{ driver: claudeCode, found: { executable: '/usr/bin/claude', version: [2, 1, 329] }, problem: '' }],
	dataFolder: join(folder, 'nancy'),
	installRuntime: () => Promise.resolve(runtime),
	tryLauncher: () => Promise.resolve(undefined),
	env: { HOME: join(folder, 'home') },
	...more,
});

const problems = async (more: Partial<Instruments> = {}) =>
	(await examine(workspace, instruments(more)))
		.filter(({ level }) => level === 'problem')
		.map(({ text }) => String(text));

const workerRecord = (task: TaskName): WorkerRecord => ({
	version: 1,
	task,
	name: FIRST_WORKER,
	agent: claudeCode.id,
	sessions: [],
	startedAt: new Date().toISOString(),
});

describe('the doctor', () => {
	it('finds nothing wrong in a workspace without Nancy, and leaves nothing in it', async () => {
		expect(await problems()).toEqual([]);
		await expect(readFile(join(folder, '.nancy/.gitignore'))).rejects.toMatchObject({ code: 'ENOENT' });
	});

	it('says that the plugin of an agent serves its sessions here', async () => {
		await workspace.own.makeFolder();
		const session = SessionId.parse('5e551011-0000-4000-8000-000000000018');
		await new PluginSessions(workspace.own).begin(claudeCode.id, session, () => Promise.resolve(true));
		const hooks = (await examine(workspace, instruments())).filter(({ check }) => check === 'hooks');
		expect(hooks.map(({ level, text }) => [level, String(text)])).toEqual([
			['ok', expect.stringMatching(/^Claude Code: its plugin serves sessions here, the last since 20/)],
		]);
		await deploy(workspace, claudeCode, { runtime, agentVersion: [2, 1, 329], scope: 'workspace' });
		const [direct] = (await examine(workspace, instruments())).filter(({ check }) => check === 'hooks');
		expect(String(direct?.text)).toMatch(/^\.claude\/settings\.local\.json: \d+ events/);
	});

	it('names hooks that somebody removed, and writes them again', async () => {
		await deploy(workspace, claudeCode, { runtime, agentVersion: [2, 1, 329], scope: 'workspace' });
		expect(await problems()).toEqual([]);
		await writeFile(settings, '{"model":"opus"}');

		expect((await problems()).join()).toContain('somebody removed the entries');
		expect(await repair(await examine(workspace, instruments()))).toMatchObject([{ finding: { check: 'hooks' } }]);
		expect(await problems()).toEqual([]);
		expect(await readFile(settings, 'utf8')).toMatch(/"model": ?"opus"/);
	});

	it('names a skill that somebody removed, and copies it again', async () => {
		const skill = join(runtime.skills, 'check-tokens');
		await mkdir(skill, { recursive: true });
		await writeFile(join(skill, 'SKILL.md'), 'hi');
		await deploy(workspace, claudeCode, { runtime, agentVersion: [2, 1, 329], scope: 'workspace' });
		expect(await problems()).toEqual([]);
		await rm(join(folder, '.claude/skills'), { recursive: true });
		expect((await problems()).join()).toContain('entries or skills of Nancy');
		await repair(await examine(workspace, instruments()));
		expect(await readFile(join(folder, '.claude/skills/check-tokens/SKILL.md'), 'utf8')).toBe('hi');
	});

	it('names a settings file that no CLI can read, also where Nancy has nothing in it', async () => {
		const driver = ownFilesDriver('alpha');
		const alpha = { agents: [{ driver, found: { executable: '/a', version: [1, 0, 0] as const }, problem: '' }] };
		await mkdir(join(folder, '.tool'));
		await writeFile(join(folder, SHARED), '{ "hooks": [');
		expect(await problems(alpha)).toEqual([expect.stringContaining(`${SHARED} is not JSON`)]);
		await writeFile(join(folder, SHARED), '{}');
		expect(await problems(alpha)).toEqual([]);
	});

	it('repairs what was deployed for as many sessions as before, and names a file that is in its way', async () => {
		const driver = ownFilesDriver('alpha');
		const found = { executable: '/usr/bin/alpha', version: [1, 0, 0] as const };
		const alpha = { agents: [{ driver, found, problem: '' }] };
		await deploy(workspace, driver, { runtime, agentVersion: [1, 0, 0], scope: 'launch' });
		const findings = await examine(workspace, instruments(alpha));
		expect(findings.map(({ text }) => text).join()).toMatch(/launch\/alpha: 2 events.*for what Nancy starts/);
		const records = new DeploymentRecords(workspace, runtime.dataFolder);
		await rm(records.launchFolder(driver.id), { recursive: true });
		await repair(await examine(workspace, instruments(alpha)));
		expect(await problems(alpha)).toEqual([]);
		await expect(readFile(join(folder, SHARED))).rejects.toMatchObject({ code: 'ENOENT' });

		await deploy(workspace, driver, { runtime, agentVersion: [1, 0, 0], scope: 'workspace' });
		await rm(join(folder, SHARED));
		await repair(await examine(workspace, instruments(alpha)));
		expect(await readFile(join(folder, SHARED), 'utf8')).toContain('alpha Stop');
		await writeFile(join(folder, '.alpha/plugin/nancy.js'), 'mine');
		expect(await problems(alpha)).toEqual([expect.stringContaining('Move it away')]);
	});

	it('says that hooks are off, and what is left of them', async () => {
		await deploy(workspace, claudeCode, { runtime, agentVersion: [2, 1, 329], scope: 'workspace' });
		await workspace.updateConfig(config => ({ ...config, hooks: 'off' }));
		const found = await examine(workspace, instruments());
		expect(found).toContainEqual(expect.objectContaining({ check: 'hooks', level: 'ok' }));
		await noteHooksChoice(workspace, 'off');
		await writeFile(settings, '{}');
		const [note, ...others] = (await examine(workspace, instruments())).filter(({ check }) => check === 'hooks');
		expect(others).toEqual([]);
		expect(note?.level).toBe('note');
		expect(String(note?.text)).toMatch(/hooks are off.*nancy cleanup/);
	});

	it('says that the programs were damaged, which it has mended', async () => {
		const findings = await examine(
			workspace,
			instruments({ installRuntime: () => Promise.resolve({ ...runtime, isRepaired: true }) }),
		);
		const notes = findings.filter(({ check, level }) => check === 'runtime' && level === 'note');
		expect(notes.map(({ text }) => String(text)).join()).toContain('were damaged');
	});

	it('names a settings file that does not parse, with the place, and does not touch it', async () => {
		await mkdir(join(folder, '.claude'));
		await writeFile(settings, '{\n  "hooks": oops\n}');
		expect((await problems()).join()).toMatch(/settings\.local\.json .* line 2, column 12/);
		expect(await readFile(settings, 'utf8')).toBe('{\n  "hooks": oops\n}');
	});

	it.each([
		['.claude/settings.json', '{"disableAllHooks":true}', '"disableAllHooks"'],
		['home/.claude/settings.json', '{"disableAllHooks":true}', '"disableAllHooks"'],
		['.claude/settings.local.json', '{\n  // mine\n}\n', 'has comments'],
	])('names %s where it keeps the agent from running the hooks that are there', async (file, text, says) => {
		await mkdir(join(folder, 'home/.claude'), { recursive: true });
		await mkdir(join(folder, '.claude'));
		await writeFile(join(folder, file), text);
		await deploy(workspace, claudeCode, { runtime, agentVersion: [2, 1, 329], scope: 'workspace' });
		const said = await problems();
		expect(said).toEqual([expect.stringContaining(says)]);
		expect(said[0]).toContain(file);
	});

	it('takes the word of the settings that count more', async () => {
		await mkdir(join(folder, '.claude'));
		await writeFile(join(folder, '.claude/settings.json'), '{"disableAllHooks":true}');
		await writeFile(settings, '{"disableAllHooks":false}');
		await deploy(workspace, claudeCode, { runtime, agentVersion: [2, 1, 329], scope: 'workspace' });
		expect(await problems()).toEqual([]);
	});

	it('knows the switch of an agent that nothing is written for in its own places', async () => {
		const found = { executable: '/usr/bin/copilot', version: copilotCli.oldestVersion };
		const copilot = { agents: [{ driver: copilotCli, found, problem: '' }] };
		await deploy(workspace, copilotCli, { runtime, agentVersion: copilotCli.oldestVersion, scope: 'launch' });
		expect(await problems(copilot)).toEqual([]);
		await mkdir(join(folder, '.github/copilot'), { recursive: true });
		await writeFile(join(folder, '.github/copilot/settings.json'), '{"disableAllHooks":true}');
		expect(await problems(copilot)).toEqual([expect.stringContaining('.github/copilot/settings.json')]);
	});

	it('says nothing of comments to an agent that reads them, and knows its own switch', async () => {
		const found = { executable: '/usr/bin/gemini', version: geminiCli.oldestVersion };
		const gemini = { agents: [{ driver: geminiCli, found, problem: '' }] };
		const own = join(folder, '.gemini/settings.json');
		await mkdir(join(folder, '.gemini'));
		await writeFile(own, '{\n  // mine\n  "hooksConfig": {"enabled": true}\n}\n');
		const request = { runtime, agentVersion: geminiCli.oldestVersion, scope: 'workspace' as const };
		expect((await deploy(workspace, geminiCli, request)).warnings.join()).not.toContain('comments');
		expect(await problems(gemini)).toEqual([]);
		const deployed = await readFile(own, 'utf8');
		await writeFile(own, deployed.replace('true', 'false'));
		expect(await problems(gemini)).toEqual([expect.stringContaining('"hooksConfig.enabled"')]);
		await writeFile(own, deployed.replace('"enabled": true', '"disabled": ["nancy"]'));
		expect(await problems(gemini)).toEqual([expect.stringContaining('"hooksConfig.disabled"')]);
	});

	it('names a settings file that is JSON and cannot be edited, before anything is deployed', async () => {
		await mkdir(join(folder, '.claude'));
		await writeFile(settings, '{"hooks":"none"}');
		expect(await problems()).toEqual([
			expect.stringMatching(/settings\.local\.json has "hooks".* line 1, column 10/),
		]);
		expect(await readFile(settings, 'utf8')).toBe('{"hooks":"none"}');
	});

	it('takes back the hooks of an agent that is gone', async () => {
		await deploy(workspace, claudeCode, { runtime, agentVersion: [2, 1, 329], scope: 'workspace' });
		const gone = {
			agents: [{ driver: claudeCode, found: undefined, problem: 'there is no "claude" on the PATH' }],
		};
		expect((await problems(gone)).join()).toContain('not installed any more');
		await repair(await examine(workspace, instruments(gone)));
		await expect(readFile(settings)).rejects.toMatchObject({ code: 'ENOENT' });
	});

	it('says what an old agent cannot do', async () => {
		const old = { executable: '/usr/bin/claude', version: [2, 1, 118] as const };
		const findings = await examine(
			workspace,
			instruments({ agents: [{ driver: claudeCode, found: old, problem: '' }] }),
		);
		expect(
			findings
				.filter(({ level }) => level === 'note')
				.map(({ text }) => text)
				.join(),
		).toContain('cannot be woken');
	});

	it('names a hook program that does not run and files that cannot be read', async () => {
		await workspace.prepare();
		const task = join(workspace.paths.tasks, 'login');
		await mkdir(task);
		await writeFile(join(task, 'task.json'), '{"version":1');
		const said = await problems({ tryLauncher: () => Promise.resolve('exit code 127') });
		expect(said.join('\n')).toMatch(/does not run: exit code 127[\s\S]*login\/task\.json/);
	});

	it('names every file that the overview cannot read, and what does not belong in the spool', async () => {
		const name = TaskName.parse('login');
		await workspace.createTask(taskRecord(name, claudeCode.id));
		await workspace.saveWorker(workerRecord(name));
		const { delegates, spool } = workspace.paths;
		const mailbox = workspace.paths.mailbox(name, FIRST_WORKER);
		const broken = [join(delegates, 'x.json'), join(mailbox, 'delivered/zz.md'), join(mailbox, 'claimed/rand.md')];
		await mkdir(delegates, { recursive: true });
		await mkdir(join(spool, 'folder'), { recursive: true });
		for (const file of [...broken, join(spool, 'mine.txt')]) await writeFile(file, '{');
		await writeFile(broken[1] ?? '', '');
		const said = await problems();
		for (const file of [...broken, join(spool, 'folder'), join(spool, 'mine.txt')])
			expect(said.filter(text => text.startsWith(`${file}: `))).toHaveLength(1);
		expect(said.join()).not.toContain('..');
		expect(await readFile(join(spool, 'mine.txt'), 'utf8')).toBe('{');
	});

	it('gives back what a dead hook holds', async () => {
		const name = TaskName.parse('login');
		await workspace.createTask(taskRecord(name, claudeCode.id));
		await workspace.saveWorker(workerRecord(name));
		const mailbox = workspace.paths.mailbox(name, FIRST_WORKER);
		await writeFile(join(mailbox, 'claimed', '999999999-1-note.md'), 'use plan B');
		await repair(await examine(workspace, instruments()));
		expect(await readFile(join(mailbox, 'inbox', 'note.md'), 'utf8')).toBe('use plan B');
	});
});
