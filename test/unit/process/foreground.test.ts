import { build } from 'esbuild';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';
import { terminal } from '../../support/terminal.ts';

let folder: TempFolder;

/** A program that runs `sh -c $1` in the foreground, notes the pid it was told, and ends with the exit code. */
beforeAll(async () => {
	folder = tempFolder('nancy-foreground-');
	const source = `
		import { runInForeground } from './src/process/foreground.ts';
		import { writeFileSync } from 'node:fs';
		const program = { command: process.argv[3] ?? 'sh', args: ['-c', process.argv[2]], cwd: process.cwd(), env: { ADDED: 'yes', REMOVED: null } };
		const note = async pid => {
			writeFileSync('pid', String(pid));
			if (process.env.FAILS) throw new Error('the disk is full');
		};
		runInForeground(program, note).then(
			code => process.exit(code),
			error => { console.log(error.code, error.message); process.exit(99); },
		);`;
	await build({
		stdin: { contents: source, resolveDir: join(import.meta.dirname, '../../..'), loader: 'ts' },
		bundle: true,
		platform: 'node',
		outfile: folder.file('run.js'),
		logLevel: 'silent',
	});
});
afterAll(() => folder.remove());

function start(script: string, { command, fails }: { command?: string; fails?: boolean } = {}) {
	const program = folder.file(`script-${Math.random()}.sh`);
	writeFileSync(program, script);
	chmodSync(program, 0o755);
	const env = { PATH: process.env['PATH'] ?? '', REMOVED: 'no', ...(fails === true && { FAILS: '1' }) };
	const args = [folder.file('run.js'), `. '${program}'`, ...(command === undefined ? [] : [command])];
	return terminal(process.execPath, args, { cwd: folder.path, env });
}

describe('runInForeground', () => {
	it('gives the program the terminal, the changed environment and its exit code', async () => {
		const screen = start('[ -t 0 ] && [ -t 1 ] && echo "tty $ADDED ${REMOVED-gone}"; exit 7');

		expect(await screen.ended).toBe(7);
		await eventually('its output', () => screen.screen() === 'tty yes gone');
		await screen.close();
	});

	it('tells the pid of the program', async () => {
		const screen = start('echo "pid $$"; exit 0');
		await screen.ended;

		await eventually('its pid', () => screen.screen() === `pid ${readFileSync(folder.file('pid'), 'utf8')}`);
		await screen.close();
	});

	it('lets Ctrl+C reach the program once, and outlives it', async () => {
		const screen = start(
			'trap "echo interrupted; done=yes" INT; echo ready; until [ "$done" ]; do sleep 0.05; done; sleep 0.3; exit 3',
		);
		await screen.waitForText(/ready/);
		screen.type('\u0003');

		expect(await screen.ended).toBe(3);
		await eventually('it was interrupted once', () => screen.history().match(/interrupted/g)?.length === 1);
		await screen.close();
	});

	it.each(['SIGTERM', 'SIGHUP'] as const)('passes %s on and ends as the program does', async signal => {
		const screen = start(`trap "echo told; exit 5" ${signal.slice(3)}; echo ready; while :; do sleep 0.05; done`);
		await screen.waitForText(/ready/);
		process.kill(screen.pid, signal);

		expect(await screen.ended).toBe(5);
		await screen.close();
	});

	it('says 128 + the number of the signal that ended the program', async () => {
		const screen = start('kill -KILL $$');

		expect(await screen.ended).toBe(128 + 9);
		await screen.close();
	});

	it('ends a program of which nobody could note that it runs, and says why', async () => {
		const screen = start('while :; do sleep 0.05; done', { fails: true });

		expect(await screen.ended).toBe(99);
		await screen.waitForText(/undefined the disk is full/);
		const pid = Number(readFileSync(folder.file('pid'), 'utf8'));
		expect(() => process.kill(pid, 0)).toThrow('ESRCH');
		await screen.close();
	});

	it('says so when the program is not there', async () => {
		const screen = start('', { command: '/nowhere/agent' });

		expect(await screen.ended).toBe(99);
		await screen.waitForText(/no-agent \/nowhere\/agent could not be started/);
		await screen.close();
	});
});
