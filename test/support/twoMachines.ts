import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { expect } from 'vitest';
import { Tickets } from '../../src/core/delegates/tickets.ts';
import { DelegateStatus } from '../../src/protocol/delegate.ts';
import { DelegateCreatedOutput, DelegatesOutput } from '../../src/protocol/output/delegates.ts';
import { InboxOutput } from '../../src/protocol/output/messages.ts';
import type { NancyCommand } from '../unit/cli/nancyCommand.ts';
import { claudeExecutable, claudeHome } from './claudeHome.ts';
import { deployedLab } from './deployedLab.ts';
import { eventually } from './eventually.ts';
import { dataFolderIn } from './runtime.ts';
import { sshLab } from './sshLab.ts';

/** The user's machine, a repository on it, and another machine with the real agent and its login. */
export async function twoMachines(
	nancy: NancyCommand,
	{ isDeployed = false, on = 'ssh:lab', cluster = {} as Readonly<Record<string, string>> } = {},
) {
	const lab = await deployedLab({ isDeployed });
	const { agent } = lab;
	const tools = [dirname(claudeExecutable), dirname(process.execPath)];
	const there = await sshLab({
		ANTHROPIC_BASE_URL: lab.model.url,
		ANTHROPIC_API_KEY: agent.env['ANTHROPIC_API_KEY'] ?? '',
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
		DISABLE_AUTOUPDATER: '1',
		IS_SANDBOX: '1',
		PATH: [...tools, '/usr/local/bin:/usr/bin:/bin'].join(delimiter),
		...cluster,
	});
	claudeHome({ home: there.home, trusted: [], modelUrl: lab.model.url });
	const git = (...args: string[]) => execFileSync('git', args, { cwd: lab.workspace.path, encoding: 'utf8' }).trim();
	git('init', '-q', '-b', 'main');
	git('-c', 'user.name=T', '-c', 'user.email=t@example.com', 'commit', '-q', '--allow-empty', '-m', 'first');
	const env = {
		...lab.env,
		PATH: [there.bin, ...tools, lab.env['PATH']].join(delimiter),
		XDG_DATA_HOME: dirname(dataFolderIn(lab.home)),
		XDG_CONFIG_HOME: join(lab.home, '.config'),
		IS_SANDBOX: '1',
		...cluster,
	};
	const call = (args: string[], more: Record<string, string> = {}, stdin = '') =>
		nancy.start(args, { cwd: lab.workspace.path, env: { ...env, ...more }, stdin });
	return {
		lab,
		there,
		git,
		call,
		tickets: new Tickets(dataFolderIn(lab.home), lab.workspace.path),
		async delegate(prompt: string, ...args: string[]) {
			const all = [
				'delegate',
				'-',
				'--title',
				'T',
				'--permissions',
				'bypassPermissions',
				'--json',
				'--worktree',
				'--on',
				on,
				...args,
			];
			const done = await call(all, {}, prompt);
			expect(done.stderr).toBe('');
			return DelegateCreatedOutput.parse(JSON.parse(done.stdout)).id;
		},
		/** The user's own settings of machines. */
		nameExecutors(executors: object) {
			const folder = join(lab.home, '.config', 'nancy');
			mkdirSync(folder, { recursive: true });
			const settings = JSON.stringify({ delegates: { executors } });
			writeFileSync(join(folder, 'settings.json'), settings, { mode: 0o600 });
		},
		async now() {
			const [delegate] = DelegatesOutput.parse(
				JSON.parse((await call(['delegates', '--json'])).stdout),
			).delegates;
			if (!delegate) throw new Error('no delegate');
			return delegate;
		},
		/** Resolves once it has begun so many tool calls. */
		async atWork(toolCalls = 1) {
			await eventually(
				'at work',
				async () => (await call(['delegates'])).stdout.includes(`${toolCalls} tool calls`) || undefined,
			);
		},
		/** Resolves once a message is in the mailbox on the other machine. */
		async isThere(message: string) {
			const name = join('.nancy-remote/jobs/*/.nancy/tasks/*/comms/*/inbox', `${message}.md`);
			await eventually('carried', () => globSync(name, { cwd: there.home }).length === 1 || undefined);
		},
		/** The process that watches a delegate here. */
		runner(id: string): number {
			const status = readFileSync(lab.workspace.file(`.nancy/delegates/${id}.status`), 'utf8');
			return DelegateStatus.parse(JSON.parse(status)).runner?.pid ?? 0;
		},
		log: (id: string) => lab.workspace.file(`.nancy/delegates/${id}.log`),
		/** The messages of its mailbox here. */
		async mail(worker: string) {
			const { stdout } = await call(['inbox', worker, '--all', '--json']);
			return InboxOutput.parse(JSON.parse(stdout)).messages;
		},
		async ended(id: string) {
			const done = await call(['delegates', id, '--wait', '--timeout', '240', '--json']);
			const [delegate] = DelegatesOutput.parse(JSON.parse(done.stdout)).delegates;
			if (!delegate) throw new Error(done.stderr);
			return delegate;
		},
		async [Symbol.asyncDispose]() {
			await there[Symbol.asyncDispose]();
			await lab[Symbol.asyncDispose]();
		},
	};
}
