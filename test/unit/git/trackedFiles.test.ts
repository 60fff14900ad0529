import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { refuseTracked } from '../../../src/git/refuseTracked.ts';
import { askGit } from '../../../src/git/askGit.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { gitRepository } from '../../support/gitRepository.ts';
import { tempFolder } from '../../support/tempFolder.ts';

afterEach(() => void vi.unstubAllEnvs());

it.each(['fatal: detected dubious ownership in repository at', 'fatal: unsafe repository (owned by someone else)'])(
	'what an old git does not say because of the owner is not taken for trust (%s)',
	async words => {
		await using repository = gitRepository();
		repository.commit({ '.nancy/config.json': '{}' });
		await using folder = tempFolder('nancy-old-git-');
		writeFileSync(folder.file('git'), `#!/bin/sh\necho "${words}" >&2\nexit 128\n`, { mode: 0o755 });
		vi.stubEnv('PATH', `${folder.path}:${process.env['PATH']}`);
		const refusal = { code: 'not-trusted', message: expect.stringContaining('safe.directory') };
		await expect(refuseTracked(new Workspace(repository.root))).rejects.toMatchObject(refusal);
		await expect(askGit(repository.root, ['x'])).rejects.toMatchObject(refusal);
	},
);

it('without git and outside a checkout nothing is known against a folder', async () => {
	await using folder = tempFolder('nancy-no-git-');
	await refuseTracked(new Workspace(folder.path));
	vi.stubEnv('PATH', join(folder.path, 'nowhere'));
	await refuseTracked(new Workspace(folder.path));
	expect(await askGit(folder.path, ['x'])).toBeUndefined();
});

it('an index that is a pipe holds nobody up', async () => {
	await using repository = gitRepository();
	rmSync(join(repository.root, '.git/index'), { force: true });
	execFileSync('mkfifo', [join(repository.root, '.git/index')]);
	await expect(refuseTracked(new Workspace(repository.root))).rejects.toMatchObject({
		code: 'bad-file',
		message: expect.stringContaining('no ordinary file'),
	});
});
