import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { JobFiles } from '../../../src/executors/jobFiles.ts';
import { isWaiting, pipedVariables, variablesFromPipe } from '../../../src/executors/variablesPipe.ts';
import { DelegateId } from '../../../src/protocol/delegate.ts';
import { eventually } from '../../support/eventually.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';

let home: TempFolder;
let files: JobFiles;
beforeEach(() => {
	home = tempFolder();
	vi.stubEnv('HOME', home.path);
	files = new JobFiles(DelegateId.parse('20261129t101538501z-4cc5001c'));
	mkdirSync(files.folder, { recursive: true });
});
afterEach(async () => {
	vi.unstubAllEnvs();
	await home.remove();
});

/** Beside this process: it reads what comes. */
function pipe(text: string): void {
	spawn('/bin/sh', ['-c', 'cat >"$0"', files.variablesPipe]).stdin.end(text);
}

it('variables come through a pipe that is its user’s alone, and gone afterwards', async () => {
	const coming = variablesFromPipe(files, new AbortController().signal);
	await eventually('it waits', () => isWaiting(files));
	const stats = statSync(files.variablesPipe);
	expect([stats.isFIFO(), stats.mode & 0o777]).toEqual([true, 0o600]);
	const variables = { KEY: 'a "long"\nvalue', OTHER: '' };
	pipe(pipedVariables(variables));
	expect(await coming).toEqual(variables);
	expect(existsSync(files.variablesPipe)).toBe(false);
});

it.each(['[]\n', '{"NANCY_RUN":"x"}\n', '{"A=B":"x"}\n', 'garbage\n'])('what is none is refused: %j', async text => {
	const coming = variablesFromPipe(files, new AbortController().signal);
	const refused = expect(coming).rejects.toMatchObject({
		code: 'bad-file',
		message: expect.not.stringContaining('garbage'),
	});
	await eventually('it waits', () => isWaiting(files));
	pipe(text);
	await refused;
	expect(existsSync(files.variablesPipe)).toBe(false);
});

it('a job that is cancelled waits no more', async () => {
	const stop = new AbortController();
	const coming = variablesFromPipe(files, stop.signal);
	const refused = expect(coming).rejects.toMatchObject({ code: 'timeout' });
	await eventually('it waits', () => isWaiting(files));
	stop.abort();
	await refused;
	expect(existsSync(files.variablesPipe)).toBe(false);
});

it('a job to which nobody brings them waits ten minutes', async () => {
	vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
	try {
		const coming = variablesFromPipe(files, new AbortController().signal);
		const refused = expect(coming).rejects.toMatchObject({ code: 'timeout' });
		await eventually('it waits', () => isWaiting(files) && vi.getTimerCount() === 1);
		vi.advanceTimersByTime(10 * 60_000);
		await refused;
	} finally {
		vi.useRealTimers();
	}
	expect(existsSync(files.variablesPipe)).toBe(false);
});
