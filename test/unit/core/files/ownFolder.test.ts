import { chmod, mkdir, readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { OwnFolder } from '../../../../src/core/files/ownFolder.ts';
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

	it('refuses a folder that others may write, and one that is a link', async () => {
		const { folder, workspace, data } = await place();
		const own = new OwnFolder(data, workspace);
		await own.write({ said: 'yes' }, 'a');
		await chmod(data, 0o777);
		await expect(own.read(Note, 'a')).rejects.toThrow(/can be written by other users/);
		await expect(own.write({ said: 'no' }, 'a')).rejects.toThrow(/can be written by other users/);
		await chmod(data, 0o700);

		const linked = new OwnFolder(join(folder, 'link'), workspace);
		await symlink(data, join(folder, 'link'));
		await expect(linked.read(Note, 'a')).rejects.toThrow(/is not a folder/);
	});
});
