import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { NancyCommand, Outcome } from '../unit/cli/nancyCommand.ts';
import { eventually } from './eventually.ts';
import { skippedUnless } from './skipped.ts';

/** A pid namespace of its own is for root, or for users where the system allows user namespaces. */
export const UNSHARE = [
	['-fp', '--mount-proc', '--kill-child'],
	['-rfp', '--mount-proc', '--kill-child'],
].find(args => spawnSync('unshare', [...args, 'true']).status === 0);
export const noSecondHost = skippedUnless(UNSHARE, 'needs a pid namespace');

/** Into the user namespace too, if it has one. */
const ENTER = UNSHARE?.[0]?.includes('r') ? ['-U', '--preserve-credentials', '-p', '-m'] : ['-p', '-m'];

/** Another machine with the same home folder, as the login hosts of a cluster have it: neither sees the other's processes. */
export class SecondHost implements AsyncDisposable {
	private constructor(
		private readonly host: ChildProcess,
		private readonly init: number,
	) {}

	static async start(): Promise<SecondHost> {
		// Everything on the machine ends with its first process.
		const host = spawn('unshare', [...(UNSHARE ?? []), 'sleep', 'infinity'], { stdio: 'ignore' });
		const children = `/proc/${host.pid}/task/${host.pid}/children`;
		const init = await eventually(
			'its first process',
			() => Number(readFileSync(children, 'utf8').trim()) || undefined,
		);
		return new SecondHost(host, init);
	}

	/** Runs a command line there. */
	async run(
		nancy: NancyCommand,
		args: readonly string[],
		{ cwd, env }: { cwd: string; env: Record<string, string> },
	): Promise<Outcome> {
		const inside = ['-t', String(this.init), ...ENTER, `--wd=${cwd}`];
		// A program whose caller has ended is refused: the shell is a caller that the command sees.
		const shell = ['sh', '-c', '"$@"; exit $?', 'sh'];
		const child = spawn('nsenter', [...inside, '--', ...shell, process.execPath, nancy.program, ...args], {
			env: nancy.environment(env),
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		const outcome: Outcome = { code: null, stdout: '', stderr: '' };
		child.stdout.setEncoding('utf8').on('data', (text: string) => (outcome.stdout += text));
		child.stderr.setEncoding('utf8').on('data', (text: string) => (outcome.stderr += text));
		const [code] = await once(child, 'close');
		return { ...outcome, code };
	}

	async [Symbol.asyncDispose](): Promise<void> {
		const ended = once(this.host, 'exit');
		this.host.kill('SIGKILL');
		await ended;
	}
}
