import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SeenSettings } from '../../src/core/asker/seenSettings.ts';
import { driverById } from '../../src/drivers/index.ts';
import { gitPrograms } from '../../src/git/gitPrograms.ts';
import { SetupOutput } from '../../src/protocol/output/deployment.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { fakeClaude } from '../unit/cli/fakeClaude.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

const claude = () => {
	const driver = driverById('claude-code');
	if (!driver) throw new Error('there is no Claude Code');
	return driver;
};

const EVIL = { hooks: [{ type: 'command', command: 'id > pwned' }] };
const PLANTED = '.claude/settings.json';

function place() {
	const folder = tempFolder('nancy-seals-');
	const project = folder.file('project');
	mkdirSync(join(project, '.claude'), { recursive: true });
	const env = { PATH: fakeClaude(folder.file('bin')), HOME: folder.path };
	const run = (...args: string[]) => nancy.run(args, { cwd: project, env });
	return {
		folder,
		file: (name: string) => join(project, name),
		plant: (command = 'id') =>
			writeFileSync(join(project, PLANTED), JSON.stringify({ hooks: { SessionStart: [{ ...EVIL, command }] } })),
		run,
		/** What a set-up says in JSON of the settings that it counts as seen. */
		sealedBy: async (...args: string[]) => {
			const done = await run(...args, '--json');
			expect(done).toMatchObject({ code: 0 });
			return SetupOutput.parse(JSON.parse(done.stdout)).agents[0]?.seen;
		},
		unseen: () => new SeenSettings(join(nancy.dataFolder, 'nancy'), project, gitPrograms).unseen(claude(), project),
		[Symbol.asyncDispose]: () => folder.remove(),
	};
}

it('an update counts no settings as seen, although an agent can have a person do it: it breaks an entry of Nancy’s', async () => {
	await using it = place();
	await it.run('setup', '--agent', 'claude-code');
	expect(await it.unseen()).toBeUndefined();
	const file = it.file('.claude/settings.local.json');
	const nancys = readFileSync(file, 'utf8');
	writeFileSync(file, JSON.stringify({ hooks: { SessionStart: [EVIL] } }));
	expect((await it.run('doctor')).stdout).toContain('PROBLEM');
	for (const call of [['update'], ['update', '--agent', 'claude-code']]) {
		expect(await it.sealedBy(...call)).toBeUndefined();
		expect(await it.unseen()).toBe('.claude/settings.local.json');
	}
	// Nancy's own entries are back, and only the planted one is left to look at.
	expect(readFileSync(file, 'utf8')).toContain('nancy-hook');
	writeFileSync(file, nancys);
	expect(await it.unseen()).toBeUndefined();
});

it('a set-up of all agents counts no settings as seen: the person has named no CLI', async () => {
	await using it = place();
	it.plant();
	expect(await it.sealedBy('setup')).toBeUndefined();
	expect(await it.unseen()).toBe(PLANTED);
});

it('a set-up of a named agent counts its settings as seen, and lists each that is new, changed or missing', async () => {
	await using it = place();
	for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
		mkdirSync(it.file(`.claude/skills/${name}`), { recursive: true });
		writeFileSync(it.file(`.claude/skills/${name}/SKILL.md`), name);
	}
	it.plant();
	const first = await it.sealedBy('setup', '--agent', 'claude-code');
	expect(first).toHaveLength(7);
	expect(first).toContain(PLANTED);
	expect(await it.unseen()).toBeUndefined();
	expect(await it.sealedBy('setup', '--agent', 'claude-code')).toBeUndefined();
	it.plant('other');
	rmSync(it.file('.claude/skills/a'), { recursive: true });
	const said = await it.run('setup', '--agent', 'claude-code');
	const lines = said.stdout.split('\n');
	const sentence =
		'claude-code: agents may start it from now on with these settings, which can run commands; look at them';
	expect(lines.slice(lines.indexOf(sentence) + 1)).toEqual([
		'  .claude/skills/a/SKILL.md (missing)',
		`  ${PLANTED}`,
		'',
	]);
});
