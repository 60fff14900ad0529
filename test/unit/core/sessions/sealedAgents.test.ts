import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ownIdentity } from '../../../../src/base/liveness.ts';
import { processesOf, sealCall, sealedAgent, sealStart } from '../../../../src/core/sessions/sealedAgents.ts';
import { FIRST_WORKER, TaskName, WorkerName } from '../../../../src/protocol/names.ts';
import { tempFolder } from '../../../support/tempFolder.ts';

const self = ownIdentity();
const worker = { folder: '/w', address: { task: TaskName.parse('build'), worker: FIRST_WORKER } };
const other = { ...worker, address: { ...worker.address, worker: WorkerName.parse('worker-2') } };

it('a process is sealed by its window and by its hook in one moment, whoever writes last', async () => {
	await using folder = tempFolder();
	const [byWindow, byHook, both] = ['window', 'hook', 'both'].map(name => folder.file(name)) as [
		string,
		string,
		string,
	];
	// Neither has seen what the other writes.
	sealStart(byWindow, self, worker);
	sealCall(byHook, self, worker);
	for (const order of [
		[byWindow, byHook],
		[byHook, byWindow],
	]) {
		mkdirSync(both, { mode: 0o700 });
		for (const each of order) cpSync(each, both, { recursive: true });
		expect(sealedAgent(both, self)).toEqual({ process: self, isStarted: true, hasCalled: true, worker });
		expect(processesOf(both, worker)).toHaveLength(1);
		rmSync(both, { recursive: true });
	}
});

it('a start is for good, and what was called before counts only if it was the same worker’s', async () => {
	await using folder = tempFolder();
	const data = folder.file('data');
	sealCall(data, self, other);
	expect(sealedAgent(data, self)).toMatchObject({ isStarted: false, hasCalled: true, worker: other });
	sealStart(data, self, worker);
	expect(sealedAgent(data, self)).toMatchObject({ isStarted: true, hasCalled: false, worker });
	sealCall(data, self, other);
	expect(sealedAgent(data, self)).toMatchObject({ isStarted: true, hasCalled: true, worker });
	expect(processesOf(data, other)).toEqual([]);
});
