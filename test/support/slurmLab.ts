import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { hostname, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { onTestFailed, TestRunner } from 'vitest';
import { installTool } from './debian.ts';
import { eventually } from './eventually.ts';
import { skippedUnless, withoutRoot } from './skipped.ts';
import { descendantsOf, processTable } from '../../src/process/processTable.ts';
import { tempFolder } from './tempFolder.ts';

/** Debian puts servers into the first, which is not on every PATH. */
const PATH = ['/usr/sbin', process.env['PATH']].join(delimiter);

export interface SlurmLab extends AsyncDisposable {
	/** For programs that ask it: `SLURM_CONF`. */
	env: Record<string, string>;
	/** All that it keeps on its disk: what jobs were submitted with, and its logs. */
	folder: string;
	/** The controller, by its process id. */
	controller(): number;
	startController(): Promise<void>;
	nodes: readonly string[];
	/** Kills the daemon of a node, its first one by default, and not what runs there. */
	killNode(name?: string): void;
	startNode(name?: string): void;
	/** Runs one of its commands and returns what it prints. */
	call(program: string, ...args: string[]): string;
}

/** Control groups of the first version: those of the second need systemd, for Slurm 22.05. */
export const cannotLimitMemory =
	withoutRoot || skippedUnless(existsSync('/sys/fs/cgroup/memory/tasks'), 'needs control groups of version 1');

/**
 * A real Slurm on loopback, of one controller and some nodes, each of them a process of this machine. It needs neither root nor systemd, and keeps
 * everything in a folder of its own. Installs it as root on Debian if it is missing.
 * @param limitsMemory jobs get no more than they have asked for, unless {@link cannotLimitMemory}
 */
export async function slurmLab({ nodes = 1, minJobAge = 300, limitsMemory = false } = {}): Promise<SlurmLab> {
	installTool('slurm');
	const folder = tempFolder('nancy-slurm-');
	for (const name of ['state', 'spool', 'log', 'run', 'munge']) mkdirSync(folder.file(name), { mode: 0o755 });
	chmodSync(folder.path, 0o755);
	chmodSync(folder.file('state'), 0o700);
	chmodSync(folder.file('munge'), 0o711);
	writeFileSync(folder.file('munge/key'), randomBytes(1024), { mode: 0o600 });
	const [controllerPort = 0, ...ports] = await freePorts(nodes + 1);
	const host = hostname().split('.')[0] ?? '';
	const me = userInfo().username;
	const names = ports.map((_, at) => `n${at + 1}`);
	const lines = [
		'ClusterName=lab',
		`SlurmctldHost=${host}(127.0.0.1)`,
		`SlurmctldPort=${controllerPort}`,
		`SlurmUser=${me}`,
		`SlurmdUser=${me}`,
		'AuthType=auth/munge',
		'CredType=cred/munge',
		`AuthInfo=socket=${folder.file('munge/socket')}`,
		// Else it listens on all addresses.
		'CommunicationParameters=NoCtldInAddrAny,NoInAddrAny',
		`StateSaveLocation=${folder.file('state')}`,
		`SlurmdSpoolDir=${folder.file('spool')}/%n`,
		`SlurmctldPidFile=${folder.file('run/slurmctld.pid')}`,
		`SlurmdPidFile=${folder.file('run')}/slurmd.%n.pid`,
		`SlurmctldLogFile=${folder.file('log/slurmctld.log')}`,
		`SlurmdLogFile=${folder.file('log')}/slurmd.%n.log`,
		`ProctrackType=proctrack/${limitsMemory ? 'cgroup' : 'linuxproc'}`,
		`TaskPlugin=task/${limitsMemory ? 'cgroup' : 'none'}`,
		'SwitchType=switch/none',
		'MpiDefault=none',
		'JobAcctGatherType=jobacct_gather/none',
		'AccountingStorageType=accounting_storage/none',
		'SelectType=select/cons_tres',
		'SelectTypeParameters=CR_CPU_Memory',
		'SchedulerType=sched/backfill',
		'SchedulerParameters=batch_sched_delay=0,sched_min_interval=0',
		'DefMemPerCPU=500',
		'ReturnToService=2',
		'KillWait=5',
		`MinJobAge=${minJobAge}`,
		'SlurmdTimeout=15',
		'SlurmctldTimeout=10',
		'InactiveLimit=0',
		...names.map(
			(name, at) =>
				`NodeName=${name} NodeHostname=${host} NodeAddr=127.0.0.1 Port=${ports[at]} CPUs=2 RealMemory=2000 State=UNKNOWN`,
		),
		`PartitionName=main Nodes=${names.join(',')} Default=YES MaxTime=1-0 DefaultTime=30 State=UP`,
	];
	writeFileSync(folder.file('slurm.conf'), `${lines.join('\n')}\n`);
	if (limitsMemory)
		writeFileSync(
			folder.file('cgroup.conf'),
			'CgroupMountpoint=/sys/fs/cgroup\nCgroupPlugin=cgroup/v1\nConstrainRAMSpace=yes\n',
		);
	const env = { SLURM_CONF: folder.file('slurm.conf') };
	const call = (program: string, ...args: string[]) =>
		execFileSync(program, args, { env: { ...process.env, ...env, PATH }, encoding: 'utf8', stdio: 'pipe' });
	const pid = (name: string) => Number(readFileSync(folder.file(name), 'utf8'));
	const munge = (name: string) => folder.file('munge', name);
	call(
		'munged',
		`--key-file=${munge('key')}`,
		`--socket=${munge('socket')}`,
		`--pid-file=${munge('pid')}`,
		`--log-file=${munge('log')}`,
		`--seed-file=${munge('seed')}`,
		'--num-threads=2',
		'--force',
	);
	const startController = async () => {
		call('slurmctld', '-i');
		await eventually('the controller', () => call('sinfo', '--noheader') !== '');
	};
	await startController();
	for (const name of names) {
		mkdirSync(folder.file('spool', name));
		call('slurmd', '-N', name);
	}
	await eventually(
		'the nodes',
		() => call('sinfo', '--noheader', '-N', '-t', 'idle', '-o', '%N').trim().split('\n').length === nodes,
	);
	let last = '';
	if (TestRunner.getCurrentTest()) onTestFailed(() => console.error(last));
	return {
		env,
		folder: folder.path,
		controller: () => pid('run/slurmctld.pid'),
		startController,
		nodes: names,
		startNode: (name = 'n1') => void call('slurmd', '-N', name),
		killNode: (name = 'n1') => end(pid(`run/slurmd.${name}.pid`), 'SIGKILL'),
		call,
		[Symbol.asyncDispose]: async () => {
			last = stateOf(folder.path, call);
			end(pid('run/slurmctld.pid'));
			for (const name of names) end(pid(`run/slurmd.${name}.pid`));
			// Steps of jobs and what they have started outlive their node.
			const table = await processTable();
			for (const step of processesOf(env.SLURM_CONF))
				for (const each of [step, ...descendantsOf(step, table)]) end(each, 'SIGKILL');
			if (limitsMemory) await eventually('no control group', () => removeControlGroups(names));
			end(pid('munge/pid'));
			await folder.remove();
		},
	};
}

/** What a failed test shows of it: its jobs and nodes, and the ends of its logs. */
function stateOf(folder: string, call: SlurmLab['call']): string {
	const asked = ['jobs', 'nodes'].map(what => {
		try {
			return call('scontrol', 'show', what);
		} catch (error) {
			return String(error);
		}
	});
	const logs = globSync(join(folder, 'log/*')).map(file => `${file}:\n${readFileSync(file, 'utf8').slice(-6000)}`);
	return ['The Slurm of the failed test:', ...asked, ...logs].join('\n');
}

function end(pid: number, signal: NodeJS.Signals = 'SIGTERM'): void {
	try {
		process.kill(pid, 'SIGCONT');
		process.kill(pid, signal);
	} catch {
		// It has ended.
	}
}

/** Whether none is left. They have files that nobody can remove, and can be removed once their processes have ended. */
function removeControlGroups(nodes: readonly string[]): boolean {
	const groups = globSync(`/sys/fs/cgroup/*/slurm_{${nodes.join(',')},}`);
	for (const group of groups) execFileSync('find', [group, '-depth', '-type', 'd', '-exec', 'rmdir', '{}', '+']);
	return true;
}

function processesOf(conf: string): number[] {
	return readdirSync('/proc').flatMap(name => {
		try {
			const isIts = readFileSync(`/proc/${name}/environ`, 'utf8').split('\0').includes(`SLURM_CONF=${conf}`);
			return isIts && readFileSync(`/proc/${name}/comm`, 'utf8').startsWith('slurmstepd') ? [Number(name)] : [];
		} catch {
			return [];
		}
	});
}

/** Its programs cannot choose them and say which. */
async function freePorts(count: number): Promise<number[]> {
	const servers = await Promise.all(
		Array.from(
			{ length: count },
			() =>
				new Promise<ReturnType<typeof createServer>>(resolve => {
					const server = createServer().listen(0, '127.0.0.1', () => resolve(server));
				}),
		),
	);
	const ports = servers.map(server => {
		const address = server.address();
		return typeof address === 'object' && address ? address.port : 0;
	});
	await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))));
	return ports;
}
