import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { expect } from 'vitest';
import { Tickets } from '../../src/core/delegates/tickets.ts';
import { DelegateStatus } from '../../src/protocol/delegate.ts';
import { DelegateCreatedOutput, DelegatesOutput } from '../../src/protocol/output/delegates.ts';
import { InboxOutput } from '../../src/protocol/output/messages.ts';
import type { NancyCommand } from '../unit/cli/nancyCommand.ts';
import type { DeployedLab } from './deployedLab.ts';
import { eventually } from './eventually.ts';
import { dataFolderIn } from './runtime.ts';

/**
 * The user's machine with a repository, and what they do there with delegates on another one.
 * @param on the other machine
 * @param path of programs that are called here
 */
export function userMachine(
	nancy: NancyCommand,
	lab: DeployedLab,
	{ on, path, more }: { on: string; path: readonly string[]; more: Readonly<Record<string, string>> },
) {
	const git = (...args: string[]) => execFileSync('git', args, { cwd: lab.workspace.path, encoding: 'utf8' }).trim();
	git('init', '-q', '-b', 'main');
	git('-c', 'user.name=T', '-c', 'user.email=t@example.com', 'commit', '-q', '--allow-empty', '-m', 'first');
	const env = {
		...lab.env,
		PATH: [...path, lab.env['PATH']].join(delimiter),
		XDG_DATA_HOME: dirname(dataFolderIn(lab.home)),
		XDG_CONFIG_HOME: join(lab.home, '.config'),
		IS_SANDBOX: '1',
		...more,
	};
	const call = (args: string[], more: Record<string, string> = {}, stdin = '') =>
		nancy.start(args, { cwd: lab.workspace.path, env: { ...env, ...more }, stdin });
	return {
		git,
		env,
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
		/** The process that watches a delegate here. */
		runner(id: string): number {
			const status = readFileSync(lab.workspace.file(`.nancy/delegates/${id}.status`), 'utf8');
			const { runner } = DelegateStatus.parse(JSON.parse(status));
			if (!runner) throw new Error('it has no runner');
			return runner.pid;
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
	};
}
