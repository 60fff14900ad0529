import { randomBytes } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn, type IPty } from 'node-pty';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { identify, liveness } from '../../../src/base/liveness.ts';
import { shownScreens } from '../../../src/core/workspace/shownScreens.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { DriverId, SessionId, TaskName, WorkerName } from '../../../src/protocol/names.ts';
import { addBoundWorker } from '../../support/boundWorker.ts';
import { eventually } from '../../support/eventually.ts';
import { programs } from '../../support/programs.ts';
import { taskRecord } from '../../support/taskRecord.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';

const claudeCode = DriverId.parse('claude-code');
const address = { task: TaskName.parse('build'), worker: WorkerName.parse('worker') };

/** More than a terminal takes at once. */
const MANY = 300_000;
const RAW = 'stty raw -echo; printf READY;';

describe('a watched terminal', () => {
	let folder: TempFolder;
	const opened: IPty[] = [];
	beforeEach(() => {
		folder = tempFolder();
	});
	afterEach(async () => {
		for (const pty of opened.splice(0)) pty.kill('SIGKILL');
		await folder.remove();
	});

	/** A shell in place of the CLI. */
	const watch = async (
		script: string,
		env: Record<string, string> = {},
		{ program, driver = 'copilot-cli', launcher = '/no-launcher' }: Partial<Record<string, string>> = {},
	) => {
		const { hooks } = await programs();
		const words = [program ?? join(hooks, 'watched.js'), driver, launcher, folder.path, '/bin/sh', '-c', script];
		const pty = spawn(process.execPath, words, {
			cols: 90,
			rows: 30,
			cwd: folder.path,
			env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm-256color', ...env },
			encoding: null,
		});
		opened.push(pty);
		const output: Buffer[] = [];
		pty.onData((data: string | Uint8Array) => output.push(Buffer.from(data)));
		const ended = new Promise<number>(resolve => pty.onExit(({ exitCode }) => resolve(exitCode)));
		const bytes = () => Buffer.concat(output);
		return {
			pty,
			ended,
			bytes,
			shows: (text: string) => eventually(`${text} is on the screen`, () => bytes().includes(text)),
		};
	};

	it('passes every byte both ways as it is, also what comes right before the end', async () => {
		const [sent, answer] = [randomBytes(MANY), randomBytes(MANY)];
		writeFileSync(folder.file('answer'), answer);
		const { pty, ended, bytes, shows } = await watch(`${RAW} head -c ${MANY} >got; cat answer`);
		await shows('READY');
		pty.write(sent);
		expect(await ended).toBe(0);
		expect(readFileSync(folder.file('got')).equals(sent)).toBe(true);

		expect(bytes().subarray('READY'.length).equals(answer)).toBe(true);
	});

	it('passes a pasted text with its marks, and keys that a line would take for itself', async () => {
		const keys = '\u001b[200~one\r\ntwo\u001b[201~\u0003\u001a\u0013\u0011\u0004\r\n\u007f\u001b[A';
		const { pty, ended, shows } = await watch(`${RAW} head -c ${keys.length} >got`);
		await shows('READY');
		pty.write(keys);
		expect(await ended).toBe(0);
		expect(readFileSync(folder.file('got'), 'latin1')).toBe(keys);
	});

	it('has the size of its terminal, at the beginning and later, and its environment', async () => {
		const script = `trap 'stty size >later; exit 0' WINCH; stty size; echo "$TERM $PWD $MINE"; while :; do sleep 0.05; done`;
		const { pty, ended, shows } = await watch(script, { MINE: 'of my own' });
		await shows('30 90');
		await shows(`xterm-256color ${folder.path} of my own`);
		pty.resize(101, 37);
		expect(await ended).toBe(0);
		expect(readFileSync(folder.file('later'), 'utf8')).toBe('37 101\n');
	});

	it('has the settings of its terminal, also the erase key', async () => {
		const { hooks } = await programs();
		const words = [join(hooks, 'watched.js'), 'copilot-cli', '/no-launcher', folder.path, '/bin/sh', '-c'];
		const quoted = [process.execPath, ...words].map(word => `'${word}'`).join(' ');
		for (const utf8 of ['iutf8', '-iutf8']) {
			const script = `stty erase '^H' intr '^G' ${utf8}; stty -g >outer; exec ${quoted} 'stty -g >inner'`;
			const pty = spawn('/bin/sh', ['-c', script], { cwd: folder.path });
			opened.push(pty);
			await new Promise(resolve => pty.onExit(resolve));
			expect(readFileSync(folder.file('inner'), 'utf8')).toBe(readFileSync(folder.file('outer'), 'utf8'));
		}
	});

	it('goes on in a terminal that has no size for a while', async () => {
		const { hooks } = await programs();
		const script = 'until [ -e go ]; do sleep 0.05; done; sleep 0.3; exit 4';
		const words = [join(hooks, 'watched.js'), 'copilot-cli', '/no-launcher', folder.path, '/bin/sh', '-c', script];
		const watched = [process.execPath, ...words].map(word => `'${word}'`).join(' ');
		const shrunk = `exec 3<&0; (sleep 1; stty cols 0 rows 0 <&3; touch go) & exec ${watched}`;
		const pty = spawn('/bin/sh', ['-c', shrunk], { cwd: folder.path });
		opened.push(pty);
		expect(await new Promise(resolve => pty.onExit(({ exitCode }) => resolve(exitCode)))).toBe(4);
	});

	it('tells what its screen shows, also without hooks, and leaves that when its program has ended', async () => {
		const workspace = new Workspace(folder.path);
		await workspace.createTask(taskRecord(address.task, claudeCode));
		await addBoundWorker(workspace, address, { agent: claudeCode, session: SessionId.parse('s1') });
		const shown = async () => (await shownScreens(workspace, address.task)).byWorker.get(address.worker)?.state;
		const idle = `printf 'Said.\\n\\n${'─'.repeat(20)}\\n  ? for shortcuts'; read line`;
		const working = `printf '\\033[2J\\n\\n  8s · esc to interrupt'; read line`;
		const where = { NANCY_TASK: address.task, NANCY_WORKER: address.worker };
		const { pty, ended } = await watch(`${idle}; ${working}`, where, { driver: claudeCode, launcher: '' });
		await eventually('it shows that it waits', async () => (await shown()) === 'idle');
		pty.write('\r');
		await eventually('it shows that it works', async () => (await shown()) === 'working');
		pty.write('\r');
		expect(await ended).toBe(0);
		expect(await shown()).toBe('working');
	});

	it('ends with the exit code of its program, or as a shell tells a signal', async () => {
		expect(await (await watch('exit 7')).ended).toBe(7);
		expect(await (await watch('kill -TERM $$')).ended).toBe(143);
	});

	it('passes a signal on, and ends its program with the terminal, even one that a hang-up does not end', async () => {
		const told = await watch(`trap 'echo told >told; exit 3' TERM; printf READY; while :; do sleep 0.05; done`);
		await told.shows('READY');
		told.pty.kill('SIGTERM');
		expect(await told.ended).toBe(3);
		expect(readFileSync(folder.file('told'), 'utf8')).toBe('told\n');

		const deaf = await watch(`trap '' HUP; echo $$ >pid; printf READY; while :; do sleep 0.05; done`);
		await deaf.shows('READY');
		const program = identify(Number(readFileSync(folder.file('pid'), 'utf8')));
		expect(liveness(program)).toBe('alive');
		deaf.pty.kill('SIGHUP');
		await deaf.ended;
		await eventually('the program has ended', () => liveness(program) === 'dead');
	});

	it('ends a program with its terminal that ends by no signal, with what that has started', async () => {
		const loop = 'while :; do sleep 0.05; done';
		const below = `setsid sh -c "trap '' HUP TERM; echo \\$\\$ >below; ${loop}" &`;
		const script = `trap '' HUP TERM; ${below} echo $$ >pid; until [ -s below ]; do sleep 0.05; done; printf READY; ${loop}`;
		const { pty, ended, shows } = await watch(script);
		await shows('READY');
		const pids = ['pid', 'below'].map(name => identify(Number(readFileSync(folder.file(name), 'utf8'))));
		pty.kill('SIGHUP');
		await eventually('both have ended', () => pids.every(pid => liveness(pid) === 'dead'));
		await ended;
	});

	it('says once that no binary fits, and leaves its program in the terminal by itself', async () => {
		const { hooks } = await programs();
		const alone = folder.file('watched.js');
		copyFileSync(join(hooks, 'watched.js'), alone);
		const { pty, ended, bytes, shows } = await watch(
			'echo READY; read line; echo "got $line"; exit 5',
			{},
			{
				program: alone,
			},
		);
		await shows('READY');
		pty.write('words\r');
		await shows('got words');
		expect(await ended).toBe(5);
		const said = bytes()
			.toString()
			.split('\n')
			.filter(line => line.includes('Nancy'));
		expect(said).toEqual([expect.stringMatching(/^Nancy cannot watch this terminal: .*pty\.node/)]);
	});
});
