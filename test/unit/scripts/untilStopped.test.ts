import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { identify, liveness } from '../../../src/base/liveness.ts';
import { repository } from '../../support/programs.ts';

const script = join(repository, 'test/fixtures/children/stoppedRun.mjs');
let started: number[] = [];
afterEach(() => {
	for (const each of started.map(identify).filter(one => liveness(one) === 'alive'))
		process.kill(each.pid, 'SIGKILL');
	started = [];
});

it.each([
	['npm', 'its shell stays above the script and ends without a word', 'SIGTERM', '"$@"; exit $?'],
	['a person', 'the script gets the signal', 'SIGINT', 'exec "$@"'],
] as const)('leaves no program of a run behind when %s stops it: %s', async (_who, _how, signal, command) => {
	const shell = spawn('sh', ['-c', command, 'sh', process.execPath, script], {
		env: { ...process.env, npm_lifecycle_event: 'test' },
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	let output = '';
	const isClosed = new Promise(resolve => shell.stdout.once('close', resolve));
	shell.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
	await expect.poll(() => output.trim().split('\n')).toHaveLength(2);
	started = output.trim().split('\n').map(Number);
	const programs = started.map(identify);
	expect(programs.map(liveness)).toEqual(['alive', 'alive']);

	shell.kill(signal);
	await isClosed;
	expect(output.trim().split('\n').at(-1)).toBe('stopped');
	expect(programs.map(liveness)).toEqual(['dead', 'dead']);
});
