import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readText } from '../../src/core/deployment/target.ts';
import { TrafficFollower } from '../../src/core/traffic/store.ts';
import { trafficFiles } from '../../src/core/traffic/trafficFile.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { askAt, git } from '../../src/git/git.ts';
import { checkoutAt } from '../../src/git/homeCheckout.ts';
import { SessionId } from '../../src/protocol/names.ts';
import { gitRepository, type GitRepository } from '../support/gitRepository.ts';

// An agent may put a pipe that nobody writes to in place of a file. Whoever opens it waits for good.

let repository: GitRepository;
beforeEach(() => {
	repository = gitRepository();
});
afterEach(() => repository.remove());

function makePipe(name: string): void {
	const file = join(repository.root, name);
	rmSync(file, { force: true });
	mkdirSync(dirname(file), { recursive: true });
	execFileSync('mkfifo', [file]);
}

it.skipIf(process.platform === 'win32').each(['.git/config', '.git/HEAD'])(
	'%s holds no question to git up',
	async file => {
		const checkout = await checkoutAt(repository.root);
		makePipe(file);
		await expect(askAt(repository.root, ['rev-parse', 'HEAD'], { timeoutMs: 500 })).rejects.toMatchObject({
			code: 'timeout',
			message: expect.stringContaining('a pipe?'),
		});
		await expect(git(checkout, ['status'], { timeoutMs: 500 })).rejects.toMatchObject({ code: 'timeout' });
	},
);

it
	.skipIf(process.platform === 'win32')
	.each(['.git/index', '.git/logs/HEAD', '.git/info/attributes', '.git/worktrees/x/gitdir'])(
	'%s is refused before a git waits for it that may work for long',
	async file => {
		makePipe(file);
		await expect(checkoutAt(repository.root)).rejects.toMatchObject({ code: 'not-trusted' });
	},
);

it.skipIf(process.platform === 'win32')('settings of another tool hold no reader up', async () => {
	makePipe('.claude/settings.local.json');
	await expect(readText(new Workspace(repository.root), '.claude/settings.local.json')).rejects.toMatchObject({
		code: 'bad-file',
		message: expect.stringContaining('no ordinary file'),
	});
});

it.skipIf(process.platform === 'win32')(
	'traffic of a session holds nobody up who looks for its questions',
	async () => {
		const { paths } = new Workspace(repository.root);
		const session = SessionId.parse('s1');
		for (const file of trafficFiles(paths, session)) makePipe(relative(repository.root, file));
		expect(await new TrafficFollower(paths, session).next()).toEqual([]);
	},
);
