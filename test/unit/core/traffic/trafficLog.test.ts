import { appendFile, utimes } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TrafficLog } from '../../../../src/core/traffic/trafficLog.ts';
import { Workspace } from '../../../../src/core/workspace/workspace.ts';
import { SessionId } from '../../../../src/protocol/names.ts';
import { countCalls } from '../../../support/countedCalls.ts';
import { fakeDriver } from '../../../support/fakeDriver.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';

let folder: TempFolder;
let workspace: Workspace;
beforeEach(async () => {
	folder = tempFolder();
	workspace = new Workspace(folder.path);
	await workspace.prepare();
});
afterEach(() => folder.remove());

const START_MS = Date.parse('2026-01-01T00:00:00.000Z');

async function add(name: string, minutes: readonly number[]): Promise<void> {
	const session = SessionId.parse(name);
	const file = workspace.paths.trafficFile(session);
	for (const minute of minutes) {
		const at = new Date(START_MS + minute * 60_000);
		const event = { driver: fakeDriver.id, session, kind: 'stop', event: 'Stop' };
		const id = `${name}-${minute}`;
		await appendFile(file, `${JSON.stringify({ version: 1, id, at, type: 'event', event, payload: {} })}\n`);
		await utimes(file, at, at);
	}
}
const ids = (records: readonly { id: string }[]) => records.map(({ id }) => id);

it('reads the newest records from the sessions that were written last, and opens no other', async () => {
	for (let i = 0; i < 30; i++) await add(`old-${i}`, [i]);
	await add('a', [100, 102, 104]);
	await add('b', [90, 101, 103]);
	const calls = countCalls('open');
	const log = new TrafficLog(workspace);
	expect(ids(await log.readNewest(4))).toEqual(['b-101', 'a-102', 'b-103', 'a-104']);
	expect(calls.count('open', path => path.endsWith('.jsonl'))).toBeLessThanOrEqual(2);
	calls.stop();
	// What comes is read on, also in a session that was left out, and nothing of what was before.
	await add('old-7', [110]);
	await add('b', [111]);
	await add('new', [112]);
	expect(ids(await log.readNew())).toEqual(['old-7-110', 'b-111', 'new-112']);
});

it('finds the newest records that are wanted wherever they are', async () => {
	await add('a', [1, 2, 3]);
	await add('b', [4, 5, 6]);
	const log = new TrafficLog(workspace);
	expect(ids(await log.readNewest(2, ({ id }) => id.startsWith('a')))).toEqual(['a-2', 'a-3']);
	expect(await log.readNew()).toEqual([]);
	expect(await new TrafficLog(workspace).readNewest(0)).toEqual([]);
});
