import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { ENDED, identify, ownIdentity, processWord } from '../../../src/base/liveness.ts';
import { newSocket } from '../../../src/drivers/codex/sockets.ts';
import { eventually } from '../../support/eventually.ts';
import { programs } from '../../support/programs.ts';
import { tempFolder } from '../../support/tempFolder.ts';

describe('the socket of a terminal', () => {
	it('is its process’s own, and those go that ended processes have left: never one of a living process, or of another machine', async () => {
		await using folder = tempFolder();
		const run = folder.file('nancy');
		mkdirSync(run, { mode: 0o700 });
		const other = spawn('sh', ['-c', 'read _; :'], { stdio: ['pipe', 'ignore', 'ignore'] });
		const alive = `${processWord(identify(other.pid ?? 0))}.sock`;
		const elsewhere = `${processWord({ ...ownIdentity(), machine: '1abc.1abc.1', startedTicks: 5 })}.sock`;
		const dead = `${processWord({ ...ownIdentity(), startedTicks: 5 })}.sock`;
		const ended = `${processWord({ ...identify(other.pid ?? 0), startedTicks: ENDED + 1 })}.sock`;
		for (const name of [alive, elsewhere, ended, 'x.sock', '1-1.sock.txt']) writeFileSync(join(run, name), '');
		// As the CLI makes it: a link to where it listens, which is gone.
		symlinkSync(folder.file('gone'), join(run, dead));
		const own = newSocket({ XDG_RUNTIME_DIR: folder.path });
		expect(own).toBe(join(run, `${processWord(ownIdentity())}.sock`));
		expect(readdirSync(run).toSorted()).toEqual([alive, elsewhere, 'x.sock', '1-1.sock.txt'].toSorted());
		other.stdin.end();
		await once(other, 'close');
		newSocket({ XDG_RUNTIME_DIR: folder.path });
		expect(readdirSync(run).toSorted()).toEqual([elsewhere, 'x.sock', '1-1.sock.txt'].toSorted());
	});

	it('is nowhere where others may look', async () => {
		await using folder = tempFolder();
		mkdirSync(folder.file('nancy'));
		chmodSync(folder.file('nancy'), 0o755);
		expect(() => newSocket({ XDG_RUNTIME_DIR: folder.path })).toThrow('others may look into');
	});
});

describe('a terminal of Nancy’s with Codex', () => {
	/** The program, as `nancy orchestrate` starts it. */
	async function started(executable: string, folder: string) {
		const { hooks } = await programs();
		const words = [join(hooks, 'codex-terminal.js'), '/r/nancy-hook', folder, executable, '--no-daemon', 'hi'];
		const child = spawn(process.execPath, words, {
			cwd: folder,
			env: { PATH: process.env['PATH'], XDG_RUNTIME_DIR: folder },
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		const said = text(child.stderr);
		const ended = once(child, 'close');
		return { child, said, ended };
	}

	it.each([
		['is gone', () => undefined],
		['may not be run', (file: string) => writeFileSync(file, '#!/bin/sh\n', { mode: 0o644 })],
	])('whose CLI %s says so, with what to do, and ends as a shell does', async (_, prepare) => {
		await using folder = tempFolder();
		const file = folder.file('codex');
		prepare(file);
		const { said, ended } = await started(file, folder.path);
		expect(await ended).toEqual([127, null]);
		expect(await said).toMatch(/codex could not be started: .*(?:ENOENT|EACCES)\. .*nancy doctor/);
		expect((await said).trim().split('\n')).toHaveLength(1);
		expect(readdirSync(folder.file('nancy'))).toEqual([]);
	});

	it('that is killed leaves a socket, which the next start takes away', async () => {
		await using folder = tempFolder();
		// An app server that takes no notice of signals, and a terminal that stays.
		const fake = folder.file('codex');
		writeFileSync(folder.file('server.mjs'), SERVER);
		const server = `exec '${process.execPath}' '${folder.file('server.mjs')}' "$3"`;
		writeFileSync(
			fake,
			`#!/bin/sh\ncase "$1" in app-server) ${server};; *) echo $$ >terminal; exec sleep 30;; esac\n`,
			{
				mode: 0o755,
			},
		);
		const left = () => readdirSync(folder.file('nancy'));
		const pidIn = (name: string) =>
			eventually(
				name,
				() => existsSync(folder.file(name)) && (Number(readFileSync(folder.file(name), 'utf8')) || false),
			);
		const killed = await started(fake, folder.path);
		const pids = [await pidIn('terminal'), await pidIn('server')];
		killed.child.kill('SIGKILL');
		for (const pid of pids) process.kill(pid, 'SIGKILL');
		await killed.ended;
		expect(left()).toEqual([expect.stringMatching(new RegExp(String.raw`^${killed.child.pid}\b.*\.sock$`))]);
		const next = await started(folder.file('none'), folder.path);
		await next.ended;
		expect(left()).toEqual([]);
	});
});

/** Listens elsewhere, and links to that place, as the CLI's does. */
const SERVER = `
import { symlinkSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
mkdirSync('own', { mode: 0o700 });
const path = process.argv[2].replace('unix://', '');
createServer().listen(process.cwd() + '/own/s', () => {
	writeFileSync('server', String(process.pid));
	symlinkSync(process.cwd() + '/own/s', path);
});
`;
