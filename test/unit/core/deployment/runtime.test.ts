import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
	chmod,
	chown,
	lutimes,
	mkdir,
	mkdtemp,
	readFile,
	readdir,
	readlink,
	rm,
	stat,
	symlink,
	utimes,
	writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { LAUNCHER_PATTERN } from '../../../../src/core/deployment/launcher.ts';
import { installRuntime, type RuntimeSources } from '../../../../src/core/deployment/runtime.ts';
import { environmentOfTerminal } from '../../../../src/core/driver/agentEnvironment.ts';
import { tryLauncher } from '../../../../src/process/tryLauncher.ts';
import { withoutRoot } from '../../../support/skipped.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../../..');
const node = { executable: process.execPath, isElectron: false };
let folder: string;
let sources: RuntimeSources;

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), `nancy it's a runtime `));
	const files = join(folder, 'sources');
	await mkdir(join(files, 'skills', 'check'), { recursive: true });
	await writeFile(join(files, 'skills', 'check', 'SKILL.md'), 'hi');
	await mkdir(join(files, 'hook'), { recursive: true });
	await writeFile(join(files, 'hook', 'some.js'), '');
	for (const name of ['picture.js', 'memory.js', 'projects.js']) await writeFile(join(files, name), '');
	await writeFile(join(files, 'serve.js'), '');
	await mkdir(join(files, 'desk'));
	await mkdir(join(files, 'plugin'));
	await writeFile(join(files, 'plugin', 'README.md'), '');
	await writeFile(join(files, 'desk', 'desk.html'), '');
	await writeFile(join(files, 'nancy.js'), 'console.log(JSON.stringify(process.argv.slice(2)))');
	sources = {
		guard: join(root, 'hooks/nancy-hook'),
		hooks: join(files, 'hook'),
		cli: join(files, 'nancy.js'),
		pages: join(files, 'desk'),
		skills: join(files, 'skills'),
		plugin: join(files, 'plugin'),
	};
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const install = () => installRuntime(sources, '0.1.0', join(folder, 'nancy'), node);

describe('a runtime', () => {
	it('runs from a path with a space and a quote in it', async () => {
		const { bin, launcher } = await install();
		const { stdout } = await run('nancy', ['a b', "it's"], { env: { PATH: `${bin}:/usr/bin:/bin` } });
		expect(JSON.parse(stdout)).toEqual(['a b', "it's"]);
		expect(await tryLauncher(launcher)).toBeUndefined();
		expect(`'${launcher.replaceAll("'", `'\\''`)}' x`).toMatch(LAUNCHER_PATTERN);
	});

	it('runs by a link to its command', async () => {
		const { bin } = await install();
		const links = join(folder, 'links');
		await mkdir(links);
		await symlink(join(bin, 'nancy'), join(folder, 'first'));
		await symlink('../first', join(links, 'nancy'));
		const { stdout } = await run('nancy', ['a'], { env: { PATH: `${links}:/usr/bin:/bin` } });
		expect(JSON.parse(stdout)).toEqual(['a']);
	});

	it('is installed once for the same content, also by several at once', async () => {
		const installed = await Promise.all([install(), install(), install()]);
		expect(new Set(installed.map(each => each.folder)).size).toBe(1);
		expect(await readdir(join(folder, 'nancy', 'runtime'))).toHaveLength(1);
	});

	it('offers its plugin by a link, which a later version takes and an earlier one leaves', async () => {
		const data = join(folder, 'nancy');
		const offered = () => readlink(join(data, 'plugin'));
		const versions: string[] = [];
		for (const version of ['0.2.0', '0.3.0', '0.1.0']) {
			versions.push((await installRuntime(sources, version, data, node)).folder);
			expect(await offered()).toBe(join(versions[Math.min(1, versions.length - 1)] ?? '', 'plugin'));
		}
		// The later one is gone.
		await rm(versions[1] ?? '', { recursive: true });
		const { folder: own } = await install();
		expect(await offered()).toBe(join(own, 'plugin'));
		expect((await readdir(join(data, 'runtime'))).filter(name => name.startsWith('.'))).toEqual([]);
	});

	it('leaves the fresh link of another installer, however old what it leads to is', async () => {
		const { folder: home } = await install();
		const long = new Date(Date.now() - 24 * 60 * 60_000);
		await utimes(join(home, 'plugin'), long, long);
		const fresh = join(home, '..', '.new-0123456789ab');
		await symlink(join(home, 'plugin'), fresh);
		await install();
		expect(await readlink(fresh)).toBe(join(home, 'plugin'));
		await lutimes(fresh, long, long);
		await install();
		expect(await readdir(join(home, '..'))).toEqual([basename(home)]);
	});

	it('is only read where it is whole', async () => {
		const { folder: home } = await install();
		const parent = join(home, '..');
		const long = new Date(Date.now() - 60_000);
		await utimes(parent, long, long);
		expect(await install()).toMatchObject({ folder: home, isRepaired: false });
		expect((await stat(parent)).mtimeMs).toBe(long.getTime());
	});

	it('that others could write is installed anew, and closed', async () => {
		const { folder: home } = await install();
		await writeFile(join(home, 'node-program'), '/tmp/evil\nnode\n');
		for (const open of [join(folder, 'nancy'), join(folder, 'nancy/runtime'), home]) {
			await chmod(open, 0o775);
			expect(await install()).toMatchObject({ folder: home, isRepaired: true, node });
			expect((await stat(open)).mode & 0o022).toBe(0);
			expect((await stat(home)).mode & 0o777).toBe(0o700);
		}
		expect(await install()).toMatchObject({ isRepaired: false });
	});

	it.skipIf(withoutRoot)(
		`of another user is not used: neither its folder, nor one above it, nor a file in it${withoutRoot}`,
		async () => {
			const { folder: home } = await install();
			for (const theirs of [join(folder, 'nancy'), join(folder, 'nancy/runtime'), home]) {
				await chown(theirs, 12_345, 12_345);
				await expect(install()).rejects.toThrow(/belongs to user 12345/);
				await chown(theirs, 0, 0);
			}
			await chown(join(home, 'node-program'), 12_345, 12_345);
			expect(await install()).toMatchObject({ isRepaired: true });
			expect((await stat(join(home, 'node-program'))).uid).toBe(0);
		},
	);

	it('gets another folder for other content, and leaves the old one to those who use it', async () => {
		const before = await install();
		await writeFile(join(sources.hooks, 'some.js'), '// new');
		const after = await install();
		expect(after.folder).not.toBe(before.folder);
		expect(await readFile(join(before.folder, 'hook', 'some.js'), 'utf8')).toBe('');
	});

	it('has skills that keep themselves out of the user’s commits', async () => {
		const { skills } = await install();
		expect(await readFile(join(skills, 'check', '.gitignore'), 'utf8')).toBe('*\n');
	});

	it('is repaired when it was damaged', async () => {
		const { folder: installed, launcher } = await install();
		await rm(launcher);
		await writeFile(join(installed, 'hook', 'some.js'), 'half');
		expect(await tryLauncher(launcher)).toContain('ENOENT');
		await install();
		expect(await tryLauncher(launcher)).toBeUndefined();
		expect(await readFile(join(installed, 'hook', 'some.js'), 'utf8')).toBe('');
	});

	it('is repaired when its launcher may not be run any more', async () => {
		const { launcher } = await install();
		await chmod(launcher, 0o644);
		expect(await tryLauncher(launcher)).toContain('EACCES');
		await install();
		expect(await tryLauncher(launcher)).toBeUndefined();
	});

	it('sweeps up what a killed installation left, but not what another is at', async () => {
		const { folder: installed } = await install();
		const parent = join(installed, '..');
		for (const name of ['.new-0123456789ab', '0.1.0-cccccccc.old-01234567', '.new-ba9876543210'])
			await mkdir(join(parent, name));
		const long = new Date(Date.now() - 2 * 60 * 60 * 1000);
		for (const name of ['.new-0123456789ab', '0.1.0-cccccccc.old-01234567'])
			await utimes(join(parent, name), long, long);
		await install();
		expect((await readdir(parent)).sort()).toEqual(['.new-ba9876543210', basename(installed)]);
	});

	it('is the same under another Node, and keeps the one it was installed with while that is there', async () => {
		const first = join(folder, 'first node');
		const second = join(folder, 'second node');
		for (const file of [first, second]) await symlink(process.execPath, file);
		const installed = (executable: string, isElectron = false) =>
			installRuntime(sources, '0.1.0', join(folder, 'nancy'), { executable, isElectron });
		const before = await installed(first);
		const after = await installed(second, true);
		expect(after).toEqual({ ...before, isRepaired: false });
		expect(after.node.executable).toBe(first);

		await rm(first);
		const moved = await installed(second, true);
		expect(moved).toMatchObject({
			version: before.version,
			isRepaired: false,
			node: { executable: second, isElectron: true },
		});
		const script = join(folder, 'says.js');
		await writeFile(script, 'console.log(process.argv[0], process.env.ELECTRON_RUN_AS_NODE)');
		const { stdout } = await run(join(moved.folder, 'node'), [script], { env: { PATH: '/nowhere' } });
		expect(stdout).toMatch(/ 1\n$/);
	});

	it('starts a program in a terminal without what the terminal has for Node, and keeps that for its CLI', async () => {
		const installed = await installRuntime(sources, '0.1.0', join(folder, 'nancy'), { ...node, isElectron: true });
		const script = join(folder, 'says.js');
		await writeFile(script, 'console.log(JSON.stringify(process.env))');
		const start = async (env: Record<string, string>) => {
			const { stdout } = await run(join(installed.folder, 'terminal'), [script], { env });
			return z.record(z.string(), z.string()).parse(JSON.parse(stdout));
		};
		const ofTerminal = {
			NODE_OPTIONS: '--no-such-option "of $HOME"',
			NODE_V8_COVERAGE: join(folder, 'coverage'),
			NODE_COMPILE_CACHE: join(folder, 'own cache'),
			program: 'mine',
			kind: 'of its own',
		};
		const env = await start({ ...ofTerminal, PATH: '/nowhere' });
		expect(env).toMatchObject({ NODE_COMPILE_CACHE: join(installed.folder, 'cache'), ELECTRON_RUN_AS_NODE: '1' });
		expect(env).not.toHaveProperty('NODE_OPTIONS');
		expect(existsSync(ofTerminal.NODE_V8_COVERAGE)).toBe(false);
		const ofCli = environmentOfTerminal(env);
		expect(ofCli).toMatchObject(ofTerminal);
		expect(ofCli).not.toHaveProperty('ELECTRON_RUN_AS_NODE');
		// What a terminal around this one had is none of this one's.
		const bare = environmentOfTerminal(
			await start({ NANCY_KEPT_NODE_OPTIONS: '--old', NANCY_KEPT_LD_PRELOAD: 'x', ELECTRON_RUN_AS_NODE: '' }),
		);
		expect(Object.keys(bare).filter(name => /NODE|NANCY|LD_/.test(name))).toEqual(['ELECTRON_RUN_AS_NODE']);
	});

	it('falls back to the node on PATH when its own has gone', async () => {
		const gone = { executable: join(folder, 'gone', 'node'), isElectron: false };
		const { bin } = await installRuntime(sources, '0.1.0', join(folder, 'nancy'), gone);
		const { stdout } = await run('nancy', ['x'], {
			env: { PATH: `${bin}:${join(process.execPath, '..')}:/usr/bin:/bin` },
		});
		expect(JSON.parse(stdout)).toEqual(['x']);
		// Not to one that an empty or relative entry of PATH leads to: the current folder may be somebody's repository.
		const cwd = join(folder, 'repository');
		await mkdir(cwd);
		await writeFile(join(cwd, 'node'), '#!/bin/sh\necho hostile\n', { mode: 0o755 });
		const start = (PATH: string) => run(join(bin, 'nancy'), ['x'], { cwd, env: { PATH } });
		expect((await start(`:.:../repository:${join(process.execPath, '..')}:`)).stdout).toBe('["x"]\n');
		await expect(start(':.')).rejects.toMatchObject({ code: 127, stdout: '' });
	});

	it('falls back to no node in the outermost workspace here, unless that holds the home folder', async () => {
		const gone = { executable: join(folder, 'gone', 'node'), isElectron: false };
		const { bin } = await installRuntime(sources, '0.1.0', join(folder, 'nancy'), gone);
		const outer = join(folder, 'outer');
		const cwd = join(outer, 'sub', 'below');
		await mkdir(cwd, { recursive: true });
		await writeFile(join(outer, 'node'), '#!/bin/sh\necho ours\n', { mode: 0o755 });
		const own = join(process.execPath, '..');
		const start = async (at: string, HOME = '/nowhere') => {
			const env = { PATH: `${outer}:${own}`, HOME };
			return (await run(join(bin, 'nancy'), ['x'], { cwd: at, env })).stdout;
		};
		expect(await start(outer)).toBe('["x"]\n');
		expect(await start(cwd)).toBe('ours\n');
		await mkdir(join(outer, '.nancy'));
		await mkdir(join(outer, 'sub', '.nancy'));
		expect(await start(cwd)).toBe('["x"]\n');
		expect(await start(cwd, join(outer, 'home'))).toBe('ours\n');
	});
});
