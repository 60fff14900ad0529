import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { askerOf } from '../../src/core/asker/asker.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { isolated } from '../../src/delegates/isolation.ts';
import { drivers } from '../../src/drivers/index.ts';
import { claudeCode } from '../../src/drivers/claude-code/driver.ts';
import { createWorktree } from '../../src/git/worktree.ts';
import { isolationHere, isolationOf } from '../../src/operations/shared/isolation.ts';
import { requireBubblewrap } from '../../src/process/bubblewrap.ts';
import { mergedEnvironment } from '../../src/process/environment.ts';
import { ExecutorId } from '../../src/protocol/executorId.ts';
import type { Isolation } from '../../src/protocol/isolation.ts';
import { TaskName, WorkerName } from '../../src/protocol/names.ts';
import { WorktreeName } from '../../src/protocol/worktree.ts';
import { bubblewrap } from '../support/bubblewrap.ts';
import { contextOf } from '../support/operationContext.ts';
import { tempFolder } from '../support/tempFolder.ts';

const { skipped, folder: sandboxes } = bubblewrap();
const address = { task: TaskName.parse('delegates'), worker: WorkerName.parse('delegate-1') };

/** A user whose project, programs and agent are all in the home. */
async function user(home = tempFolder('nancy-home-')) {
	const write = (file: string, text = '') => {
		mkdirSync(dirname(home.file(file)), { recursive: true });
		writeFileSync(home.file(file), text);
		return home.file(file);
	};
	write('.ssh/id', 'a private key');
	write('.gitconfig', '[user]\n\tname = Tess\n\temail = tess@example.com\n');
	write('.claude/settings.json', '{}');
	write('.claude/.credentials.json', '{"login":1}\n');
	write('.claude/history.jsonl', 'what the user asked');
	write('.claude/projects/-other/session.jsonl', 'another record');
	write('other/secret.txt', 'another project');
	chmodSync(write('.local/bin/mine', '#!/bin/sh\necho mine\n'), 0o755);
	const folder = home.file('code/project');
	const env = {
		HOME: home.path,
		PATH: `${home.file('.local/bin')}:${sandboxes}:/usr/bin:/bin`,
		XDG_DATA_HOME: home.file('data'),
	};
	const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8', env });
	mkdirSync(folder, { recursive: true });
	git('init', '-q', '-b', 'main');
	writeFileSync(join(folder, 'a.txt'), 'a\n');
	git('add', 'a.txt');
	git('commit', '-qm', 'first');
	const workspace = new Workspace(folder, home.file('data/nancy'));
	await workspace.prepare();
	const program = (script: string, cwd: string) => ({
		command: '/bin/sh',
		args: ['-c', script],
		cwd,
		env: { ...env, NANCY_RUN: 'run' },
		stdin: '',
		mark: 'run',
	});
	const run = { driver: claudeCode, workspace, address, named: [], bin: home.file('data/nancy/runtime/1/bin'), env };
	/** What each line of the script says, in the sandbox. */
	const inside = async (script: readonly string[], { cwd = folder, by = 'bwrap' as Isolation } = {}) => {
		const text = script.map(line => `{ ${line}; } 2>&1 | tail -n 1`).join('\n');
		const place = { ...run, isInWorktree: cwd !== folder };
		const { command, args, ...started } = await isolated(by, program(text, cwd), place);
		const said = spawnSync(command, args, {
			cwd: started.startsIn,
			env: mergedEnvironment(started.env),
			encoding: 'utf8',
		});
		expect(said.stderr).toBe('');
		return said.stdout.trimEnd().split('\n');
	};
	return {
		home,
		folder,
		env,
		git,
		workspace,
		program,
		run,
		inside,
		[Symbol.asyncDispose]: home[Symbol.asyncDispose],
	};
}

const readOnly = expect.stringContaining('Read-only file system');
const missing = expect.stringContaining('No such file');

describe(`a sandbox${skipped}`, { skip: skipped !== '' }, () => {
	it('is told with the reason if there is none on this machine, and in Restricted Mode nothing is tried', async () => {
		await using it = await user();
		const context = contextOf(it.home, it.workspace, { env: it.env });
		const here = (more: Partial<typeof context>) => isolationHere({ ...context, ...more });
		expect(await here({})).toEqual({ byDefault: 'none', obstacle: undefined });
		const readSettings = () => Promise.resolve({ isolate: 'bwrap-offline' as const });
		expect(await here({ readSettings })).toEqual({ byDefault: 'bwrap-offline', obstacle: undefined });
		const env = { ...it.env, PATH: '/nowhere' };
		expect(String((await here({ env })).obstacle)).toMatch(/^bubblewrap \(bwrap\) is not installed/);
		expect((await here({ env, isTrusted: false })).obstacle).toBeUndefined();
	});

	it('shows of the home the project, the programs on the PATH and the agent’s login, and nothing else', async () => {
		// Elsewhere the sandbox has other programs' temporary files hidden already.
		const out = join(import.meta.dirname, '../../out');
		mkdirSync(out, { recursive: true });
		await using it = await user(tempFolder('home-', out));
		expect(
			await it.inside([
				'cat ~/.ssh/id',
				'cat ~/.gitconfig',
				'cat ~/.claude/history.jsonl',
				'ls ~/.claude/projects/-other',
				'cat ~/other/secret.txt',
				'cat ~/.claude/.credentials.json',
				'echo renewed > ~/.claude/.credentials.json; cat ~/.claude/.credentials.json',
				'echo > ~/.claude/settings.json',
				'mkdir ~/.claude/hooks; ls ~/.claude/hooks; echo there',
				'mine',
				'echo > ~/.local/bin/mine',
				'echo gone > ~/mine.txt; cat ~/mine.txt',
				'cat a.txt',
			]),
		).toEqual([
			missing,
			missing,
			missing,
			missing,
			missing,
			'{"login":1}',
			'renewed',
			readOnly,
			'there',
			'mine',
			readOnly,
			'gone',
			'a',
		]);
		expect(readFileSync(it.home.file('.claude/.credentials.json'), 'utf8')).toBe('renewed\n');
		expect(['mine.txt', '.claude/hooks'].filter(name => existsSync(it.home.file(name)))).toEqual([]);
	});

	it('keeps tickets and other mailboxes’ seals from it, and lets it write its own', async () => {
		await using it = await user();
		const own = it.workspace.own.folder;
		mkdirSync(join(own, 'delegates'), { recursive: true });
		mkdirSync(join(own, 'desk'), { recursive: true });
		writeFileSync(join(own, 'desk/key.json'), 'the key of answers');
		await it.inside([
			`mkdir -p ${own}/delegates/forged ${own}/mail/delegates/other/queued; touch ${own}/delegates/forged/ticket.json`,
			`mkdir -p ${own}/mail/delegates/delegate-1/filed; touch ${own}/mail/delegates/delegate-1/filed/mine`,
		]);
		expect(readdirSync(join(own, 'delegates'))).toEqual([]);
		expect(readdirSync(join(own, 'mail/delegates'))).toEqual(['delegate-1']);
		expect(readdirSync(join(own, 'mail/delegates/delegate-1/filed'))).toEqual(['mine']);
		expect(
			await it.inside([
				`cat ${own}/desk/key.json`,
				`touch ${it.workspace.paths.delegates}/forged.json`,
				`mv ${it.workspace.paths.delegates} ${it.folder}/away`,
			]),
		).toEqual([missing, readOnly, expect.stringContaining('busy')]);
	});

	it('takes commits of the user’s name in a worktree, and no settings, hooks or links of git', async () => {
		await using it = await user();
		const name = WorktreeName.parse('20261129t101112123z-0a1b2c3d');
		const made = { folder: it.folder, name, withChanges: false, copyIncludes: false };
		it.git('config', 'extensions.worktreeConfig', 'true');
		const { folder: cwd, branch } = await createWorktree(made);
		expect(
			await it.inside(
				[
					'echo b > b.txt; git add b.txt; git commit -qm second; git log -1 --format="%an %s"',
					'git config core.fsmonitor ./program',
					'git config --worktree core.fsmonitor ./program',
					'echo > "$(git rev-parse --git-common-dir)/hooks/pre-commit"',
					'echo > "$(git rev-parse --git-dir)/commondir"',
					'git update-ref refs/heads/main HEAD',
					'mv .git git',
					`echo changed > ${it.folder}/a.txt; echo tried`,
				],
				{ cwd },
			),
		).toEqual([
			'Tess second',
			expect.stringMatching(/Read-only|could not lock/),
			expect.stringContaining('busy'),
			readOnly,
			readOnly,
			expect.stringMatching(/Read-only|cannot lock|Unable to create/),
			expect.stringContaining('busy'),
			'tried',
		]);
		expect(it.git('log', '-1', '--format=%an <%ae> %s', branch)).toBe('Tess <tess@example.com> second\n');
		expect(it.git('log', '-1', '--format=%s', 'main')).toBe('first\n');
		expect(readFileSync(join(it.folder, 'a.txt'), 'utf8')).toBe('a\n');
	});

	it('can make no commit and change nothing of git outside a worktree of Nancy’s', async () => {
		await using it = await user();
		mkdirSync(join(it.folder, 'sub'));
		const said = await it.inside([
			'git log -1 --format=%s',
			'git add a.txt; git commit --allow-empty -m second',
			'echo "[core] fsmonitor = x" >> .git/config',
			'echo ../evil > .git/commondir',
			'mkdir .git/modules',
			'mv .git away',
			'cd sub; git log -1 --format=%s',
		]);
		expect(said).toEqual([
			'first',
			expect.stringContaining('Read-only'),
			readOnly,
			readOnly,
			readOnly,
			expect.stringContaining('busy'),
			'first',
		]);
		expect(it.git('config', '--list')).not.toContain('fsmonitor');
	});

	it('gets no further branches at a later run, whatever its HEAD then names', async () => {
		await using it = await user();
		const name = WorktreeName.parse('20261129t101112123z-0a1b2c3d');
		const { folder: cwd } = await createWorktree({
			folder: it.folder,
			name,
			withChanges: false,
			copyIncludes: false,
		});
		for (const ref of ['refs/heads/other', 'refs/x', 'refs/heads/nancy/../x']) {
			await it.inside([`echo "ref: ${ref}" > "$(git rev-parse --git-dir)/HEAD"`], { cwd });
			// With a HEAD that git does not take, the next run is refused.
			await it
				.inside(['echo x > "$(git rev-parse --git-common-dir)/refs/heads/main"'], { cwd })
				.catch(() => undefined);
			writeFileSync(join(it.folder, '.git/worktrees', name, 'HEAD'), `ref: refs/heads/nancy/${name}\n`);
		}
		expect(it.git('log', '-1', '--format=%s', 'main')).toBe('first\n');
	});

	it('is not taken where the home would be in the folder, or the agent’s records cannot be told from others', async () => {
		await using it = await user();
		const all = new Workspace(it.home.path, it.home.file('data/nancy'));
		await all.prepare();
		const run = { ...it.run, workspace: all, isInWorktree: false };
		await expect(isolated('bwrap', it.program('true', it.home.path), run)).rejects.toThrow(
			/which an isolated delegate must not see/,
		);
		const deep = join(it.folder, 'd'.repeat(200));
		mkdirSync(deep);
		await expect(it.inside(['true'], { cwd: deep })).rejects.toThrow(/has too long a path/);
	});

	it('gives no privileges, also to root, and shows no other process', async () => {
		await using it = await user();
		expect(
			await it.inside([
				'grep CapEff /proc/self/status',
				'umount "$HOME" && cat ~/.ssh/id',
				'mount -o remount,rw / 2>&1 | head -n 1',
				'ls /proc | grep -c "^[0-9]*$" | sed "s/^.$/few/"',
				`kill -0 ${process.pid} 2>/dev/null || echo none`,
				'env -i setsid -f sh -c "grep -az ^NANCY_RUN= /proc/1/environ >mark.txt"; until [ -s mark.txt ]; do sleep 0.05; done; tr -d "\\0" <mark.txt',
			]),
		).toEqual([
			'CapEff:\t0000000000000000',
			expect.stringContaining('must be superuser'),
			expect.stringMatching(/must be superuser|permission denied/),
			'few',
			'none',
			'NANCY_RUN=run',
		]);
	});

	it('has no network where the user wants none', async () => {
		await using it = await user();
		const lines = ['ls /sys/class/net | wc -l', 'tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d " "'];
		const [, offline] = await it.inside(lines, { by: 'bwrap-offline' });
		expect(offline).toBe('lo');
	});

	it('fails with the cure where bubblewrap is missing, or may make no namespaces', async () => {
		await using folder = tempFolder();
		await expect(requireBubblewrap({ PATH: folder.path })).rejects.toThrow(/is not installed; install it/);
		const bwrap = folder.file('bwrap');
		writeFileSync(bwrap, '#!/bin/sh\necho "setting up uid map: Permission denied" >&2\nexit 1\n', { mode: 0o755 });
		await expect(requireBubblewrap({ PATH: folder.path })).rejects.toThrow(
			/may not make namespaces here \(setting up uid map: Permission denied\)/,
		);
	});
});

describe('isolation', () => {
	it('is refused for agents of which nobody has tried what they need', async () => {
		const untried = drivers.filter(({ headless }) => headless !== 'none' && headless.homeFolders === 'none');
		expect(untried.map(({ id }) => id)).not.toContain('claude-code');
		await using it = await user();
		for (const driver of untried)
			await expect(
				isolated('bwrap', it.program('true', it.folder), { ...it.run, driver, isInWorktree: false }),
			).rejects.toThrow(/cannot run isolated/);
	});

	it('is what a person chooses, else what the user has set for the machine, else for all', () => {
		const on = ExecutorId.parse('ssh:gpu1');
		const executors = { gpu: { type: 'ssh' as const, host: 'gpu1', isolate: 'bwrap-offline' as const } };
		expect(isolationOf({}, {})).toBeUndefined();
		expect(isolationOf({}, { isolate: 'bwrap', executors })).toBe('bwrap');
		expect(isolationOf({ on }, { isolate: 'bwrap', executors })).toBe('bwrap-offline');
		expect(isolationOf({ on, isolate: 'none' }, { isolate: 'bwrap', executors })).toBeUndefined();
		expect(isolationOf({ on: ExecutorId.parse('ssh:gpu2') }, { isolate: 'bwrap', executors })).toBe('bwrap');
	});

	it('makes nobody a person: whose ancestors end at the sandbox is an agent', () => {
		const first = {
			pid: 1,
			startedTicks: 1,
			env: { NANCY_RUN: 'run' },
			executable: '/usr/bin/bwrap',
			args: ['bwrap'],
			folder: '/',
		};
		const asker = askerOf({ env: {}, folder: '/', ancestors: [first], isOrphan: false }, drivers);
		expect(asker).toMatchObject({ is: 'agent', worker: undefined });
	});
});
