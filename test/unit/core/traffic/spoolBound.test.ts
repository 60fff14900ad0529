import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Collector } from '../../../../src/core/live/collector.ts';
import { boundSpool } from '../../../../src/core/traffic/spoolBound.ts';
import { Workspace } from '../../../../src/core/workspace/workspace.ts';
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

const DAY_S = 24 * 60 * 60;

async function put(name: string, content = '{"session": "s1", "kind": "stop"}', ageS = 0): Promise<void> {
	const file = join(workspace.paths.spool, name);
	await writeFile(file, content);
	const at = Date.now() / 1000 - ageS;
	await utimes(file, at, at);
}
const event = (count: number) => `fake~Stop~${String(count).padStart(4, '0')}.json`;
const names = async () => (await readdir(workspace.paths.spool)).toSorted();

it('drops the oldest events when there are too many, and nothing that is not an event', async () => {
	for (let count = 0; count < 11; count++) await put(event(count), undefined, 1000 - count);
	await put('notes.txt', 'mine', DAY_S);
	await put('.0123456789ab.tmp', 'left behind', DAY_S);
	await put('.ba9876543210.tmp', 'being written');
	expect(boundSpool(workspace.paths.spool, { files: 11, bytes: 1e6 })).toEqual({ dropped: 0, waiting: 11 });
	expect(boundSpool(workspace.paths.spool, { files: 10, bytes: 1e6 })).toEqual({ dropped: 4, waiting: 7 });
	expect(await names()).toEqual(['.ba9876543210.tmp', ...[4, 5, 6, 7, 8, 9, 10].map(event), 'notes.txt']);
});

it('drops the oldest events when they are too large', async () => {
	for (let count = 0; count < 4; count++) await put(event(count), 'x'.repeat(1000), 1000 - count);
	expect(boundSpool(workspace.paths.spool, { files: 100, bytes: 3000 })).toEqual({ dropped: 2, waiting: 2 });
	expect(await names()).toEqual([event(2), event(3)]);
});

it('takes nothing from a collector that runs meanwhile but what it drops', async () => {
	const collector = new Collector(workspace, [fakeDriver]);
	for (let count = 0; count < 600; count++) await put(event(count), undefined, 1000 - count);
	const collecting = collector.collect();
	let dropped = 0;
	for (let round = 0; round < 20; round++) {
		dropped += boundSpool(workspace.paths.spool, { files: 100, bytes: 1e6 }).dropped;
		await new Promise(resolve => setTimeout(resolve, 1));
	}
	const { records } = await collecting;
	expect(records + (await collector.collect()).records + dropped).toBeGreaterThanOrEqual(600);
	expect(collector.problems).toEqual([]);
	expect(await names()).toEqual([]);
	await collector.close();
});
