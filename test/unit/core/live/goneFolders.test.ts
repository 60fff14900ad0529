import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ownMachine } from '../../../../src/base/machine.ts';
import { OwnFolder } from '../../../../src/core/files/ownFolder.ts';
import { forgetGoneFolders } from '../../../../src/core/live/goneFolders.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';

let folder: TempFolder;
let data: string;
let project: string;
let own: OwnFolder;
let note: string;

const DAY = 24 * 60 * 60 * 1000;

beforeEach(async () => {
	folder = tempFolder();
	data = folder.file('data');
	project = folder.file('project');
	mkdirSync(data, { mode: 0o700 });
	mkdirSync(project);
	own = new OwnFolder(data, project);
	note = `${own.folder}.json`;
	await own.write({ text: 'the password is hunter2' }, 'mail', 'one.json');
});
afterEach(() => folder.remove());

it('a note beside the records says whose they are', () => {
	expect(JSON.parse(readFileSync(note, 'utf8'))).toEqual({ version: 1, folder: project, machine: ownMachine() });
});

it('a folder of records has a note, also if nothing was written to it yet', async () => {
	const other = new OwnFolder(data, folder.file('other'));
	await other.makeFolder();
	expect(existsSync(`${other.folder}.json`)).toBe(true);
});

it('records of a folder that is gone are removed after 14 days, and no others', async () => {
	const kept = folder.file('kept');
	mkdirSync(kept);
	const other = new OwnFolder(data, kept);
	await other.write({}, 'mail', 'two.json');
	rmSync(project, { recursive: true });
	const now = Date.now();
	await forgetGoneFolders(data, now);
	await forgetGoneFolders(data, now + 13 * DAY);
	expect(existsSync(own.folder)).toBe(true);
	await forgetGoneFolders(data, now + 15 * DAY);
	expect(readdirSync(join(data, 'workspaces')).toSorted()).toEqual(
		[other.folder, `${other.folder}.json`].map(path => path.slice(join(data, 'workspaces').length + 1)).toSorted(),
	);
});

it('a folder that came back, or is used again, counts as gone from its next loss', async () => {
	const away = folder.file('away');
	const now = Date.now();
	renameSync(project, away);
	await forgetGoneFolders(data, now);
	renameSync(away, project);
	await forgetGoneFolders(data, now + DAY);
	renameSync(project, away);
	await forgetGoneFolders(data, now + 15 * DAY);
	expect(existsSync(own.folder)).toBe(true);
	await new OwnFolder(data, project).write({}, 'mail', 'two.json');
	await forgetGoneFolders(data, now + 30 * DAY);
	expect(existsSync(own.folder)).toBe(true);
});

it('nobody judges a folder of another machine, or by a note that does not belong to the records', async () => {
	rmSync(project, { recursive: true });
	const said = JSON.parse(readFileSync(note, 'utf8')) as object;
	const goneSince = new Date(0).toISOString();
	for (const wrong of [{ machine: 'zz.00000000.1' }, { folder: folder.file('elsewhere') }]) {
		writeFileSync(note, JSON.stringify({ ...said, goneSince, ...wrong }));
		await forgetGoneFolders(data, Date.now());
		expect(existsSync(own.folder)).toBe(true);
	}
	writeFileSync(note, JSON.stringify({ ...said, goneSince }));
	await forgetGoneFolders(data, Date.now());
	expect(existsSync(own.folder)).toBe(false);
});
