import { globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { askGit } from '../../src/git/askGit.ts';
import { folderSeenFrom } from '../../src/git/homeCheckout.ts';
import { refuseTracked } from '../../src/git/refuseTracked.ts';
import { createWorktree, folderInWorktree } from '../../src/git/worktree.ts';
import { changesOf, fileAtBase } from '../../src/git/worktreeChanges.ts';
import { previewMerge } from '../../src/git/mergePreview.ts';
import { undoMerge } from '../../src/git/mergeUndo.ts';
import { mergeWorktree } from '../../src/git/worktreeMerge.ts';
import { removeWorktree, whatWouldBeLost } from '../../src/git/worktreeRemove.ts';
import { WorktreeName, type Worktree } from '../../src/protocol/worktree.ts';
import { gitRepository, lines, type GitRepository } from '../support/gitRepository.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';
import { restoreEnvironment } from '../support/environment.ts';

const root = join(import.meta.dirname, '../..');

describe('git is started', () => {
	const sources = globSync('src/**/*.ts', { cwd: root });
	const text = (file: string) => readFileSync(join(root, file), 'utf8').replace(/\/\*[^]*?\*\/|\/\/.*$/gm, '');
	const starting = sources.filter(file => text(file).includes('node:child_process'));

	it('in one place of the sources', () => {
		expect(starting.length).toBeGreaterThan(10);
		expect(starting.filter(file => /['"`]git['"` ]/.test(text(file)))).toEqual(['src/git/git.ts']);
		expect(text('src/git/git.ts').match(/\bspawn\(/g)).toHaveLength(1);
	});

	it('by nothing else in its room that starts programs', () => {
		const inRoom = starting.filter(file => file.startsWith('src/git/')).toSorted();
		expect(inRoom).toEqual(['src/git/git.ts', 'src/git/runInWorktree.ts', 'src/git/worktreeFolder.ts']);
	});
});

/** Every command that Nancy runs. */
const COMMANDS = [
	'add',
	'branch',
	'cat-file',
	'check-ignore',
	'commit-tree',
	'config',
	'diff-index',
	'diff-tree',
	'ls-files',
	'ls-tree',
	'merge',
	'merge-base',
	'merge-tree',
	'read-tree',
	'reset',
	'rev-list',
	'rev-parse',
	'status',
	'symbolic-ref',
	'update-index',
	'update-ref',
	'version',
	'worktree',
	'write-tree',
];

/** Those that git starts itself. A newer git starts fewer. */
const STARTED = ['worktree/symbolic-ref'];

/** What must hold in each process. Git says what it has itself (trace2), so that this is no list of what was passed to it. */
const SETTINGS: Readonly<Record<string, string>> = {
	'safe.barerepository': 'explicit',
	'core.hookspath': '/dev/null',
	'core.fsmonitor': 'false',
	'core.alternaterefscommand': ':',
	'credential.helper': '',
	'fetch.bundleuri': '',
	'push.negotiate': 'false',
	'commit.gpgsign': 'false',
	'merge.verifysignatures': 'false',
	'submodule.recurse': 'false',
	'gc.auto': '0',
	'maintenance.auto': 'false',
	'core.trustctime': 'true',
	'core.checkstat': 'default',
};
const VARIABLES: Readonly<Record<string, string>> = {
	GIT_OPTIONAL_LOCKS: '0',
	GIT_TERMINAL_PROMPT: '0',
	GIT_ASKPASS: 'false',
	GIT_EDITOR: ':',
	GIT_PAGER: 'cat',
	GIT_SSH_COMMAND: 'false',
	GIT_NO_LAZY_FETCH: '1',
};

/** Of trace2's events (git's Documentation/technical/api-trace2). */
const Trace = z.object({
	event: z.string(),
	argv: z.optional(z.array(z.string())),
	name: z.optional(z.string()),
	hierarchy: z.optional(z.string()),
	param: z.optional(z.string()),
	value: z.optional(z.unknown()),
	child_class: z.optional(z.string()),
});

let repo: GitRepository;
let outside: TempFolder;
let saved: NodeJS.ProcessEnv;
beforeEach(() => {
	repo = gitRepository();
	outside = tempFolder();
	saved = { ...process.env };
	mkdirSync(outside.file('traces'));
	const traced = Object.keys(SETTINGS).join(',');
	const variables = [...Object.keys(VARIABLES), 'GIT_ALLOW_PROTOCOL'].join(',');
	writeFileSync(
		outside.file('.gitconfig'),
		`[trace2]\neventTarget = ${outside.file('traces')}\nconfigParams = ${traced}\nenvVars = ${variables}\n`,
	);
	Object.assign(process.env, { HOME: outside.path, XDG_CONFIG_HOME: outside.path, GIT_CONFIG_NOSYSTEM: '1' });
});
afterEach(async () => {
	restoreEnvironment(saved);
	await repo.remove();
	await outside.remove();
});

async function mergeAndUndo(worktree: Worktree, meanwhile: () => void = () => {}): Promise<void> {
	const merged = await mergeWorktree(worktree, 'm');
	if (!merged.ok || !merged.record) throw new Error('not merged');
	meanwhile();
	expect(await undoMerge(worktree, merged.record)).toEqual({ ok: true });
}

it('each git, also one that git starts, has the switches and starts nothing else', async () => {
	repo.git(['update-index', '--add', '--cacheinfo', `160000,${repo.git(['rev-parse', 'HEAD'])},sub`]);
	repo.git(['commit', '--quiet', '-m', 'a submodule']);
	repo.git(['clone', '--quiet', '.', 'sub']);
	repo.git(['reset', '--quiet', '--hard', 'HEAD~1'], join(repo.root, 'sub'));
	repo.write({ '.worktreeinclude': 'kept.secret\n', 'kept.secret': 's', 'in/i.txt': 'i', '.nancy/x': '' });
	await refuseTracked(new Workspace(repo.root));
	repo.git(['add', '--force', '.nancy/x']);
	await expect(refuseTracked(new Workspace(repo.root))).rejects.toMatchObject({ code: 'not-trusted' });
	repo.git(['rm', '--quiet', '-r', '--cached', '.nancy']);
	await askGit(repo.root, ['a.txt']);

	const create = (name: string, withChanges: boolean) =>
		createWorktree({ folder: repo.root, name: WorktreeName.parse(name), withChanges, copyIncludes: true });
	const applied = await create('applied', true);
	await folderInWorktree(applied, join(repo.root, 'in'));
	await folderSeenFrom(applied.folder, repo.root);
	repo.write({ 'b.txt': 'work' }, applied.folder);
	await changesOf(applied);
	await fileAtBase(applied, 'a.txt');
	await previewMerge(applied);
	await mergeAndUndo(applied);
	expect(await mergeWorktree(applied, 'm')).toMatchObject({ how: 'applied' });
	await removeWorktree(applied, { discard: true });
	repo.commit({});
	const merged = await create('merged', false);
	repo.commit({ 'a.txt': lines('a', { 1: 'x' }) }, 'x', merged.folder);
	repo.git(['checkout', '--quiet', '--orphan', 'other'], merged.folder);
	await whatWouldBeLost(merged);
	repo.git(['checkout', '--quiet', '--force', 'nancy/merged'], merged.folder);
	repo.write({ 'c.txt': '' }, merged.folder);
	await previewMerge(merged);
	await mergeAndUndo(merged, () => repo.git(['checkout', '--quiet', 'HEAD~', '--', 'a.txt']));
	expect(await mergeWorktree(merged, 'm')).toMatchObject({ how: 'merged' });
	await removeWorktree(merged, { discard: false });

	const processes = readdirSync(outside.file('traces')).map(name =>
		readFileSync(outside.file('traces', name), 'utf8')
			.trimEnd()
			.split('\n')
			.map(line => Trace.parse(JSON.parse(line))),
	);
	const argv = (trace: (typeof processes)[number]) => trace.find(({ event }) => event === 'start')?.argv?.join(' ');
	expect(processes.length).toBeGreaterThan(100);
	const protocols: string[] = [];
	for (const trace of processes) {
		const said = (name: string) =>
			trace.findLast(({ event, param }) => event === 'def_param' && param?.toLowerCase() === name.toLowerCase());
		for (const [name, value] of Object.entries({ ...SETTINGS, ...VARIABLES }))
			expect([argv(trace), name, said(name)?.value]).toEqual([argv(trace), name, value]);
		protocols.push(String(said('GIT_ALLOW_PROTOCOL')?.value));
		const children = trace.filter(({ event }) => event === 'child_start');
		expect(children.filter(child => child.argv?.[0] !== 'git')).toEqual([]);
	}
	expect(protocols.filter(protocol => !/^[0-9a-f-]{36}$/.test(protocol))).toEqual([]);
	expect(new Set(protocols).size).toBeGreaterThan(50);
	const own = processes.flatMap(trace =>
		trace.filter(({ event, name }) => event === 'cmd_name' && name !== undefined),
	);
	const commands = new Set(own.filter(({ name, hierarchy }) => name === hierarchy).map(({ name }) => name));
	expect(commands).toEqual(new Set(COMMANDS));
	// Above all none in a submodule, where it would read the settings that an agent has written there.
	const started = own.filter(({ name, hierarchy }) => name !== hierarchy).map(({ hierarchy }) => hierarchy);
	expect(STARTED).toEqual(expect.arrayContaining(started));
});
