import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { DelegateId } from '../../src/protocol/delegate.ts';
import { DelegateCreatedOutput, DelegatesOutput } from '../../src/protocol/output/delegates.ts';
import type { NancyCommand } from '../unit/cli/nancyCommand.ts';
import { sshLab, type SshLab } from './sshLab.ts';
import { tempFolder } from './tempFolder.ts';

const STAND_IN = join(import.meta.dirname, '../fixtures/children/sleepingClaude.sh');
/** On either machine, so many are started side by side. */
const SIDE_BY_SIDE = 2;

/**
 * Machines `host1`, `host2` …, each a real ssh server, and a repository whose delegates sleep there in place of the agent.
 * @param cluster what `host1` asks as its Slurm: the machine `hpc` is its queue
 */
export async function manyHosts(nancy: NancyCommand, count: number, cluster?: Readonly<Record<string, string>>) {
	const folder = tempFolder('nancy-hosts-');
	const [bin, tools, project, config] = ['bin', 'tools', 'project', 'config/nancy'].map(name => folder.file(name));
	for (const each of [bin, tools, project, config]) mkdirSync(each!, { recursive: true, mode: 0o700 });
	cpSync(STAND_IN, join(tools!, 'claude'));
	const hosts: SshLab[] = [];
	for (let number = 1; number <= count; number++) {
		const PATH = [tools, dirname(process.execPath), '/usr/local/bin:/usr/bin:/bin'].join(delimiter);
		hosts.push(await sshLab({ PATH, IS_SANDBOX: '1', ...cluster }, `host${number}`));
	}
	writeFileSync(folder.file('ssh_config'), hosts.map(({ config: file }) => `Include ${file}\n`).join('Match all\n'));
	writeFileSync(join(bin!, 'ssh'), `#!/bin/sh\nexec /usr/bin/ssh -F '${folder.file('ssh_config')}' "$@"\n`, {
		mode: 0o755,
	});
	const names = hosts.map((_, index) => `host${index + 1}`);
	const ssh = names.map(host => [host, { type: 'ssh', host, max: 100 }] as const);
	const queue = { type: 'slurm', via: 'ssh:host1', sbatch: ['--mem=100M'], max: 100 };
	const executors = { ...Object.fromEntries(ssh), ...(cluster && { hpc: queue }) };
	writeFileSync(join(config!, 'settings.json'), JSON.stringify({ delegates: { executors } }), { mode: 0o600 });
	const git = (...args: string[]) => execFileSync('git', args, { cwd: project, encoding: 'utf8' }).trim();
	git('init', '-q', '-b', 'main');
	git('-c', 'user.name=T', '-c', 'user.email=t@example.com', 'commit', '-q', '--allow-empty', '-m', 'first');
	const env = {
		PATH: [bin, tools, dirname(process.execPath), process.env['PATH']].join(delimiter),
		HOME: folder.file('home'),
		XDG_CONFIG_HOME: folder.file('config'),
		XDG_RUNTIME_DIR: folder.path,
		IS_SANDBOX: '1',
	};
	mkdirSync(env.HOME);
	const call = (args: string[]) => nancy.start(args, { cwd: project!, env });
	const delegate = async (on: string | undefined, seconds: number): Promise<DelegateId> => {
		const place = on === undefined ? [] : ['--on', on];
		const agent = ['--agent', 'claude-code', '--permissions', 'bypassPermissions'];
		const done = await call(['delegate', `sleep ${seconds}`, ...agent, '--worktree', '--json', ...place]);
		if (done.code === 0) return DelegateCreatedOutput.parse(JSON.parse(done.stdout)).id;
		// Every runner that begins looks at the queue, and a person tries again.
		if (done.stderr.includes('"busy"')) return delegate(on, seconds);
		throw new Error(done.stderr);
	};
	return {
		hosts,
		project: project!,
		/** What the command is called with: its `ssh` knows the machines. */
		env,
		socketFolder: folder.file(`nancy-ssh-${process.getuid?.()}`),
		call,
		delegate,
		/** So many, in turn on each machine. Returns where the files of each are. */
		async delegates(many: number, seconds: number): Promise<ReadonlyMap<string, SshLab>> {
			const made = new Map<string, SshLab>();
			const places = Object.keys(executors);
			let next = 0;
			const lane = async () => {
				while (next < many) {
					const number = next++ % places.length;
					made.set(await delegate(places[number], seconds), hosts[number] ?? hosts[0]!);
				}
			};
			await Promise.all(Array.from({ length: SIDE_BY_SIDE }, lane));
			return made;
		},
		async list() {
			return DelegatesOutput.parse(JSON.parse((await call(['delegates', '--json'])).stdout)).delegates;
		},
		async [Symbol.asyncDispose]() {
			for (const host of hosts) await host[Symbol.asyncDispose]();
			await folder.remove();
		},
	};
}
