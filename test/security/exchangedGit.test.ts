import { execFileSync } from 'node:child_process';
import {
	appendFileSync,
	existsSync,
	linkSync,
	mkdirSync,
	readFileSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NancyError, type NancyErrorCode } from '../../src/base/errors.ts';
import { quoted } from '../../src/base/shellWord.ts';
import { git, type GitPlace } from '../../src/git/git.ts';
import { headOf } from '../../src/git/gitTree.ts';
import { checkoutAt } from '../../src/git/homeCheckout.ts';
import { moveRef } from '../../src/git/openWorktree.ts';
import { inspectRepository } from '../../src/git/repository.ts';
import { createWorktree, WITHOUT_SPARSE } from '../../src/git/worktree.ts';
import { WorktreeName } from '../../src/protocol/worktree.ts';
import { gitRepository, type GitRepository } from '../support/gitRepository.ts';
import { inEnglish } from '../support/inEnglish.ts';

let repo: GitRepository;
/** Another one of the user's, which an agent may not read. */
let other: GitRepository;
let head: string;
beforeEach(() => {
	[repo, other] = [gitRepository(), gitRepository()];
	repo.commit({ 'own.txt': 'own' });
	other.commit({ 'private.txt': 'secret' });
	head = repo.git(['rev-parse', 'HEAD']);
	// Git finds the other one's objects, but nobody here knows the name of one.
	own('objects/info/alternates', file => writeFileSync(file, `${its('objects')}\n`));
});
afterEach(() => Promise.all([repo.remove(), other.remove()]));

const its = (file: string) => join(other.root, '.git', file);

/** Puts something in the place of a file or folder of git's. */
function own(name: string, put: (file: string) => void): void {
	const file = join(repo.root, '.git', name);
	rmSync(file, { recursive: true, force: true });
	mkdirSync(dirname(file), { recursive: true });
	put(file);
}

const create = (withChanges = false) =>
	createWorktree({ folder: repo.root, name: WorktreeName.parse('x'), withChanges, copyIncludes: false });

const EXCHANGES: Readonly<Record<string, () => void>> = {
	'a commondir': () => own('commondir', file => writeFileSync(file, its(''))),
	'a link to refs': () => own('refs', file => symlinkSync(its('refs'), file)),
	'a link to a branch': () => own('refs/heads/main', file => symlinkSync(its('refs/heads/main'), file)),
	'a second name of a branch': () => own('refs/heads/main', file => linkSync(its('refs/heads/main'), file)),
	'a link to packed refs': () => {
		other.git(['pack-refs', '--all']);
		own('refs/heads/main', () => undefined);
		own('packed-refs', file => symlinkSync(its('packed-refs'), file));
	},
	'a branch that names a file of another kind': () => {
		own('worktrees/y/HEAD', file => symlinkSync(its('refs/heads/main'), file));
		own('refs/heads/main', file => writeFileSync(file, 'ref: worktrees/y/HEAD\n'));
	},
	'a core.worktree': () => repo.git(['config', 'core.worktree', other.root]),
	'a link to all of it': () => {
		renameSync(join(repo.root, '.git'), join(repo.root, 'before'));
		symlinkSync(its(''), join(repo.root, '.git'));
	},
	'a file that leads away': () => {
		renameSync(join(repo.root, '.git'), join(repo.root, 'before'));
		writeFileSync(join(repo.root, '.git'), `gitdir: ${its('')}\n`);
	},
};

/** What is found after each: the commit of HEAD or none, the files, or the code of the refusal. */
const FOUND: Readonly<Record<string, { head: 'own' | 'none' | NancyErrorCode; files: 'own' | NancyErrorCode }>> = {
	'a commondir': { head: 'not-trusted', files: 'not-trusted' },
	'a link to refs': { head: 'bad-file', files: 'own' },
	'a link to a branch': { head: 'bad-file', files: 'own' },
	'a second name of a branch': { head: 'bad-file', files: 'own' },
	'a link to packed refs': { head: 'bad-file', files: 'own' },
	'a branch that names a file of another kind': { head: 'none', files: 'own' },
	'a core.worktree': { head: 'own', files: 'own' },
	'a link to all of it': { head: 'bad-file', files: 'not-trusted' },
	'a file that leads away': { head: 'none', files: 'git' },
};

describe.each(Object.entries(EXCHANGES))(
	'a checkout whose git folder gets %s after it was proven',
	(what, exchange) => {
		let place: GitPlace;
		beforeEach(async () => {
			place = await checkoutAt(repo.root);
			repo.write({ 'new.txt': '' });
			exchange();
		});

		it('is at its own commit, or refused', async () => {
			const found = await headOf(place).then(
				commit => (commit === head ? 'own' : (commit ?? 'none')),
				(error: unknown) => error instanceof NancyError && error.code,
			);
			expect(found).toBe(FOUND[what]?.head);
		});

		it('has its own files, or is refused', async () => {
			const found = await git(place, ['ls-files', '--others', '*.txt']).then(
				({ stdout }) => (stdout.toString() === 'new.txt\n' ? 'own' : stdout.toString()),
				(error: unknown) => error instanceof NancyError && error.code,
			);
			expect(found).toBe(FOUND[what]?.files);
		});
	},
);

it('no ref is written where a commondir leads that came after the look', async () => {
	const place = await checkoutAt(repo.root);
	EXCHANGES['a commondir']?.();
	const before = other.git(['for-each-ref']);
	await expect(moveRef(place, 'refs/heads/nancy/x', head, '', 'x')).rejects.toMatchObject({ code: 'not-trusted' });
	await expect(git(place, ['branch', 'x', head])).rejects.toMatchObject({ code: 'not-trusted' });
	expect(other.git(['for-each-ref'])).toBe(before);
});

it('no commit takes the place of the one that is checked out', async () => {
	own(`refs/replace/${head}`, file => writeFileSync(file, other.git(['rev-parse', 'HEAD'])));
	const { folder } = await create();
	expect(readFileSync(join(folder, 'own.txt'), 'utf8')).toBe('own');
});

describe('a second name of a file outside is refused', () => {
	it.each(['refs/heads/x', 'HEAD', 'info/grafts', 'info/sparse-checkout', 'shallow', 'objects/info/alternates'])(
		'in the place of %s',
		async name => {
			own(name, file => linkSync(its('refs/heads/main'), file));
			expect(await inspectRepository(repo.root)).toMatchObject({ ok: false });
			await expect(create()).rejects.toThrow(
				/is a link or a pipe, or has a second name|is not in a git repository/,
			);
		},
	);
});

describe('what a program of an agent puts into git’s folder after the look', () => {
	it('is not copied into a worktree in the place of the patterns of a sparse checkout', async () => {
		repo.git(['config', 'core.sparseCheckout', 'true']);
		mkdirSync(join(repo.root, '.git', 'info'), { recursive: true });
		const place = await checkoutAt(repo.root);
		own('info/sparse-checkout', file => symlinkSync(join(other.root, 'private.txt'), file));
		const tree = join(repo.root, 'tree');
		await git(place, ['worktree', 'add', '--quiet', '--no-checkout', tree], { env: WITHOUT_SPARSE });
		expect(existsSync(join(repo.root, '.git/worktrees/tree/HEAD'))).toBe(true);
		expect(existsSync(join(repo.root, '.git/worktrees/tree/info/sparse-checkout'))).toBe(false);
		rmSync(tree, { recursive: true });
	});

	it.each(['shallow', 'packed-refs'])('is not quoted in an error in the place of %s', async name => {
		const place = await checkoutAt(repo.root);
		other.write({ 'lines.txt': 'a secret\nof two lines\n' });
		own(name, file => symlinkSync(join(other.root, 'lines.txt'), file));
		const error: unknown = await git(place, ['rev-list', '--all']).catch((failed: unknown) => failed);
		expect(String(error)).toMatch(/git rev-list: fatal: (?:bad shallow line|unexpected line in …)/);
		expect(String(error)).not.toContain('secret');
	});

	it('is not quoted in an error in the place of another worktree’s path', async () => {
		repo.git(['branch', 'taken']);
		const place = await checkoutAt(repo.root);
		other.write({ 'lines.txt': 'a secret\n' });
		own('worktrees/forged/HEAD', file => writeFileSync(file, 'ref: refs/heads/taken\n'));
		own('worktrees/forged/commondir', file => writeFileSync(file, '../..\n'));
		own('worktrees/forged/gitdir', file => symlinkSync(join(other.root, 'lines.txt'), file));
		const tree = join(repo.root, 'tree');
		const error: unknown = await git(place, ['worktree', 'add', tree, 'taken']).catch((failed: unknown) => failed);
		expect(String(error)).toMatch(/fatal: … is already (?:checked out|used by worktree) at …$/);
	});

	it('is not quoted in the reason why there can be no worktree', async () => {
		repo.git(['config', 'include.path', join(other.root, 'own.conf')]);
		other.write({ 'own.conf': '[core]\n\tbare = secret\n' });
		const said = await inEnglish(inspectRepository(repo.root));
		expect(said).toMatchObject({ ok: false, reason: expect.stringContaining('fatal: bad … config value …') });
	});

	it('is not quoted in an error in the place of a stash', async () => {
		const place = await checkoutAt(repo.root);
		other.write({ 'lines.txt': 'a secret\n' });
		own('MERGE_AUTOSTASH', file => symlinkSync(join(other.root, 'lines.txt'), file));
		own('HEAD.lock', file => writeFileSync(file, ''));
		const error: unknown = await git(place, ['reset', '--hard']).catch((failed: unknown) => failed);
		expect(String(error)).toMatch(/cannot (?:store|lock)/);
		expect(String(error)).not.toContain('secret');
	});
});

it('an error has no words of a list of stores in a store that the repository names', async () => {
	const secret = join(other.root, 'private.txt');
	const store = join(repo.root, 'store');
	mkdirSync(join(store, 'info'), { recursive: true });
	symlinkSync(secret, join(store, 'info/alternates'));
	own('objects/info/alternates', file => writeFileSync(file, `${store}\n`));
	const place = await checkoutAt(repo.root);
	const error: unknown = await git(place, ['cat-file', 'blob', '1'.repeat(40)]).catch((failed: unknown) => failed);
	expect(String(error)).toMatch(/git cat-file: error: object directory (?:git|…| )+ does not exist; check …/);
	expect(String(error)).not.toContain('secret');
});

describe('a submodule that leads to another repository', () => {
	const sub = (file: string) => join(repo.root, 'sub', file);
	beforeEach(() => {
		repo.git(['update-index', '--add', '--cacheinfo', `160000,${head},sub`]);
		mkdirSync(sub(''));
	});
	it.each<[string, () => void]>([
		['by a file', () => writeFileSync(sub('.git'), `gitdir: ${its('')}\n`)],
		['by a link', () => symlinkSync(its(''), sub('.git'))],
		[
			'by a link to refs',
			() => {
				repo.write({ 'sub/.git/HEAD': 'ref: refs/heads/main\n', 'sub/.git/objects/x': '' });
				symlinkSync(its('refs'), sub('.git/refs'));
			},
		],
		[
			'by a commondir',
			() => repo.write({ 'sub/.git/HEAD': 'ref: refs/heads/main\n', 'sub/.git/commondir': its('') }),
		],
	])('%s does not show which commit is checked out there', async (_, lead) => {
		lead();
		repo.write({ 'own.txt': 'changed' });
		const { base } = await create(true);
		expect(repo.git(['ls-tree', base, 'sub'])).toContain(head);
	});

	it('and is at another commit in its own repository is taken along', async () => {
		repo.git(['clone', '--quiet', '.', 'sub']);
		repo.commit({ 'c.txt': 'c' }, 'c', join(repo.root, 'sub'));
		const { base } = await create(true);
		expect(repo.git(['ls-tree', base, 'sub'])).toContain(repo.git(['rev-parse', 'HEAD'], join(repo.root, 'sub')));
	});
});

it('a repository that is made while files are added does not show its commit', async () => {
	const bin = join(repo.root, '.git/bin');
	const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
	const lead = `mkdir -p made && echo ${quoted(`gitdir: ${its('')}`)} > made/.git`;
	mkdirSync(bin);
	writeFileSync(
		join(bin, 'git'),
		`#!/bin/sh\ncase " $* " in *" add --all "*) cd ${quoted(repo.root)} && ${lead} && cd - > /dev/null;; esac\nexec ${real} "$@"\n`,
		{ mode: 0o755 },
	);
	repo.write({ 'made/x.txt': '', 'own.txt': 'changed' });
	const path = process.env['PATH'];
	process.env['PATH'] = `${bin}:${path}`;
	try {
		await expect(create(true)).rejects.toMatchObject({ code: 'busy' });
	} finally {
		process.env['PATH'] = path;
	}
});

it.each(['files:///elsewhere', 'reftable:///elsewhere', 'fi\\\nles:///elsewhere'])(
	'refs at %j are refused',
	async value => {
		appendFileSync(join(repo.root, '.git/config'), `[extensions]\n\trefStorage = ${value}\n`);
		// Git 2.45 and later refuses by itself what it does not know.
		await expect(checkoutAt(repo.root)).rejects.toMatchObject({
			code: expect.stringMatching(/^(?:not-trusted|git)$/),
		});
	},
);

it('refs in a format of git’s own are the repository’s', async () => {
	appendFileSync(join(repo.root, '.git/config'), '[extensions]\n\trefStorage = files\n[user]\n\tname = x\n');
	const place = await checkoutAt(repo.root).catch((error: unknown) => error);
	// Git 2.45 and later wants another version of the repository for that, which git before it refuses.
	if (place instanceof NancyError) expect(place.message).toMatch(/version is … found/);
	else expect(place).toMatchObject({ folder: repo.root });
});
