import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { remoteRoot } from '../../../src/executors/jobFiles.ts';
import { gitOf } from '../../../src/executors/there.ts';
import { commitThere } from '../../../src/git/repositoryThere.ts';
import { gitIn } from '../../support/delegateSeeds.ts';
import { killedAt } from '../../support/killedAt.ts';
import { leftElsewhere, realExecutor } from '../../support/leftElsewhere.ts';
import { killPoints, strideOr } from '../../support/rounds.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';

let folder: TempFolder;
beforeEach(() => {
	folder = tempFolder();
	vi.stubEnv('HOME', folder.file('home'));
});
afterEach(async () => {
	vi.unstubAllEnvs();
	await folder.remove();
});

type Left = Awaited<ReturnType<typeof leftElsewhere>>;
const lines = (text: string) => text.split('\n').slice(0, -1);
/** Those of Nancy's and all tags, without the worktree's own branch. */
const branches = ({ project, worktree }: Left) =>
	lines(
		gitIn(project, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/nancy', 'refs/nancy-*', 'refs/tags'),
	).filter(each => each !== worktree.branch);
const others = ({ worktree }: Left, ...names: readonly string[]) => names.map(name => `${worktree.branch}.${name}`);
const refsThere = ({ job }: Left) =>
	lines(gitIn(gitOf(job).shared, '--git-dir=.', 'for-each-ref', '--format=%(refname)'));

/** Its agent commits a file on a branch of its own. */
function commitOn({ files, worktree }: Left, branch: string, name = `${branch.replaceAll('/', '-')}.txt`) {
	const { tree } = files;
	gitIn(tree, 'stash', '--include-untracked', '--quiet');
	gitIn(tree, 'checkout', '--quiet', '-b', branch, worktree.base);
	writeFileSync(join(tree, name), branch);
	gitIn(tree, 'add', '--all');
	gitIn(tree, 'commit', '--quiet', '-m', branch);
	gitIn(tree, 'checkout', '--quiet', '--detach', worktree.base);
	gitIn(tree, 'stash', 'pop', '--quiet');
}

/** With branches, a tag and two entries of the stash. What is reachable from its base or its work is not named again. */
function leaveMuch(left: Left) {
	const { tree } = left.files;
	for (const branch of ['fix-a', 'topic/b', 'fix-A']) commitOn(left, branch);
	gitIn(tree, 'tag', '-a', '-m', 'tagged', 'v1', 'fix-a');
	gitIn(tree, 'branch', '--quiet', 'same', left.worktree.base);
	gitIn(tree, 'tag', 'begin', left.worktree.base);
	for (const content of ['first', 'second']) {
		writeFileSync(join(tree, 'a.txt'), content);
		gitIn(tree, 'stash', '--quiet');
	}
}

it('other branches, tags and stashes of a delegate on another machine come back as branches, and nothing of them stays there', async () => {
	const left = await leftElsewhere(folder);
	leaveMuch(left);
	const all = others(left, 'fix-A', 'fix-a', 'stash', 'stash.2', 'tag-v1', 'topic-b');
	const [said] = await left.clean();
	expect(said).toContain(`is in ${left.worktree.folder}. Other branches, tags and stashes`);
	for (const branch of all) expect(said).toContain(branch);
	expect(branches(left).toSorted()).toEqual(all);
	expect(gitIn(left.project, 'show', `${left.worktree.branch}:made.txt`)).toBe('there');
	expect(gitIn(left.project, 'show', `${left.worktree.branch}.topic-b:topic-b.txt`)).toBe('topic/b');
	gitIn(left.project, 'stash', 'apply', '--quiet', `${left.worktree.branch}.stash.2`);
	expect(readFileSync(join(left.project, 'a.txt'), 'utf8')).toBe('first');
	expect(refsThere(left)).toEqual([]);
	expect(existsSync(left.files.folder)).toBe(false);
});

it('branches of two delegates of a project that work at once do not meet', async () => {
	const first = await leftElsewhere(folder);
	const second = await leftElsewhere(folder, first.project, '20261129t101538501z-4cc50011');
	for (const left of [first, second]) {
		commitOn(left, 'fix-a', `${left.job.id}.txt`);
		writeFileSync(join(left.files.tree, 'a.txt'), left.job.id);
		gitIn(left.files.tree, 'stash', '--quiet');
	}
	await first.clean();
	await second.clean();
	for (const { project, worktree, job } of [first, second]) {
		expect(gitIn(project, 'show', `${worktree.branch}.fix-a:${job.id}.txt`)).toBe('fix-a');
		expect(gitIn(project, 'show', `${worktree.branch}.stash:a.txt`)).toBe(job.id);
	}
	expect(refsThere(first)).toEqual([]);
});

it('a branch of the user is not overwritten, and one with the same work is taken', async () => {
	const left = await leftElsewhere(folder);
	commitOn(left, 'fix-a');
	const [taken, next] = others(left, 'fix-a', 'fix-a.2');
	gitIn(left.project, 'branch', taken ?? '', 'main');
	const executor = realExecutor();
	for (let round = 0; round < 2; round++) {
		await executor.rescue(left.job);
		expect(await executor.collect(left.job, left.worktree)).toEqual([next]);
	}
	expect(gitIn(left.project, 'rev-parse', taken ?? '')).toBe(gitIn(left.project, 'rev-parse', 'main'));
	expect(branches(left)).toEqual([taken, next]);
});

it('work that its worktree does not take comes with the other branches', async () => {
	const left = await leftElsewhere(folder);
	commitOn(left, 'fix-a');
	writeFileSync(join(left.worktree.folder, 'made.txt'), 'mine');
	const [said] = await left.clean();
	expect(said).toMatch(/branch \S+\.2 holds them.*here as \S+\.fix-a\.$/);
	expect(branches(left)).toEqual(others(left, '2', 'fix-a'));
});

it('of more branches than a person would look through, the commits of the rest come as one', async () => {
	const left = await leftElsewhere(folder);
	const { tree } = left.files;
	const commits = Array.from({ length: 103 }, (_, at) => {
		const commit = gitIn(tree, 'commit-tree', '-p', left.worktree.base, '-m', `${at}`, 'HEAD^{tree}').trim();
		return { name: `b${String(at).padStart(3, '0')}`, commit };
	});
	const input = commits.map(({ name, commit }) => `create refs/heads/${name} ${commit}\n`).join('');
	execFileSync('git', ['update-ref', '--stdin'], { cwd: tree, input });
	await commitThere(gitOf(left.job));
	expect((await left.clean())[0]).toMatch(/ and 91 more\.$/);
	expect(branches(left)).toHaveLength(101);
	const rest = `${left.worktree.branch}.rest`;
	expect(gitIn(left.project, 'show', '--no-patch', '--format=%P', rest).trim().split(' ')).toEqual(
		commits.slice(100).map(({ commit }) => commit),
	);
	expect(gitIn(left.project, 'show', '--no-patch', '--format=%b', rest)).toContain('b102');
});

it('they come once, wherever the clean-up is killed', async () => {
	let kills = 0;
	for (const killAt of killPoints(strideOr(401))) {
		await using own = tempFolder();
		vi.stubEnv('HOME', own.file('home'));
		const left = await leftElsewhere(own);
		leaveMuch(left);
		const ended = await killedAt(killAt, 'cleanUpLeft', [left.data, left.project]);
		await left.clean();
		expect({ killAt, is: branches(left).toSorted(), left: existsSync(left.files.folder) }).toEqual({
			killAt,
			is: others(left, 'fix-A', 'fix-a', 'stash', 'stash.2', 'tag-v1', 'topic-b'),
			left: false,
		});
		if (ended === 'finished') break;
		kills++;
	}
	expect(kills).toBeGreaterThan(0);
});

it('a job that an earlier Nancy has begun in the shared repository comes back, and goes there', async () => {
	const left = await leftElsewhere(folder);
	const { shared, own, folder: tree } = gitOf(left.job);
	rmSync(own, { recursive: true });
	rmSync(tree, { recursive: true });
	gitIn(shared, '--git-dir=.', 'worktree', 'add', '--quiet', '--detach', tree, left.worktree.base);
	writeFileSync(join(tree, 'made.txt'), 'there');
	gitIn(tree, 'branch', 'of-somebody', '--force', gitIn(tree, 'commit-tree', '-m', 'x', 'HEAD^{tree}').trim());
	expect(await left.clean()).toEqual([expect.stringMatching(new RegExp(`is in ${left.worktree.folder}$`))]);
	expect(gitIn(left.project, 'show', `${left.worktree.branch}:made.txt`)).toBe('there');
	expect(branches(left)).toEqual([]);
	expect(refsThere(left)).toEqual(['refs/heads/of-somebody']);
	for (const each of [tree, join(shared, 'worktrees')]) expect(existsSync(each)).toBe(false);
});

it('a second delegate on the same commit has nothing sent, and its repository holds none of its objects', async () => {
	const left = await leftElsewhere(folder);
	const objects = join(gitOf(left.job).own, 'objects');
	expect(readdirSync(objects)).toEqual(['info']);
	expect(readFileSync(join(objects, 'info/alternates'), 'utf8')).toContain(join(remoteRoot(), 'repos'));
	// Its agent may name others.
	writeFileSync(join(objects, 'info/alternates'), '');
	await left.clean();
	expect(gitIn(left.project, 'show', `${left.worktree.branch}:made.txt`)).toBe('there');
});
