import { execFileSync, spawnSync } from 'node:child_process';
import {
	appendFileSync,
	cpSync,
	existsSync,
	linkSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { askGit } from '../../src/git/askGit.ts';
import { git } from '../../src/git/git.ts';
import { checkoutAt } from '../../src/git/homeCheckout.ts';
import { refuseTracked } from '../../src/git/refuseTracked.ts';
import { inspectRepository } from '../../src/git/repository.ts';
import { createWorktree } from '../../src/git/worktree.ts';
import { changesOf, fileAtBase } from '../../src/git/worktreeChanges.ts';
import { previewMerge } from '../../src/git/mergePreview.ts';
import { undoMerge } from '../../src/git/mergeUndo.ts';
import { mergeWorktree } from '../../src/git/worktreeMerge.ts';
import { removeWorktree, whatWouldBeLost } from '../../src/git/worktreeRemove.ts';
import { WorktreeName, type Worktree } from '../../src/protocol/worktree.ts';
import { fetchingGitDir } from '../support/fetchingGitDir.ts';
import { gitRepository, gitRepositoryAfter, lines, type GitRepository } from '../support/gitRepository.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';
import { worktreeRepository } from '../support/worktreeRepository.ts';
import { inEnglish } from '../support/inEnglish.ts';
import { restoreEnvironment } from '../support/environment.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';
import { fakeClaude } from '../unit/cli/fakeClaude.ts';

let repo: GitRepository;
/** What a hostile command leaves behind is below; its name needs no quotes. */
let outside: TempFolder;
let ran: string;
let saved: NodeJS.ProcessEnv;

beforeEach(() => {
	repo = gitRepository();
	outside = tempFolder();
	ran = outside.file('ran');
	saved = { ...process.env };
	// The settings of whoever runs the tests are none of theirs.
	Object.assign(process.env, { HOME: outside.path, XDG_CONFIG_HOME: outside.path });
	process.env['GIT_CONFIG_NOSYSTEM'] = '1';
});
afterEach(async () => {
	restoreEnvironment(saved);
	await repo.remove();
	await outside.remove();
});

/** A repository that has a worktree already. */
async function begun(make = worktreeRepository): Promise<Worktree> {
	await repo.remove();
	const { repo: copy, made } = await make();
	repo = copy;
	return made;
}

const create = (withChanges = false, name = 'x', { root } = repo) =>
	createWorktree({ folder: root, name: WorktreeName.parse(name), withChanges, copyIncludes: true });

/** All that Nancy does with a worktree that an agent has worked in, as the user asks for it. */
const uses: Readonly<Record<string, (worktree: Worktree) => Promise<unknown>>> = {
	review: changesOf,
	'the question before a removal': whatWouldBeLost,
	'the question before a merge': previewMerge,
	merge: worktree => mergeWorktree(worktree, 'm'),
	'a merge that is undone': async worktree => {
		const merged = await mergeWorktree(worktree, 'm');
		if (merged.ok && merged.record) await undoMerge(worktree, merged.record);
	},
	removal: worktree => removeWorktree(worktree, { discard: false }),
	discard: worktree => removeWorktree(worktree, { discard: true }),
};

/** Fills the empty folder of a submodule, as an agent can that may write no `.git` but in a folder of its own making. */
const submodules: Readonly<Record<string, (folder: string, commit: string) => void>> = {
	'fetches by a command of its own': (folder, commit) => fetchingGitDir(join(folder, '.git'), commit, ran),
	'has a filter of its own': (folder, commit) => {
		cpSync(join(repo.root, '.git'), join(folder, '.git'), { recursive: true });
		repo.git(['reset', '--quiet', '--hard', commit], folder);
		repo.git(['config', 'filter.evil.clean', `touch ${ran}; cat`], folder);
		writeFileSync(join(folder, '.git/info/attributes'), '* filter=evil\n');
		writeFileSync(join(folder, 'a.txt'), lines('A'));
	},
};

function addSubmodule(to: GitRepository) {
	to.git(['update-index', '--add', '--cacheinfo', `160000,${to.git(['rev-parse', 'HEAD'])},sub`]);
	to.git(['commit', '--quiet', '-m', 'a submodule']);
	mkdirSync(join(to.root, 'sub'));
}

const withSubmodule = gitRepositoryAfter(fresh => {
	addSubmodule(fresh);
	return create(false, 'x', fresh);
});

describe.each(Object.keys(submodules))('a submodule that an agent has filled, which %s,', what => {
	const fill = (checkout: string) => submodules[what]?.(join(checkout, 'sub'), repo.git(['rev-parse', 'HEAD:sub']));

	it.each(Object.keys(uses))('runs nothing at %s of its worktree', async use => {
		const worktree = await begun(withSubmodule);
		fill(worktree.folder);
		repo.write({ 'a.txt': 'work' }, worktree.folder);
		await uses[use]?.(worktree);
		expect(existsSync(ran)).toBe(false);
	});

	it('runs nothing in the checkout that a worktree is made from, with its changes, and merged into', async () => {
		addSubmodule(repo);
		fill(repo.root);
		repo.write({ 'a.txt': 'changed' });
		const worktree = await create(true);
		repo.write({ 'b.txt': 'work' }, worktree.folder);
		await mergeWorktree(worktree, 'm');
		expect(existsSync(ran)).toBe(false);
	});
});

const objectsOf = ({ root }: GitRepository) => readdirSync(join(root, '.git/objects'), { recursive: true }).length;

describe('a checkout whose .git leads to another repository of the user’s', () => {
	let other: GitRepository;
	beforeEach(() => {
		other = gitRepository();
		other.commit({ 'private.txt': 'secret' });
	});
	afterEach(() => other.remove());
	const own = (file: string) => join(repo.root, '.git', file);
	const leadAway = () => {
		rmSync(own(''), { recursive: true });
		writeFileSync(join(repo.root, '.git'), `gitdir: ${join(other.root, '.git')}\n`);
	};
	const exchange = (file: string) => {
		rmSync(own(file), { recursive: true, force: true });
		symlinkSync(join(other.root, '.git', file), own(file));
	};

	it.each<[string, () => unknown]>([
		['by its commondir', () => writeFileSync(own('commondir'), `${join(other.root, '.git')}\n`)],
		['by its core.worktree', () => repo.git(['config', 'core.worktree', other.root])],
		['by a file in its place', leadAway],
		['by a link in its place', () => exchange('')],
		['by a link to the objects', () => exchange('objects')],
		['by a link to a branch', () => exchange('refs/heads/main')],
		['by a link to the index', () => exchange('index')],
		[
			'by a link in the place of a reflog',
			() => {
				mkdirSync(own('logs/refs/heads/nancy'), { recursive: true });
				symlinkSync(join(other.root, 'a.txt'), own('logs/refs/heads/nancy/x'));
			},
		],
		[
			'by a second name in the place of a reflog',
			() => {
				mkdirSync(own('logs/refs/heads/nancy'), { recursive: true });
				linkSync(join(other.root, 'a.txt'), own('logs/refs/heads/nancy/x'));
			},
		],
		[
			'by a link to a branch, in a folder of a worktree',
			() => {
				mkdirSync(own('worktrees/made'), { recursive: true });
				symlinkSync(join(other.root, '.git/refs/heads/main'), own('worktrees/made/HEAD'));
			},
		],
		[
			'by a link that git would copy',
			() => symlinkSync(join(other.root, 'private.txt'), own('info/sparse-checkout')),
		],
		[
			'by a link that git would quote',
			() => symlinkSync(join(other.root, 'private.txt'), own('objects/info/alternates')),
		],
		['by a core.worktree above it', () => repo.git(['config', 'core.worktree', '../..'])],
		[
			'by a folder of git that has been made for a worktree',
			() => {
				rmSync(own(''), { recursive: true });
				repo.write({ '.git': 'gitdir: made\n', 'made/HEAD': 'ref: refs/heads/main\n' });
				repo.write({ 'made/commondir': join(other.root, '.git'), 'made/gitdir': join(repo.root, '.git') });
			},
		],
	])('%s, is no place for a worktree, and nothing is written into that', async (_, lead) => {
		lead();
		const before = [
			other.state(),
			readFileSync(join(other.root, '.git/info/exclude'), 'utf8'),
			other.git(['branch']),
		];
		expect(await inEnglish(inspectRepository(repo.root))).toMatchObject({
			ok: false,
			reason: expect.stringContaining('because an agent can write it'),
		});
		await expect(create()).rejects.toThrow('because an agent can write it');
		expect((await askGit(repo.root, []))?.excludeFile).toBeUndefined();
		expect([
			other.state(),
			readFileSync(join(other.root, '.git/info/exclude'), 'utf8'),
			other.git(['branch']),
		]).toEqual(before);
	});

	it('has no words of a file that its settings name', async () => {
		const secret = outside.file('secret');
		writeFileSync(secret, 'x p@ss/w0rd\n');
		repo.git(['config', 'core.attributesFile', secret]);
		const missing = execFileSync('git', ['-C', repo.root, 'mktree', '--missing'], {
			input: `100644 blob ${'1'.repeat(40)}\tgone.txt\n`,
			encoding: 'utf8',
		}).trim();
		repo.git(['update-ref', 'HEAD', repo.git(['commit-tree', '-m', 'x', missing])]);
		const error: unknown = await create().catch((refused: unknown) => refused);
		expect(String(error)).toContain('git reset: ');
		expect(String(error)).not.toContain('p@ss');
	});

	it('is the user’s own once it names the checkout in return', async () => {
		leadAway();
		const { reason } = (await inEnglish(inspectRepository(repo.root))) as { reason: string };
		execFileSync('sh', ['-c', /run: (.*)$/.exec(reason)?.[1] ?? 'false']);
		expect(await inspectRepository(repo.root)).toMatchObject({ ok: true, root: repo.root });
	});

	it.each<[string, () => unknown]>([
		['commondir', () => writeFileSync(own('worktrees/x/commondir'), join(other.root, '.git'))],
		[
			'reflog, a link',
			() => {
				rmSync(own('worktrees/x/logs/HEAD'));
				symlinkSync(join(other.root, 'a.txt'), own('worktrees/x/logs/HEAD'));
			},
		],
		[
			'folder of git, a link into a folder of links',
			() => {
				const made = outside.file('made');
				mkdirSync(join(made, 'worktrees'), { recursive: true });
				renameSync(own('worktrees/x'), join(made, 'worktrees/x'));
				symlinkSync(join(made, 'worktrees/x'), own('worktrees/x'));
				for (const part of ['objects', 'refs']) symlinkSync(join(other.root, '.git', part), join(made, part));
				cpSync(own('config'), join(made, 'config'));
				writeFileSync(join(made, 'HEAD'), 'ref: refs/heads/main\n');
			},
		],
	])('by a worktree of Nancy’s (its %s), makes that none of hers', async (_, lead) => {
		const worktree = await begun();
		repo.write({ 'a.txt': 'work' }, worktree.folder);
		lead();
		const before = [other.state(), other.git(['for-each-ref']), objectsOf(other)];
		await expect(mergeWorktree(worktree, 'm')).rejects.toThrow();
		expect([other.state(), other.git(['for-each-ref']), objectsOf(other)]).toEqual(before);
	});
});

describe('a bare repository that a clone brought along in a folder', () => {
	const evil = () => join(repo.root, 'evil');
	let nancy: NancyCommand;
	beforeAll(async () => {
		nancy = await NancyCommand.build({ isPackage: true });
	});
	afterAll(() => nancy[Symbol.asyncDispose]());
	beforeEach(() => {
		fetchingGitDir(evil(), '1'.repeat(40), ran);
		appendFileSync(join(evil(), 'config'), '[core]\nbare = false\nworktree = .\n');
	});
	const delegate = (args: readonly string[], cwd: string) =>
		nancy.start(['delegate', 'x', '--worktree', ...args], {
			cwd,
			env: { PATH: fakeClaude(outside.file('bin')), HOME: outside.path },
		});

	it('is no place for a worktree, and runs nothing', async () => {
		expect(await inEnglish(inspectRepository(evil()))).toMatchObject({
			ok: false,
			reason: expect.stringContaining('is in a bare repository'),
		});
		expect(existsSync(ran)).toBe(false);
	});

	it.each([
		['from inside', evil, []],
		['by name', () => repo.root, ['--working-dir', 'evil']],
	])('runs nothing for a delegate that is asked for %s', async (_, cwd, args) => {
		mkdirSync(join(cwd(), '.nancy'));
		const said = await delegate(args, cwd());
		expect(said.code).not.toBe(0);
		expect(said.stderr).toContain('is in a bare repository');
		expect(existsSync(ran)).toBe(false);
	});

	it('does not hide from Nancy which records and links came with the clone', async () => {
		repo.write({ 'evil/.nancy/config.json': '{}' });
		symlinkSync('/elsewhere', join(evil(), '.tool'));
		repo.git(['add', '--all', '--force']);
		await expect(refuseTracked(new Workspace(evil()))).rejects.toMatchObject({ code: 'not-trusted' });
		await expect(askGit(evil(), ['.tool'])).rejects.toMatchObject({ code: 'not-trusted' });
		await expect(askGit(evil(), [])).rejects.toMatchObject({ code: 'not-trusted' });
	});
});

describe('programs that settings name', () => {
	/** All of them leave the same file behind; those that stand in a pipe let everything through. */
	const programs = () => ({
		'core.fsmonitor': `touch ${ran} #`,
		'core.sshCommand': `touch ${ran} #`,
		'core.editor': `touch ${ran} #`,
		'core.pager': `touch ${ran}; cat`,
		'core.hooksPath': outside.file('hooks'),
		'core.askPass': outside.file('program'),
		'credential.helper': `!touch ${ran} #`,
		'gpg.program': outside.file('program'),
		'commit.gpgSign': 'true',
		'merge.verifySignatures': 'true',
		'log.showSignature': 'true',
		'diff.external': outside.file('program'),
		'diff.evil.command': `touch ${ran} #`,
		'diff.evil.textconv': `touch ${ran}; cat`,
		'submodule.recurse': 'true',
		'pager.diff-tree': `touch ${ran}; cat`,
		'alias.rev-parse': `!touch ${ran} #`,
		'remote.origin.vcs': 'none',
		'remote.origin.url': 'ext::sh -c true',
		'remote.origin.promisor': 'true',
		'alias.remote-none': `!touch ${ran} #`,
	});
	/** Hooks of every name that git has, in the repository and where its settings look. */
	const HOOKS = ['post-checkout', 'post-merge', 'post-index-change', 'reference-transaction', 'pre-merge-commit'];
	const program = (file: string) => writeFileSync(file, `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
	const set = (settings: Readonly<Record<string, string>>, scope = '--local') => {
		const env = { ...process.env };
		for (const [key, value] of Object.entries(settings))
			execFileSync('git', ['config', scope, key, value], { cwd: repo.root, env });
	};
	const attributes = (text: string) => repo.commit({ '.gitattributes': text }, 'attributes');
	/** As a person whose own git runs none of them. */
	const commit = (files: Readonly<Record<string, string>>, folder = repo.root) => {
		const off = ['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'commit.gpgSign=false'].flatMap(each => [
			'-c',
			each,
		]);
		repo.write(files, folder);
		repo.git([...off, 'add', '--all'], folder);
		repo.git([...off, 'commit', '--quiet', '-m', 'x'], folder);
	};
	/** Makes, reviews, merges and removes a worktree, with changes on both sides. */
	const wholeLife = async () => {
		repo.write({ 'a.txt': lines('a', { 1: 'mine' }) });
		const worktree = await create(true);
		repo.write({ 'b.txt': lines('b', { 12: 'yours' }), 'c.txt': 'c' }, worktree.folder);
		await changesOf(worktree);
		await fileAtBase(worktree, 'a.txt');
		await whatWouldBeLost(worktree);
		expect(await mergeWorktree(worktree, 'm')).toMatchObject({ how: 'applied' });
		await removeWorktree(worktree, { discard: true });
		commit({});
		const other = await create(false, 'y');
		commit({ 'a.txt': lines('a', { 1: 'mine', 12: 'theirs' }) }, other.folder);
		commit({ 'a.txt': lines('a', { 1: 'ours' }) });
		expect(await mergeWorktree(other, 'm')).toMatchObject({ how: 'merged' });
		await removeWorktree(other, { discard: false });
	};

	it.each(['--local', '--global'])(
		'run at no step of a worktree’s life where nobody needs them (%s)',
		async scope => {
			attributes('*.txt diff=evil\n');
			mkdirSync(outside.file('hooks'));
			for (const hook of HOOKS)
				for (const folder of [outside.file('hooks'), join(repo.root, '.git/hooks')]) {
					mkdirSync(folder, { recursive: true });
					program(join(folder, hook));
				}
			program(outside.file('program'));
			set(programs(), scope);
			await wholeLife();
			expect(existsSync(ran)).toBe(false);
		},
	);

	it.each([
		[
			'a command of the repository’s own',
			{ 'core.sshCommand': '', 'remote.origin.url': 'ssh://nowhere.invalid/x' },
		],
		[
			'a helper that is an alias',
			{ 'remote.origin.url': 'x', 'remote.origin.vcs': 'none', 'alias.remote-none': '' },
		],
		['a URL that is a command', { 'remote.origin.url': '', 'protocol.ext.allow': 'always' }],
	])('fetch nothing that is missing by %s', async (_, settings) => {
		const blob = repo.git(['rev-parse', 'HEAD:a.txt']);
		rmSync(join(repo.root, '.git/objects', blob.slice(0, 2), blob.slice(2)));
		set({
			'core.repositoryFormatVersion': '1',
			'extensions.partialClone': 'origin',
			'remote.origin.promisor': 'true',
		});
		const command: Readonly<Record<string, string>> = {
			'core.sshCommand': `touch ${ran} #`,
			'alias.remote-none': `!touch ${ran} #`,
			'remote.origin.url': `ext::touch ${ran}`,
		};
		set(Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, value || (command[key] ?? '')])));
		await expect(git(await checkoutAt(repo.root), ['cat-file', 'blob', blob])).rejects.toMatchObject({
			code: 'git',
		});
		const aPerson = { ...process.env, GIT_ALLOW_PROTOCOL: 'none:ssh:ext' };
		expect(existsSync(ran)).toBe(false);
		// A person's git runs it.
		spawnSync('git', ['cat-file', 'blob', blob], { cwd: repo.root, stdio: 'ignore', env: aPerson });
		expect(existsSync(ran)).toBe(true);
	});

	const filters = () => ({
		clean: `touch ${ran}; cat`,
		smudge: `touch ${ran}; cat`,
		process: outside.file('program'),
	});
	const withAttributes = gitRepositoryAfter(fresh => {
		fresh.commit({ '.gitattributes': '*.txt filter=evil\n' });
		return create(false, 'x', fresh);
	});

	it.each([
		['clean', 'in its settings'],
		['smudge', 'in its settings'],
		['process', 'in its settings'],
		['clean', 'in a file that these include'],
		['clean', 'in those of the worktree'],
	] as const)('are refused as filter.<name>.%s where the repository alone names them, %s', async (kind, where) => {
		const worktree = await begun(withAttributes);
		program(outside.file('program'));
		const filter = { [`filter.evil.${kind}`]: filters()[kind] };
		if (where === 'in its settings') set(filter);
		else if (where === 'in those of the worktree') {
			set({ 'extensions.worktreeConfig': 'true' });
			for (const [key, value] of Object.entries(filter))
				repo.git(['config', '--worktree', key, value], worktree.folder);
		} else {
			set(filter, `--file=${join(repo.root, 'more')}`);
			set({ 'include.path': '../more' });
		}
		writeFileSync(join(worktree.folder, 'a.txt'), lines('A'));
		for (const use of Object.values(uses))
			await expect(use(worktree)).rejects.toMatchObject({
				code: 'not-trusted',
				message: expect.stringContaining(`filter.evil.${kind}`),
			});
		expect(existsSync(ran)).toBe(false);
		expect(existsSync(worktree.folder)).toBe(true);
	});

	it('run as filters where the user’s own settings name the same', async () => {
		for (const scope of ['--global', '--local'])
			set({ 'filter.own.clean': 'tr a-z A-Z', 'filter.own.smudge': 'tr A-Z a-z' }, scope);
		repo.write({ '.gitattributes': '*.txt filter=own\n' });
		repo.git(['add', '--renormalize', '.']);
		repo.commit({});
		const worktree = await create();
		expect(readFileSync(join(worktree.folder, 'a.txt'), 'utf8')).toBe(lines('a'));
		repo.write({ 'a.txt': 'changed' }, worktree.folder);
		expect(await mergeWorktree(worktree, 'm')).toMatchObject({ how: 'merged' });
		expect(repo.git(['show', 'HEAD:a.txt'])).toBe('CHANGED');
	});

	it('may say more than a transfer from another machine, and a merge is not ended in the middle', async () => {
		set({ 'filter.own.clean': 'cat', 'filter.own.smudge': 'head -c 5000000 /dev/zero >&2; cat' }, '--global');
		repo.commit({ '.gitattributes': '*.txt filter=own\n' });
		const worktree = await create();
		repo.write({ 'a.txt': 'changed' }, worktree.folder);
		expect(await mergeWorktree(worktree, 'm')).toMatchObject({ how: 'merged' });
		expect(readFileSync(join(repo.root, 'a.txt'), 'utf8')).toBe('changed');
	});

	it('are refused as merge drivers where the repository alone names them', async () => {
		attributes('*.txt merge=evil\n');
		set({ 'merge.evil.driver': `touch ${ran}` });
		const worktree = await create();
		repo.commit({ 'a.txt': lines('a', { 1: 'one' }) }, 'x', worktree.folder);
		repo.commit({ 'a.txt': lines('a', { 12: 'twelve' }) });
		await expect(mergeWorktree(worktree, 'm')).rejects.toMatchObject({ code: 'not-trusted' });
		expect(existsSync(ran)).toBe(false);
		set({ 'merge.evil.driver': `touch ${ran}` }, '--global');
		expect(await mergeWorktree(worktree, 'm')).toMatchObject({ how: 'merged' });
		expect(existsSync(ran)).toBe(true);
	});

	it('are refused as transfers of Git LFS, which reads the settings itself', async () => {
		set({ 'filter.lfs.process': 'git-lfs filter-process' }, '--global');
		for (const key of ['lfs.customtransfer.x.path', 'lfs.standalonetransferagent', 'lfs.extension.x.smudge']) {
			set({ [key]: `touch ${ran}` });
			await expect(create()).rejects.toMatchObject({ message: expect.stringContaining(key) });
			repo.git(['config', '--unset', key]);
		}
		set({ 'lfs.url': 'https://nowhere.invalid/x', 'lfs.repositoryformatversion': '0' });
		await create();
	});
});
