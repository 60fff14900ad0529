import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Ssh } from '../../src/executors/ssh.ts';
import { fetchWork, sendBase } from '../../src/git/remoteRepository.ts';
import { bareRepository, checkoutThere, commitThere, forgetThere } from '../../src/git/repositoryThere.ts';
import { holdingGitLock } from '../../src/git/openWorktree.ts';
import { WorktreeName, type Worktree } from '../../src/protocol/worktree.ts';
import { HANG_MS } from '../support/eventually.ts';
import type { GitRepository } from '../support/gitRepository.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';
import { worktreeRepository } from '../support/worktreeRepository.ts';
import { restoreEnvironment } from '../support/environment.ts';

let repo: GitRepository;
let worktree: Worktree;
/** What a hostile command leaves behind is below; its name needs no quotes. */
let outside: TempFolder;
let ran: string;
let saved: NodeJS.ProcessEnv;

beforeEach(async () => {
	({ repo, made: worktree } = await worktreeRepository());
	outside = tempFolder();
	ran = outside.file('ran');
	saved = { ...process.env };
	Object.assign(process.env, { HOME: outside.path, XDG_CONFIG_HOME: outside.path, GIT_CONFIG_NOSYSTEM: '1' });
});
afterEach(async () => {
	restoreEnvironment(saved);
	await repo.remove();
	await outside.remove();
});

const ID = '20261129t101112123z-0a1b2c3d';
/** A job of the repository there. */
const jobOf = (shared: string, folder: string, id = ID) => ({ id, shared, own: `${folder}.own.git`, folder });
const set = (settings: Readonly<Record<string, string>>, folder = repo.root) => {
	for (const [key, value] of Object.entries(settings)) repo.git(['config', key, value], folder);
};

/** With an ssh that runs its command on this machine. */
async function otherMachine() {
	const there = await bareRepository(outside.file('there.git'));
	const bin = outside.file('bin');
	mkdirSync(bin);
	writeFileSync(join(bin, 'ssh'), '#!/bin/sh\nfor command; do :; done\nexec sh -c "$command"\n', { mode: 0o755 });
	process.env['PATH'] = `${bin}:${process.env['PATH']}`;
	const own = jobOf(there, outside.file('tree')).own;
	const command = (program: Parameters<Ssh['gitCommand']>[0]) => {
		const repository = program === 'upload-pack' && existsSync(own) ? own : there;
		return new Ssh('lab').gitCommand(program, { git: '/usr/bin/git', repository });
	};
	return { there, transport: { command, deadlineMs: Date.now() + HANG_MS } };
}

/** Work on another machine that is committed there. @param before is done in the worktree there first */
async function workThere(before: (folder: string) => unknown = () => undefined) {
	const { there, transport } = await otherMachine();
	await sendBase(worktree, ID, transport);
	const folder = outside.file('tree');
	const job = jobOf(there, folder);
	await checkoutThere(job, worktree.base);
	before(folder);
	writeFileSync(join(folder, 'made.txt'), 'there');
	return { job, transport, tip: await commitThere(job) };
}

describe('on the way to another machine, git runs nothing', () => {
	const helper = { 'alias.remote-ssh': '' };
	it.each<[string, Readonly<Record<string, string>>]>([
		['that a remote names', { 'remote.ssh://nancy/repository.vcs': 'ssh', ...helper }],
		['that a rewritten address names', { 'url.ssh::x.insteadOf': 'ssh://', ...helper }],
		['that an address rewritten for a push names', { 'url.ssh::x.pushInsteadOf': 'ssh://', ...helper }],
		['that lists the commits of a borrowed repository', { 'core.alternateRefsCommand': '' }],
	])('%s', async (_, settings) => {
		const hostile = (key: string) => (key.startsWith('alias.') ? `!touch ${ran} #` : `touch ${ran} #`);
		set(Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, value || hostile(key)])));
		repo.git(['clone', '--quiet', '--bare', '.', outside.file('borrowed.git')]);
		writeFileSync(join(repo.root, '.git/objects/info/alternates'), `${outside.file('borrowed.git/objects')}\n`);
		const { transport } = await workThere();
		await fetchWork(worktree, ID, transport);
		expect(readFileSync(join(worktree.folder, 'made.txt'), 'utf8')).toBe('there');
		expect(existsSync(ran)).toBe(false);
	});
});

// Git knows the setting since 2.40.
it('no bundle comes from where the repository says', async () => {
	const bundle = outside.file('bundle');
	repo.git(['bundle', 'create', '--quiet', bundle, 'HEAD', 'main']);
	set({ 'fetch.bundleURI': bundle });
	const { transport } = await workThere();
	await fetchWork(worktree, ID, transport);
	expect(repo.git(['for-each-ref', 'refs/bundles'])).toBe('');
});

it('objects of another machine are looked at, whatever the repository says', async () => {
	set({ 'fetch.fsckObjects': 'false', 'transfer.fsckObjects': 'false' });
	const { there, transport } = await otherMachine();
	await sendBase(worktree, ID, transport);
	const inside = (args: readonly string[], input = '') =>
		execFileSync('git', ['--git-dir', there, ...args], { input, encoding: 'utf8' }).trim();
	const tree = inside(['rev-parse', `${worktree.base}^{tree}`]);
	const by = 'A <a@example.com> 1 +0000';
	const without = `tree ${tree}\nparent ${worktree.base}\nauthor A <a@example.com 1 +0000\ncommitter ${by}\n\nm\n`;
	const tip = inside(['hash-object', '-t', 'commit', '-w', '--stdin', '--literally'], without);
	inside(['update-ref', `refs/nancy-result/${ID}`, tip]);
	await expect(fetchWork(worktree, ID, transport)).rejects.toMatchObject({ code: 'git' });
	expect(repo.git(['for-each-ref', 'refs/nancy-arrived'])).toBe('');
});

it.each([
	[255, 'timeout', 'a lost connection'],
	[1, 'git', 'a refusal by the other machine'],
])('ssh that ends with %i is %s: %s', async (code, expected) => {
	const bin = outside.file('bin');
	mkdirSync(bin);
	writeFileSync(join(bin, 'ssh'), `#!/bin/sh\nexit ${code}\n`, { mode: 0o755 });
	process.env['PATH'] = `${bin}:${process.env['PATH']}`;
	const transport = {
		command: (program: Parameters<Ssh['gitCommand']>[0]) =>
			new Ssh('lab').gitCommand(program, { git: '/usr/bin/git', repository: '/there.git' }),
		deadlineMs: Date.now() + HANG_MS,
	};
	await expect(sendBase(worktree, ID, transport)).rejects.toMatchObject({ code: expected });
	await expect(fetchWork(worktree, ID, transport)).rejects.toMatchObject({ code: expected });
});

it('a machine that complains without end is not listened to for as long', async () => {
	const bin = outside.file('bin');
	mkdirSync(bin);
	writeFileSync(join(bin, 'ssh'), '#!/bin/sh\nexec yes noise >&2\n', { mode: 0o755 });
	process.env['PATH'] = `${bin}:${process.env['PATH']}`;
	const command = (program: Parameters<Ssh['gitCommand']>[0]) =>
		new Ssh('lab').gitCommand(program, { git: '/usr/bin/git', repository: '/there.git' });
	const transport = () => ({ command, deadlineMs: Date.now() + HANG_MS });
	await expect(sendBase(worktree, ID, transport())).rejects.toMatchObject({ code: 'git' });
	await expect(fetchWork(worktree, ID, transport())).rejects.toMatchObject({ code: 'git' });
});

it('on another machine, no job of an earlier Nancy is cleaned up while a worktree of its project is made or listed', async () => {
	const { there, transport } = await otherMachine();
	await sendBase(worktree, ID, transport);
	const order: string[] = [];
	const cleaning = await holdingGitLock(there, '.worktrees', async () => {
		const forgotten = forgetThere(jobOf(there, outside.file('old'), 'none')).then(() => order.push('done'));
		// That takes longer than it would.
		for (let round = 0; round < 3; round++) await sendBase(worktree, `${ID}${round}`, transport);
		order.push('released');
		return [forgotten];
	});
	await Promise.all(cleaning);
	expect(order).toEqual(['released', 'done']);
});

it('on another machine, settings that an agent has made run nothing, and keep no later job from its repository', async () => {
	const { there, transport } = await otherMachine();
	const others = '20261129t101112123z-0a1b2c3e';
	for (const id of [ID, others]) await sendBase(worktree, id, transport);
	const [first, second] = [jobOf(there, outside.file('tree')), jobOf(there, outside.file('second'), others)];
	const evil = { 'filter.evil.clean': `touch ${ran}; cat`, 'filter.evil.smudge': `touch ${ran}; cat` };
	await checkoutThere(first, worktree.base);
	set(evil, first.folder);
	set(evil, there);
	writeFileSync(join(first.folder, '.gitattributes'), '* filter=evil\n');
	await checkoutThere(second, worktree.base);
	set(evil, second.folder);
	await commitThere(first);
	set({ 'extensions.worktreeConfig': 'true', ...evil }, second.folder);
	for (const repository of [there, first.own]) {
		mkdirSync(join(repository, 'hooks'));
		for (const hook of ['pre-receive', 'post-receive', 'update', 'reference-transaction'])
			writeFileSync(join(repository, 'hooks', hook), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
	}
	await sendBase(worktree, '20261129t101112123z-0a1b2c3f', transport);
	await fetchWork(worktree, ID, transport);
	expect(existsSync(join(worktree.folder, '.gitattributes'))).toBe(true);
	for (const job of [first, second]) await forgetThere(job);
	await forgetThere(jobOf(there, first.folder, '20261129t101112123z-0a1b2c3f'));
	expect(existsSync(ran)).toBe(false);
	expect(repo.git(['--git-dir', there, 'for-each-ref'])).toBe('');
	// A start of a killed connection may come late.
	await expect(checkoutThere(first, worktree.base)).rejects.toMatchObject({ code: 'wrong-state' });
});

it('on another machine, git enters no submodule that an agent has made there', async () => {
	const git = (folder: string, ...args: string[]) =>
		execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], { cwd: folder });
	const head = repo.git(['rev-parse', 'HEAD']);
	repo.git(['update-index', '--add', '--cacheinfo', `160000,${head},sub`]);
	repo.git(['commit', '--quiet', '-m', 'a submodule']);
	const { there } = await otherMachine();
	repo.git(['push', '--quiet', there, `HEAD:refs/nancy-base/${ID}`]);
	const folder = outside.file('tree');
	await checkoutThere(jobOf(there, folder), repo.git(['rev-parse', 'HEAD']));
	const sub = join(folder, 'sub');
	git(sub, 'clone', '--quiet', repo.root, '.');
	git(sub, 'reset', '--quiet', '--hard', head);
	writeFileSync(join(sub, '.gitattributes'), '* filter=evil\n');
	set({ 'filter.evil.clean': `touch ${ran}; cat` }, sub);
	// Of the same length: git has to look into the file.
	writeFileSync(join(sub, 'a.txt'), readFileSync(join(sub, 'a.txt'), 'utf8').replace('a', 'b'));
	writeFileSync(join(folder, 'made.txt'), 'there');
	const job = jobOf(there, folder);
	const tip = await commitThere(job);
	expect(repo.git(['--git-dir', job.own, 'diff-tree', '-r', '--name-only', `${tip}~`, tip])).toBe('made.txt');
	expect(existsSync(ran)).toBe(false);
	// A person's git runs it.
	git(folder, 'status');
	expect(existsSync(ran)).toBe(true);
});

it('work comes into no worktree that is just being merged or removed', async () => {
	const { transport } = await workThere();
	const made = join(worktree.folder, 'made.txt');
	const coming = await holdingGitLock(join(repo.root, '.git'), WorktreeName.parse('x'), async () => {
		const fetched = fetchWork(worktree, ID, transport);
		// That takes longer than it would.
		for (let round = 0; round < 3; round++) await sendBase(worktree, `${ID}${round}`, transport);
		expect(existsSync(made)).toBe(false);
		return [fetched];
	});
	await Promise.all(coming);
	expect(existsSync(made)).toBe(true);
});

describe('work that its worktree cannot take', () => {
	const arrived = () => repo.git(['for-each-ref', 'refs/nancy-arrived', 'refs/heads/nancy/*.*']);

	it('is on a branch of its own, once, and leaves no hidden ref', async () => {
		const { transport, tip } = await workThere(folder =>
			repo.git(['checkout', '--quiet', '--orphan', 'other'], folder),
		);
		const branch = `${worktree.branch}.2`;
		for (let round = 0; round < 2; round++) {
			await expect(fetchWork(worktree, ID, transport)).rejects.toThrow(
				`branch ${branch} holds them: its commits do not continue what it began with`,
			);
			expect(arrived().trim()).toBe(`${tip} commit\trefs/heads/${branch}`);
		}
	});

	it('is so too if git does not merge it', async () => {
		const { transport, tip } = await workThere();
		writeFileSync(join(worktree.folder, 'made.txt'), 'mine');
		await expect(fetchWork(worktree, ID, transport)).rejects.toThrow(/branch nancy\/.*\.2 holds them: git merge/);
		expect(arrived().trim()).toBe(`${tip} commit\trefs/heads/${worktree.branch}.2`);
		expect(readFileSync(join(worktree.folder, 'made.txt'), 'utf8')).toBe('mine');
	});

	it('is not what came in earlier, although the worktree has gone on', async () => {
		const { transport } = await workThere();
		await fetchWork(worktree, ID, transport);
		repo.git(['commit', '--quiet', '--allow-empty', '-m', 'more'], worktree.folder);
		await fetchWork(worktree, ID, transport);
		expect(arrived()).toBe('');
	});
});
