import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Tickets } from '../../../src/core/delegates/tickets.ts';
import { gitIn, smallRepository } from '../../support/delegateSeeds.ts';
import { killedAt } from '../../support/killedAt.ts';
import { LAB, leftElsewhere, realExecutor } from '../../support/leftElsewhere.ts';
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
const branches = ({ project }: Left) =>
	gitIn(project, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/nancy', 'refs/nancy-arrived')
		.split('\n')
		.slice(0, -1);
const workOn = ({ project }: Left, branch: string) => gitIn(project, 'show', `${branch}:made.txt`);
const isLeft = async ({ data, project, files }: Left) =>
	existsSync(files.folder) || (await new Tickets(data, project).jobs.unwatched(LAB)).length > 0;

describe('what a delegate has left on another machine', () => {
	it('comes into its worktree, once, and nothing is left there', async () => {
		const left = await leftElsewhere(folder);
		expect(await left.clean()).toEqual([expect.stringContaining(`is in ${left.worktree.folder}`)]);
		expect(workOn(left, left.worktree.branch)).toBe('there');
		expect(await isLeft(left)).toBe(false);
		expect(await left.clean()).toEqual([]);
	});

	it('is the same commit each time it is asked for, and what changes since then continues it', async () => {
		const left = await leftElsewhere(folder);
		const executor = realExecutor();
		for (const content of ['there', 'there', 'more']) {
			writeFileSync(join(left.files.tree, 'made.txt'), content);
			expect(await executor.rescue(left.job)).toBe(true);
			expect(await executor.collect(left.job, left.worktree)).toEqual([]);
			expect(workOn(left, left.worktree.branch)).toBe(content);
		}
		expect(gitIn(left.project, 'rev-list', '--count', `${left.worktree.base}..${left.worktree.branch}`)).toBe(
			'2\n',
		);
		expect(branches(left)).toEqual([left.worktree.branch]);
	});

	it('comes once and goes there, wherever the clean-up is killed', async () => {
		let kills = 0;
		for (const killAt of killPoints(strideOr(401))) {
			await using own = tempFolder();
			vi.stubEnv('HOME', own.file('home'));
			const left = await leftElsewhere(own);
			const ended = await killedAt(killAt, 'cleanUpLeft', [left.data, left.project]);
			await left.clean();
			expect({ killAt, is: branches(left), left: await isLeft(left) }).toEqual({
				killAt,
				is: [left.worktree.branch],
				left: false,
			});
			expect(workOn(left, left.worktree.branch)).toBe('there');
			if (ended === 'finished') break;
			expect(ended).toBe('SIGKILL');
			kills++;
		}
		expect(kills).toBeGreaterThan(0);
	});

	it.each<[string, (left: Left) => void]>([
		['cannot be seen', ({ worktree }) => renameSync(worktree.folder, `${worktree.folder}.away`)],
		[
			'its user has removed',
			({ project, worktree }) => {
				gitIn(project, 'worktree', 'remove', '--force', worktree.folder);
				gitIn(project, 'branch', '-D', worktree.branch);
			},
		],
		['does not take it', ({ worktree }) => writeFileSync(join(worktree.folder, 'made.txt'), 'mine')],
	])('is on one branch of its own if the worktree %s', async (_, change) => {
		const left = await leftElsewhere(folder);
		change(left);
		const other = `${left.worktree.branch}.2`;
		expect(await left.clean()).toEqual([expect.stringContaining(`branch ${other} holds`)]);
		expect(workOn(left, other)).toBe('there');
		expect(branches(left).filter(each => each !== left.worktree.branch)).toEqual([other]);
		expect(await isLeft(left)).toBe(false);
		// Git in a folder without its worktree would write into the checkout beside it.
		expect(existsSync(join(left.project, 'made.txt'))).toBe(false);
	});

	it.each([false, true])(
		'stays there while it has a repository of its own in its worktree, which no commit holds (a link to it is committed: %s)',
		async isLinked => {
			const left = await leftElsewhere(folder);
			const inner = join(left.files.tree, 'vendor');
			mkdirSync(inner);
			gitIn(inner, 'init', '-q');
			writeFileSync(join(inner, 'b.txt'), 'inside');
			if (isLinked) {
				gitIn(inner, 'add', '--all');
				gitIn(inner, 'commit', '-qm', 'inside');
				gitIn(left.files.tree, 'add', '--all');
				gitIn(left.files.tree, 'commit', '-qm', 'all');
			}
			for (let time = 0; time < 2; time++) expect((await left.clean()).at(-1)).toMatch(/vendor\/? in/);
			expect(readFileSync(join(inner, 'b.txt'), 'utf8')).toBe('inside');
			expect(workOn(left, left.worktree.branch)).toBe('there');
			rmSync(inner, { recursive: true });
			await left.clean();
			expect(await isLeft(left)).toBe(false);
		},
	);

	it('goes though a clean-up before, or its agent, has removed the worktree', async () => {
		const left = await leftElsewhere(folder);
		rmSync(left.files.tree, { recursive: true });
		await realExecutor().cleanUp(left.job);
		expect(existsSync(left.files.folder)).toBe(false);
	});

	it('comes to a shallow clone too', async () => {
		const origin = smallRepository(folder, { 'a.txt': 'one' });
		gitIn(origin, 'commit', '-q', '--allow-empty', '-m', 'second');
		gitIn(folder.path, 'clone', '-q', '--depth=1', `file://${origin}`, folder.file('shallow'));
		const left = await leftElsewhere(folder, realpathSync(folder.file('shallow')));
		expect(gitIn(left.project, 'rev-parse', '--is-shallow-repository')).toBe('true\n');
		await left.clean();
		expect(workOn(left, left.worktree.branch)).toBe('there');
		expect(await isLeft(left)).toBe(false);
	});

	it('stays there while its repository is out of sight', async () => {
		const left = await leftElsewhere(folder);
		renameSync(left.project, `${left.project}.away`);
		rmSync(left.worktree.folder, { recursive: true });
		for (let time = 0; time < 2; time++)
			expect(await left.clean()).toEqual([expect.stringContaining('move it back and try again')]);
		expect(readFileSync(join(left.files.tree, 'made.txt'), 'utf8')).toBe('there');
		renameSync(`${left.project}.away`, left.project);
		await left.clean();
		expect(workOn(left, `${left.worktree.branch}.2`)).toBe('there');
		expect(await isLeft(left)).toBe(false);
	});

	it('does not come a second time into a worktree that has it, if only the clean-up there failed', async () => {
		const left = await leftElsewhere(folder);
		const executor = realExecutor();
		await executor.rescue(left.job);
		await executor.collect(left.job, left.worktree);
		await new Tickets(left.data, left.project).jobs.collected(left.job.id);
		// The host is not trusted: it may name other work since a person has looked through this.
		writeFileSync(join(left.files.tree, 'made.txt'), 'other');
		expect(await left.clean()).toEqual([]);
		expect(workOn(left, left.worktree.branch)).toBe('there');
		expect(await isLeft(left)).toBe(false);
	});
});
