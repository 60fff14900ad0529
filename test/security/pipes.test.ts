import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { quoted } from '../../src/base/shellWord.ts';
import { readText } from '../../src/core/deployment/target.ts';
import { TrafficFollower } from '../../src/core/traffic/store.ts';
import { trafficFiles } from '../../src/core/traffic/trafficFile.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { askAt, git } from '../../src/git/git.ts';
import { checkoutAt } from '../../src/git/homeCheckout.ts';
import { changesOf } from '../../src/git/worktreeChanges.ts';
import { mergeWorktree } from '../../src/git/worktreeMerge.ts';
import { removeWorktree, whatWouldBeLost } from '../../src/git/worktreeRemove.ts';
import { pipeInTheWay } from '../../src/git/pipeInTheWay.ts';
import { SessionId } from '../../src/protocol/names.ts';
import { gitRepository, type GitRepository } from '../support/gitRepository.ts';
import { onWindows } from '../support/skipped.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { worktreeRepository } from '../support/worktreeRepository.ts';

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

it.skipIf(onWindows).each(['.git/config', '.git/HEAD'])(`%s holds no question to git up${onWindows}`, async file => {
	const checkout = await checkoutAt(repository.root);
	makePipe(file);
	await expect(askAt(repository.root, ['rev-parse', 'HEAD'], { timeoutMs: 500 })).rejects.toMatchObject({
		code: 'timeout',
		message: expect.stringContaining('a pipe?'),
	});
	await expect(git(checkout, ['status'], { timeoutMs: 500 })).rejects.toMatchObject({ code: 'timeout' });
});

it.skipIf(onWindows).each(['.git/index', '.git/logs/HEAD', '.git/info/attributes', '.git/worktrees/x/gitdir'])(
	`%s is refused before a git waits for it that may work for long${onWindows}`,
	async file => {
		makePipe(file);
		await expect(checkoutAt(repository.root)).rejects.toMatchObject({ code: 'not-trusted' });
	},
);

describe.skipIf(onWindows).concurrent(`in a worktree${onWindows}`, () => {
	it.each(['sub/.gitattributes', 'new/.gitignore'])(
		'%s holds no review, merge or discard up for good: the error names it, and its removal is the cure',
		async name => {
			const { repo, made } = await worktreeRepository();
			try {
				repo.write({ 'a.txt': 'work', 'sub/b.txt': 'more' }, made.folder);
				const pipe = join(made.folder, name);
				mkdirSync(dirname(pipe), { recursive: true });
				execFileSync('mkfifo', [pipe]);
				const before = repo.state();
				const all = [
					changesOf(made),
					whatWouldBeLost(made),
					mergeWorktree(made, 'm'),
					removeWorktree(made, { discard: true }),
				];
				const refusal = {
					status: 'rejected',
					reason: { code: 'not-trusted', message: expect.stringContaining(`rm ${quoted(pipe)}`) },
				};
				expect(await Promise.allSettled(all)).toMatchObject(all.map(() => refusal));
				expect(repo.state()).toEqual(before);
				rmSync(pipe);
				expect(await mergeWorktree(made, 'm')).toMatchObject({ ok: true });
			} finally {
				await repo.remove();
			}
		},
	);

	it('a device is found too, behind a link that an older git follows', async () => {
		await using folder = tempFolder();
		mkdirSync(folder.file('sub'));
		symlinkSync('/dev/null', folder.file('.gitignore'));
		symlinkSync('/dev/zero', folder.file('sub/.gitattributes'));
		const found = await pipeInTheWay(folder.path, new AbortController().signal);
		expect(found).toBe(folder.file('sub/.gitattributes'));
	});
});

it.skipIf(onWindows)(`settings of another tool hold no reader up${onWindows}`, async () => {
	makePipe('.claude/settings.local.json');
	await expect(readText(new Workspace(repository.root), '.claude/settings.local.json')).rejects.toMatchObject({
		code: 'bad-file',
		message: expect.stringContaining('no ordinary file'),
	});
});

it.skipIf(onWindows)(`traffic of a session holds nobody up who looks for its questions${onWindows}`, async () => {
	const { paths } = new Workspace(repository.root);
	const session = SessionId.parse('s1');
	for (const file of trafficFiles(paths, session)) makePipe(relative(repository.root, file));
	expect(await new TrafficFollower(paths, session).next()).toEqual([]);
});
