import { execFileSync } from 'node:child_process';
import {
	appendFileSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cleanUp } from '../../../src/core/deployment/cleanUp.ts';
import { deploy, deploymentState } from '../../../src/core/deployment/deploy.ts';
import { undeploy } from '../../../src/core/deployment/undeploy.ts';
import type { DeployRequest } from '../../../src/core/deployment/job.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { askGit } from '../../../src/git/askGit.ts';
import { gitRepository, type GitRepository } from '../../support/gitRepository.ts';
import { ownFilesDriver, SHARED } from '../../support/ownFilesDriver.ts';
import { withoutRoot } from '../../support/skipped.ts';
import { tempFolder } from '../../support/tempFolder.ts';

const alpha = ownFilesDriver('alpha');
const beta = ownFilesDriver('beta');
const TRUST = 'Trust the folder.';
const PLUGIN = '.alpha/plugin/nancy.js';

let repository: GitRepository;
beforeEach(() => {
	repository = gitRepository();
});
afterEach(() => repository.remove());

const data = tempFolder('nancy-data-');
afterAll(() => data.remove());
const dataFolder = data.file('nancy');
const request: DeployRequest = {
	agentVersion: [1, 0, 0],
	scope: 'workspace',
	askGit,
	runtime: {
		folder: join(dataFolder, 'runtime/1-a'),
		launcher: join(dataFolder, 'runtime/1-a/nancy-hook'),
		bin: '',
		skills: '/nowhere',
		version: '1-a',
		dataFolder,
	},
};
const status = (folder?: string) => repository.git(['status', '--porcelain', '--untracked-files=all'], folder);
const exclude = (folder = repository.root) => {
	const file = repository.git(['rev-parse', '--git-path', 'info/exclude'], folder);
	return file.startsWith('/') ? file : join(folder, file);
};
const takenBack = (folder: string) => cleanUp(new Workspace(folder), undefined, [alpha, beta], { dataFolder, askGit });

describe('files that Nancy makes in a checkout', () => {
	it.each([
		['at its top', () => repository.root],
		[
			'in a folder of it',
			() => {
				mkdirSync(join(repository.root, 'web [1]/app'), { recursive: true });
				return join(repository.root, 'web [1]/app');
			},
		],
		[
			'in a linked worktree',
			() => {
				repository.git(['worktree', 'add', '--quiet', '../linked']);
				return join(repository.root, '../linked');
			},
		],
		[
			'in a submodule',
			() => {
				repository.git(['submodule', '--quiet', 'add', repository.root, 'module']);
				repository.commit({}, 'a submodule');
				return join(repository.root, 'module');
			},
		],
	])('are not shown by git, and its exclude file is as before after clean-up (%s)', async (_where, folderOf) => {
		const folder = folderOf();
		const workspace = new Workspace(folder);
		const before = readFileSync(exclude(folder));
		await deploy(workspace, alpha, request);
		await deploy(workspace, beta, request);
		expect(existsSync(join(folder, PLUGIN))).toBe(true);
		expect(status(folder)).toBe('');
		repository.git(['add', '--all'], folder);
		expect(status(folder)).toBe('');
		expect((await deploy(workspace, alpha, request)).changed).toEqual([]);

		await undeploy(workspace, alpha, { dataFolder, askGit });
		expect(status(folder)).toBe('');
		await undeploy(workspace, beta, { dataFolder, askGit });
		expect(readFileSync(exclude(folder))).toEqual(before);
	});

	it('are told of in no line where git ignores them anyway, nor where the file was there before', async () => {
		repository.commit({ '.gitignore': '.alpha/\n' });
		repository.write({ [SHARED]: '{}' });
		const before = readFileSync(exclude());
		await deploy(new Workspace(repository.root), alpha, request);
		expect(readFileSync(exclude())).toEqual(before);
		expect(status()).toContain(SHARED);
	});

	it('leave no folder behind that was made for the exclude file', async () => {
		rmSync(join(repository.root, '.git/info'), { recursive: true });
		await deploy(new Workspace(repository.root), alpha, request);
		expect(status()).toBe('');
		await takenBack(repository.root);
		expect(existsSync(join(repository.root, '.git/info'))).toBe(false);
	});

	it('share the exclude file with those of another worktree, whichever goes first', async () => {
		repository.git(['worktree', 'add', '--quiet', '../linked']);
		const linked = join(repository.root, '../linked');
		writeFileSync(exclude(), 'no end');
		for (const folder of [repository.root, linked]) await deploy(new Workspace(folder), alpha, request);
		await takenBack(repository.root);
		expect(status(linked)).toBe('');
		await takenBack(linked);
		expect(readFileSync(exclude(), 'utf8')).toBe('no end');
	});

	it('take the lines of a folder that is gone with them', async () => {
		repository.git(['worktree', 'add', '--quiet', '../linked']);
		const before = readFileSync(exclude());
		await deploy(new Workspace(join(repository.root, '../linked')), alpha, request);
		rmSync(join(repository.root, '../linked'), { recursive: true });
		await deploy(new Workspace(repository.root), alpha, request);
		expect(readFileSync(exclude(), 'utf8')).not.toContain('linked');
		await takenBack(repository.root);
		expect(readFileSync(exclude())).toEqual(before);
	});

	it('leave what somebody else wrote there, and make a file that was not there go again', async () => {
		rmSync(exclude());
		await deploy(new Workspace(repository.root), alpha, request);
		expect(statSync(exclude()).mode & 0o777).toBe(0o644);
		appendFileSync(exclude(), '*.mine\n');
		await takenBack(repository.root);
		expect(readFileSync(exclude(), 'utf8')).toBe('*.mine\n');
		rmSync(exclude());
		await deploy(new Workspace(repository.root), alpha, request);
		await takenBack(repository.root);
		expect(existsSync(exclude())).toBe(false);
	});

	it('have no line left after a clean-up without a record, nor after a refused deployment', async () => {
		const before = readFileSync(exclude());
		const workspace = new Workspace(repository.root);
		await deploy(workspace, alpha, request);
		rmSync(workspace.paths.root, { recursive: true });
		await takenBack(repository.root);
		expect(readFileSync(exclude())).toEqual(before);

		repository.write({ [SHARED]: '{' });
		await expect(deploy(workspace, alpha, request)).rejects.toMatchObject({ code: 'settings-broken' });
		expect(readFileSync(exclude())).toEqual(before);
	});

	it('warn of a settings file that git tracks, once', async () => {
		repository.commit({ [SHARED]: '{}' });
		const workspace = new Workspace(repository.root);
		expect((await deploy(workspace, alpha, request)).warnings).toEqual([
			TRUST,
			`${SHARED} is tracked by git: do not commit Nancy's lines in it.`,
		]);
		expect((await deploy(workspace, alpha, request)).warnings).toEqual([TRUST]);
	});

	it('are deployed where there is no repository', async () => {
		await using folder = tempFolder();
		expect(await askGit(folder.path, ['x'])).toBeUndefined();
		expect((await deploy(new Workspace(folder.path), alpha, request)).warnings).toEqual([TRUST]);
	});

	it.each(['info', 'info/exclude'])('write nothing through a link in the place of .git/%s', async part => {
		await using folder = tempFolder();
		const outside = folder.file(part === 'info' ? '' : 'bashrc');
		if (part !== 'info') writeFileSync(outside, 'mine');
		rmSync(join(repository.root, '.git', part), { recursive: true });
		symlinkSync(outside, join(repository.root, '.git', part));
		const { warnings } = await deploy(new Workspace(repository.root), alpha, request);
		expect(warnings).toEqual([TRUST]);
		expect(existsSync(join(repository.root, PLUGIN))).toBe(true);
		expect(readdirSync(folder.path).map(name => readFileSync(folder.file(name), 'utf8'))).toEqual(
			part === 'info' ? [] : ['mine'],
		);
	});
});

describe('links that came with the repository', () => {
	const asIs = () => mkdirSync(join(repository.root, '.tool'), { recursive: true });
	const throughALink = () => {
		mkdirSync(join(repository.root, 'cfg'), { recursive: true });
		symlinkSync('cfg', join(repository.root, '.tool'));
	};
	const inASubmodule = () => {
		repository.git(['clone', '--quiet', '.', '../module']);
		repository.git(['submodule', '--quiet', 'add', '../module', '.tool']);
	};

	it.each([
		['as it is', asIs],
		['behind a link that stays in the workspace', throughALink],
		['in a submodule', inASubmodule],
	])('lead to no settings file outside, nor does a link that git does not track (%s)', async (_, makeFolder) => {
		const victim = join(repository.root, '../settings.json');
		writeFileSync(victim, '{}');
		makeFolder();
		symlinkSync('../../settings.json', join(repository.root, SHARED));
		const folder = realpathSync(join(repository.root, '.tool'));
		repository.git(['add', '--all'], folder);
		repository.commit({}, 'brought along');
		const before = repository.state();
		const workspace = new Workspace(repository.root);
		const refusal = {
			code: 'settings-broken',
			message:
				`${SHARED} is a link that leads out of the workspace folder. ` +
				'Put a file there and try again; Nancy has not touched anything.',
		};
		await expect(deploy(workspace, alpha, request)).rejects.toMatchObject(refusal);
		expect(readFileSync(victim, 'utf8')).toBe('{}');
		rmSync(workspace.paths.root, { recursive: true });
		expect(repository.state()).toEqual(before);

		repository.git(['rm', '--quiet', '--cached', 'settings.json'], folder);
		await expect(deploy(workspace, alpha, request)).rejects.toMatchObject(refusal);
		await expect(deploymentState(workspace, alpha, request)).rejects.toMatchObject(refusal);
		expect(readFileSync(victim, 'utf8')).toBe('{}');
	});

	it('and stay in the workspace hide nothing: what git tracks behind one is named, what is new is not shown', async () => {
		repository.commit({ 'cfg/settings.json': '{}' });
		for (const name of ['.tool', '.alpha', '.agents']) symlinkSync('cfg', join(repository.root, name));
		repository.commit({}, 'links');
		const workspace = new Workspace(repository.root);
		expect((await deploy(workspace, alpha, request)).warnings).toEqual([
			TRUST,
			`${SHARED} is tracked by git: do not commit Nancy's lines in it.`,
		]);
		expect(status().trim()).toBe('M cfg/settings.json');
		await takenBack(repository.root);
		expect(status()).toBe('');
		expect(readFileSync(exclude(), 'utf8')).not.toContain('cfg');
	});

	it.skipIf(withoutRoot)(
		`lead nowhere in a repository of somebody else either, and nothing is written into it${withoutRoot}`,
		async () => {
			const victim = join(repository.root, '../settings.json');
			writeFileSync(victim, '{}');
			asIs();
			symlinkSync('../../settings.json', join(repository.root, SHARED));
			repository.commit({}, 'brought along');
			const before = readFileSync(exclude());
			execFileSync('chown', ['-R', '1234', repository.root]);
			await expect(deploy(new Workspace(repository.root), alpha, request)).rejects.toMatchObject({
				message: expect.stringContaining('leads out of the workspace folder'),
			});
			expect(readFileSync(victim, 'utf8')).toBe('{}');
			rmSync(join(repository.root, SHARED));
			await deploy(new Workspace(repository.root), alpha, request);
			expect(readFileSync(join(repository.root, '.git/info/exclude'))).toEqual(before);
		},
	);
});
