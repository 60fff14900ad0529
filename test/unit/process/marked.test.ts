import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { expect, it, onTestFinished, vi } from 'vitest';
import { markedProcesses, markWithin, RUN_MARK, stopMarked } from '../../../src/process/marked.ts';
import { eventually, HANG_MS } from '../../support/eventually.ts';
import { tempFolder } from '../../support/tempFolder.ts';

const marked = (mark: string) => markedProcesses(RUN_MARK, mark);

async function start(mark: string, script: string): Promise<void> {
	spawn('sh', ['-c', script], {
		env: { PATH: process.env['PATH'], [RUN_MARK]: mark },
		detached: true,
		stdio: 'ignore',
	});
	await eventually('it runs', async () => (await marked(mark)).length > 0);
}

it('what one that is asked to end starts on its way is ended too', async () => {
	const mark = randomUUID();
	await start(mark, 'trap "sleep 60 & exit" TERM; while :; do sleep 0.05; done');
	// Then the trap is set.
	await eventually('it sleeps', async () => (await marked(mark)).length > 1);
	// One call gives up after a while.
	await eventually('all have ended', async () => {
		await stopMarked(RUN_MARK, mark);
		return (await marked(mark)).length === 0;
	});
});

it('one that will not end is killed', async () => {
	const mark = randomUUID();
	await start(mark, 'trap "" TERM; while :; do sleep 0.05; done');
	await stopMarked(RUN_MARK, mark, 200);
	expect(await marked(mark)).toEqual([]);
});

it('one that will not end is killed, also if the machine sleeps meanwhile', async () => {
	await using folder = tempFolder();
	const mark = randomUUID();
	await start(mark, `trap 'touch "${folder.file('asked')}"' TERM; while :; do sleep 0.05; done`);
	// Then the trap is set.
	await eventually('it sleeps', async () => (await marked(mark)).length > 1);
	const now = Date.now.bind(Date);
	let sleptMs = 0;
	vi.spyOn(Date, 'now').mockImplementation(() => now() + sleptMs);
	onTestFinished(() => void vi.restoreAllMocks());
	const stopped = stopMarked(RUN_MARK, mark, HANG_MS);
	await eventually('it is asked', () => existsSync(folder.file('asked')));
	sleptMs = 2 * HANG_MS;
	await stopped;
	expect(await marked(mark)).toEqual([]);
});

it('a run inside another belongs to both, and its end is not the other’s', async () => {
	const outer = randomUUID();
	const inner = randomUUID();
	await start(outer, 'exec sleep 60');
	await start(markWithin(inner, { [RUN_MARK]: outer }), 'exec sleep 60');
	expect(await marked(outer)).toHaveLength(2);
	await stopMarked(RUN_MARK, inner);
	expect(await marked(outer)).toHaveLength(1);
	await stopMarked(RUN_MARK, outer);
	expect(await marked(outer)).toEqual([]);
});
