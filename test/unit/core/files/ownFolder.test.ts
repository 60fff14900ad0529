import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { OwnFolder } from '../../../../src/core/files/ownFolder.ts';
import { withoutRoot } from '../../../support/skipped.ts';
import { tempFolder } from '../../../support/tempFolder.ts';

const Note = z.object({ said: z.string() });

async function place() {
	const folder = tempFolder().path;
	const workspace = join(folder, 'project');
	await mkdir(workspace);
	return { folder, workspace, data: join(folder, 'data') };
}

describe('OwnFolder', () => {
	it('gives back what was written, to its user alone, and nothing where nothing was written', async () => {
		const { workspace, data } = await place();
		const own = new OwnFolder(data, workspace);
		expect(await own.read(Note, 'notes', 'a')).toBeUndefined();

		await own.write({ said: 'yes' }, 'notes', 'a');

		expect(await own.read(Note, 'notes', 'a')).toEqual({ said: 'yes' });
		expect((await stat(own.path('notes', 'a'))).mode & 0o777).toBe(0o600);
		expect((await stat(own.folder)).mode & 0o777).toBe(0o700);
	});

	it('says whose the records are before there are any, wherever it is killed', async () => {
		const { workspace, data } = await place();
		const own = new OwnFolder(data, workspace);
		// No note can get the name.
		await mkdir(join(`${own.folder}.json`, 'full'), { recursive: true });
		await expect(own.write({ said: 'yes' }, 'notes', 'a')).rejects.toThrow();
		expect(existsSync(own.folder)).toBe(false);
	});

	it('may be below a link that is called .nancy, as on another disk', async () => {
		const { folder, workspace } = await place();
		await mkdir(join(folder, 'disk'));
		await symlink(join(folder, 'disk'), join(folder, '.nancy'));
		const own = new OwnFolder(join(folder, '.nancy', 'nancy'), workspace);
		await own.write({ said: 'yes' }, 'notes', 'a');
		expect(await own.create({ said: 'no' }, 'notes', 'a')).toBe(false);
		expect(await own.read(Note, 'notes', 'a')).toEqual({ said: 'yes' });
	});

	it('is the same for two paths to one workspace, and another for another workspace', async () => {
		const { folder, workspace, data } = await place();
		await symlink(workspace, join(folder, 'alias'));
		expect(new OwnFolder(data, join(folder, 'alias')).folder).toBe(new OwnFolder(data, workspace).folder);
		expect(new OwnFolder(data, folder).folder).not.toBe(new OwnFolder(data, workspace).folder);
	});

	it('lets one of several callers create a record', async () => {
		const { workspace, data } = await place();
		const own = new OwnFolder(data, workspace);
		const made = await Promise.all(
			Array.from({ length: 8 }, (_, index) => own.create({ said: `${index}` }, 'once')),
		);
		expect(made.filter(Boolean)).toHaveLength(1);
		expect(JSON.parse(await readFile(own.path('once'), 'utf8'))).toEqual({ said: String(made.indexOf(true)) });
	});

	it.each(['..', '.hidden', 'a/b', '', 'a\nb'])('takes %j for no name', async name => {
		const { workspace, data } = await place();
		expect(() => new OwnFolder(data, workspace).path(name)).toThrow(/cannot name a record/);
	});

	it('closes a folder of its user’s that others may write, and refuses one that is a link', async () => {
		const { folder, workspace, data } = await place();
		const own = new OwnFolder(data, workspace);
		await own.write({ said: 'yes' }, 'a');
		for (const open of [data, own.folder]) await chmod(open, 0o777);
		expect(await own.read(Note, 'a')).toEqual({ said: 'yes' });
		for (const open of [data, own.folder]) expect((await stat(open)).mode & 0o777).toBe(0o755);

		const linked = new OwnFolder(join(folder, 'link'), workspace);
		await symlink(data, join(folder, 'link'));
		await expect(linked.read(Note, 'a')).rejects.toThrow(/is not a folder/);
	});

	it.skipIf(withoutRoot)(`refuses folders and records of another user${withoutRoot}`, async () => {
		const { workspace, data } = await place();
		const own = new OwnFolder(data, workspace);
		await own.write({ said: 'yes' }, 'a');
		for (const theirs of [own.path('a'), own.folder, data]) {
			await chown(theirs, 12_345, 12_345);
			await expect(own.read(Note, 'a')).rejects.toThrow(/belongs to user 12345/);
			await chown(theirs, 0, 0);
		}
	});

	it('is not held up by a pipe in place of a record, or led elsewhere by a link', async () => {
		await using folder = tempFolder();
		const own = new OwnFolder(folder.file('data'), folder.path);
		await own.write({ version: 1 }, 'seals', 'one.json');
		execFileSync('mkfifo', [own.path('seals', 'pipe.json')]);
		await symlink('/dev/zero', own.path('seals', 'link.json'));
		const schema = z.looseObject({ version: z.literal(1) });
		for (const name of ['pipe.json', 'link.json'])
			expect(() => own.readSync(schema, 'seals', name)).toThrow(expect.objectContaining({ code: 'bad-file' }));
		expect(own.readSync(schema, 'seals', 'one.json')).toEqual({ version: 1 });
		expect(own.readSync(schema, 'seals', 'none.json')).toBeUndefined();
	});

	it('keeps bytes as they are', async () => {
		const { workspace, data } = await place();
		const own = new OwnFolder(data, workspace);
		expect(await own.readBytes('originals', 'a')).toBeUndefined();
		await own.writeBytes(Uint8Array.of(0, 255), 'originals', 'a');
		expect(await own.readBytes('originals', 'a')).toEqual(Buffer.of(0, 255));
	});
});
