import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
	isAgents,
	keepProgramsOutOf,
	onPath,
	onShellPath,
	withSafePath,
	withShellPath,
} from '../../src/base/searchPath.ts';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { agentsFolders } from '../../src/core/workspace/placeFrom.ts';
import { driverById } from '../../src/drivers/index.ts';
import { readCall } from '../../src/hook/call.ts';
import { memoryPlace } from '../../src/operations/shared/memory.ts';
import { detectAgent, findNode, locateAgent } from '../../src/process/detect.ts';
import { gitRepository } from '../support/gitRepository.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { fakeClaude } from '../unit/cli/fakeClaude.ts';
import { callInTool } from '../unit/cli/inTool.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

const OWN_PROGRAMS = ['git', 'node', 'sh', 'env', 'ps', 'tmux', 'chmod', 'mv', 'cat', 'sleep'];
/** A person's agent looks up programs itself. */
const NOT_OF_THE_FAKE = OWN_PROGRAMS.filter(name => name !== 'env');
const ANSWER = JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'The answer.' });

/** A checkout with programs in `node_modules/.bin`, which is first on the PATH, as `npm run` has it. Claude Code is outside, too. */
function place(programs = OWN_PROGRAMS) {
	const outside = tempFolder();
	const repository = gitRepository();
	const bin = join(repository.root, 'node_modules', '.bin');
	const ran = outside.file('ran');
	mkdirSync(bin, { recursive: true });
	const plant = (name: string, says = '') =>
		writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} "$@" >> '${ran}'\n${says}\n`, { mode: 0o755 });
	for (const program of programs) plant(program);
	plant(
		'claude',
		`[ "$1" = --version ] && echo '2.1.329 (Claude Code)' && exit\n/bin/cat > /dev/null; echo '${ANSWER}'`,
	);
	repository.commit({ '.gitignore': 'node_modules\n' });
	const withBin = (path = '') => ({
		PATH: `${bin}:${path}`,
		HOME: outside.path,
		FAKE_CLAUDE: `/bin/cat > /dev/null; echo '${ANSWER}'`,
	});
	return {
		outside,
		repository,
		bin,
		env: withBin(fakeClaude(outside.file('bin'))),
		envWithoutClaude: withBin(process.env['PATH']),
		/** The names of the programs in the workspace that were run. */
		ran: () =>
			existsSync(ran)
				? [
						...new Set(
							readFileSync(ran, 'utf8')
								.split('\n')
								.map(line => line.split(' ')[0]),
						),
					]
				: [],
		/** The PATH of the Claude Code outside, once it was started. */
		pathOfAgent: () => /^PATH=(.*)$/m.exec(readFileSync(outside.file('bin', 'env'), 'utf8'))?.[1]?.split(':'),
		settled: async () => {
			const delegates = new Delegates(new Workspace(repository.root));
			const states = async () => (await delegates.list()).delegates.map(({ state, error }) => error ?? state);
			await expect.poll(states).toEqual(['done']);
		},
		[Symbol.asyncDispose]: async () => {
			await repository.remove();
			await outside.remove();
		},
	};
}

/** For a call in a tool: the name of the folder has a quote in it. */
const inside = ({ repository }: ReturnType<typeof place>) => ({ cwd: '.', cliIn: repository.root });

describe('a PATH folder in the workspace', () => {
	it('has no program for an agent that starts another one, which does not get the folder either', async () => {
		await using it = place();
		const line =
			'nancy run --headless --agent claude-code --prompt hi && mkdir .nancy && nancy status && nancy doctor';
		const said = await callInTool(nancy, line, { ...inside(it), env: it.env });
		expect(said).toMatchObject({ code: 0 });
		expect(it.ran()).toEqual([]);
		expect(it.pathOfAgent()).not.toContain(it.bin);
	});

	it('starts nothing for an agent if the CLI is nowhere else, also if the user’s shell names it', async () => {
		await using it = place();
		for (const named of [{}, { NANCY_PROGRAM_CLAUDE_CODE: join(it.bin, 'claude') }]) {
			const env = { ...it.envWithoutClaude, ...named };
			const line = 'nancy run --headless --agent claude-code --prompt hi';
			const said = await callInTool(nancy, line, { ...inside(it), env });
			expect(said).toMatchObject({
				code: 3,
				stderr: expect.stringMatching(/in a workspace|outside the workspace/),
			});
		}
		expect(it.ran()).toEqual([]);
	});

	it.each(['', 'tmux'])(
		'has no program for an agent’s delegate, nor for its runner and its worktree (host "%s")',
		async host => {
			await using it = place();
			const env = { ...it.env, ...(host !== '' && { NANCY_DELEGATES_HOST: host }) };
			const line = 'nancy delegate --agent claude-code --worktree hi';
			expect(await callInTool(nancy, line, { ...inside(it), env })).toMatchObject({ code: 0 });
			await it.settled();
			expect(it.ran()).toEqual([]);
			expect(it.pathOfAgent()).not.toContain(it.bin);
		},
	);

	it('has no program for a person’s delegate, which starts later and gets the folder', async () => {
		await using it = place(NOT_OF_THE_FAKE);
		const said = await nancy.start(['delegate', '--worktree', 'hi'], { cwd: it.repository.root, env: it.env });
		expect(said).toMatchObject({ code: 0 });
		await it.settled();
		expect(it.ran()).toEqual([]);
		expect(it.pathOfAgent()).toContain(it.bin);
	});

	it('has the CLI that a person starts in a terminal, and no program of Nancy’s own', async () => {
		await using it = place(NOT_OF_THE_FAKE);
		const run = (...args: string[]) => nancy.start(args, { cwd: it.repository.root, env: it.env });
		expect(await run('run', '--headless', '--prompt', 'hi')).toMatchObject({ code: 0 });
		expect(await run('orchestrate', 'fix', '--worktree', '--', '--print')).toMatchObject({ code: 0 });
		expect(await run('status')).toMatchObject({ code: 0 });
		expect(it.ran()).toEqual(['claude', '']);
	});

	it('has no git for what asks of a project’s notes, and knows of no workspace', async () => {
		await using it = place();
		const below = join(it.repository.root, 'sub');
		mkdirSync(below);
		vi.stubEnv('PATH', `${it.bin}:${process.env['PATH']}`);
		onTestFinished(() => void vi.unstubAllEnvs());
		expect(await memoryPlace(below)).toMatchObject({ commit: expect.any(String) });
		expect(it.ran()).toEqual([]);
	});
});

describe('a program in a workspace', () => {
	const claude = driverById('claude-code');
	if (!claude) throw new Error('there is no Claude Code');

	it('is found for a person at a shell, for any person who names it, and for no agent', async () => {
		await using it = place();
		const named = join(it.bin, 'claude');
		keepProgramsOutOf(agentsFolders(it.repository.root));
		const { envWithoutClaude: env } = it;
		for (const [seeker, path, isFound] of [
			['shell', undefined, true],
			['shell', named, true],
			['person', undefined, false],
			['person', named, true],
			['agent', undefined, false],
			['agent', named, false],
		] as const) {
			expect(locateAgent(claude, path, { PATH: env.PATH }, seeker)).toBe(isFound ? named : undefined);
		}
		expect(await detectAgent(claude, undefined, env, 'person')).toMatchObject({
			found: false,
			obstacle: 'missing',
		});
		expect(it.ran()).toEqual([]);
	});

	it('is none of Nancy’s own by a link from outside, or by a link in the workspace', async () => {
		await using it = place();
		mkdirSync(it.outside.file('links'));
		symlinkSync(join(it.bin, 'claude'), it.outside.file('links', 'claude'));
		symlinkSync(it.bin, it.outside.file('linked'));
		symlinkSync('/usr/bin', join(it.repository.root, 'usr'));
		keepProgramsOutOf(agentsFolders(it.repository.root));
		for (const folder of [it.outside.file('links'), it.outside.file('linked'), join(it.repository.root, 'usr')]) {
			const name = folder.endsWith('usr') ? 'env' : 'claude';
			expect(onShellPath(name, { PATH: folder })).toBe(join(folder, name));
			expect(onPath(name, { PATH: folder })).toBeUndefined();
		}
		const PATH = `${it.outside.file('linked')}:${it.bin}:/usr/bin`;
		expect(withSafePath({ PATH })).toEqual({ PATH: '/usr/bin' });
		expect(withShellPath({ PATH: `.:${PATH}` })).toEqual({ PATH });
	});

	it('is none of Nancy’s own in the workspace above, if an agent makes another one below', async () => {
		await using it = place();
		const below = join(it.repository.root, 'sub');
		mkdirSync(join(it.repository.root, '.nancy'));
		mkdirSync(join(below, '.nancy'), { recursive: true });
		expect(onPath('git', { PATH: it.bin })).toBe(join(it.bin, 'git'));
		keepProgramsOutOf(agentsFolders(below));
		expect(onPath('git', { PATH: it.bin })).toBeUndefined();
	});

	it('is none of Nancy’s own in a hook of that workspace, which runs outside of its agent’s sandbox', async () => {
		await using it = place();
		expect(onPath('git', { PATH: it.bin })).toBe(join(it.bin, 'git'));
		expect(readCall(['claude-code', 'Stop', 'turn', join(it.repository.root, '.nancy')], {})).toBeDefined();
		expect(onPath('git', { PATH: it.bin })).toBeUndefined();
	});

	it('is not the Node that hooks run with, even if it runs Nancy', async () => {
		await using it = place();
		keepProgramsOutOf(agentsFolders(it.repository.root));
		const PATH = `${it.bin}:${dirname(process.execPath)}`;
		const running = { executable: join(it.bin, 'node'), isElectron: false };
		expect(await findNode({ PATH }, running)).toEqual({ executable: process.execPath, isElectron: false });
		expect(it.ran()).toEqual([]);
	});

	it('is everybody’s where the workspace holds the user’s home: the user’s programs are there', () => {
		keepProgramsOutOf([homedir(), dirname(homedir())]);
		expect(isAgents(join(homedir(), '.local', 'bin', 'claude'))).toBe(false);
	});
});
