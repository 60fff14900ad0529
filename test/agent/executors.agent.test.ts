import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SHIPPED, ShellExecutor } from '../../src/executors/shellExecutor.ts';
import { Ssh } from '../../src/executors/ssh.ts';
import { ExecutorsOutput } from '../../src/protocol/output/executors.ts';
import { bubblewrap } from '../support/bubblewrap.ts';
import { folderMachine } from '../support/folderMachine.ts';
import { long } from '../support/long.ts';
import { sshLab } from '../support/sshLab.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { twoMachines } from '../support/twoMachines.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';

const { skipped, folder: sandboxes } = bubblewrap();
let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build();
});
afterAll(() => nancy[Symbol.asyncDispose]());

/** Accepts connections and says nothing, as a machine that hangs. */
async function silentServer() {
	const sockets = new Set<{ destroy(): unknown }>();
	const server = createServer(socket => void sockets.add(socket.on('error', () => undefined)));
	await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve));
	const address = server.address();
	return {
		port: typeof address === 'object' && address ? address.port : 0,
		[Symbol.asyncDispose]: () =>
			new Promise<void>(resolve => {
				server.close(() => resolve());
				for (const socket of sockets) socket.destroy();
			}),
	};
}

it('a job that an earlier version of Nancy has begun is watched by this version, which is shipped first', async () => {
	await using folder = tempFolder('nancy-runtime-');
	await using there = await sshLab({ PATH: `${dirname(process.execPath)}:/usr/bin:/bin` });
	vi.stubEnv('PATH', `${there.bin}:${process.env['PATH']}`);
	const seen = { is: 'absent', log: '', nextOffset: 7, receipts: [], takenBack: [] };
	const answer = JSON.stringify({ answers: [{ at: 0, answer: seen }] });
	mkdirSync(folder.file('hook'));
	for (const name of SHIPPED) writeFileSync(folder.file(name), `console.log('NANCY ${answer}')`);
	const executor = new ShellExecutor(new Ssh('lab'), { folder: folder.path, version: '2-new' });
	for (let look = 0; look < 2; look++)
		expect(await executor.observe(folderMachine('').job, 0, [])).toMatchObject({ nextOffset: 7 });
	executor.close();
	vi.unstubAllEnvs();
});

it('a shared connection that hangs does not hang the next call', async () => {
	await using there = await sshLab({});
	vi.stubEnv('PATH', `${there.bin}:${process.env['PATH']}`);
	const ssh = new Ssh('lab');
	const say = ['echo', 'NANCY true'];
	expect(await ssh.ask(say, '', 60_000)).toBe(true);
	const { stderr } = spawnSync('ssh', [...ssh.options, '-O', 'check', 'lab'], { encoding: 'utf8' });
	const shared = Number(/pid=(\d+)/.exec(stderr)?.[1]);
	process.kill(shared, 'SIGSTOP');
	try {
		await expect(ssh.ask(say, '', 500)).rejects.toMatchObject({ code: 'timeout' });
		expect(await ssh.ask(say, '', 60_000)).toBe(true);
	} finally {
		process.kill(shared, 'SIGKILL');
		vi.unstubAllEnvs();
	}
});

describe('nancy executors', () => {
	it('names the machines of the settings and of ~/.ssh/config, and connects to none', async () => {
		await using folder = tempFolder('nancy-executors-');
		const ssh = folder.file('.ssh');
		mkdirSync(join(ssh, 'more'), { recursive: true });
		writeFileSync(
			join(ssh, 'config'),
			'# Host not\nInclude more/*.conf\nHost gpu1 "gpu2" *.example.com !x\n\tUser u\nhost=gpu3\nMatch host m\n',
		);
		writeFileSync(join(ssh, 'more', 'a.conf'), 'Host inner ?\n');
		const settings = join(nancy.configFolder, 'nancy', 'settings.json');
		mkdirSync(dirname(settings), { recursive: true });
		const executors = { big: { type: 'ssh', host: 'me@big.example.com' } };
		writeFileSync(settings, JSON.stringify({ delegates: { executors } }), { mode: 0o600 });
		// No ssh would be found.
		const call = { cwd: folder.path, env: { HOME: folder.path, PATH: '/nowhere' } };
		const { stdout, code } = await nancy.run(['executors'], call);
		expect(code).toBe(0);
		expect(stdout.split('\n')).toEqual(
			expect.arrayContaining(['big  ssh:me@big.example.com', 'ssh:inner', 'ssh:gpu1', 'ssh:gpu2', 'ssh:gpu3']),
		);
		expect(stdout.trim().split('\n')).toHaveLength(5);
		writeFileSync(settings, '{}', { mode: 0o600 });
	});

	it('says of each machine what is there, and a machine that hangs or is gone keeps no other one waiting', async () => {
		await using machines = await twoMachines(nancy);
		await using silent = await silentServer();
		// A person's own command there, and a port that is taken.
		const ofTerminals = `\tRemoteCommand tmux\n\tLocalForward 127.0.0.1:${silent.port} x:1\n\tExitOnForwardFailure yes\n`;
		appendFileSync(
			machines.there.config,
			`Host hangs\n\tHostName 127.0.0.1\n\tPort ${silent.port}\nHost gone\n\tHostName 127.0.0.1\n\tPort 1\nHost lab\n${ofTerminals}`,
		);
		const { stdout, code } = await machines.call(['executors', '--json', 'ssh:hangs', 'ssh:lab', 'ssh:gone']);
		expect(code).toBe(1);
		const [hangs, lab, gone] = ExecutorsOutput.parse(JSON.parse(stdout)).executors;
		expect(lab).toMatchObject({
			id: 'ssh:lab',
			isReachable: true,
			has: { node: process.version, git: expect.stringContaining('git version'), survivesLogout: 'unknown' },
			lacks: [],
		});
		expect(lab?.has?.agents).toEqual([{ id: 'claude-code', version: expect.stringContaining('Claude Code') }]);
		expect(lab?.has?.freeBytes).toBeGreaterThan(0);
		expect(hangs).toMatchObject({ isReachable: false, lacks: [expect.stringContaining('Connection timed out')] });
		expect(gone).toMatchObject({ isReachable: false, lacks: [expect.stringContaining('Connection refused')] });
		expect((await machines.call(['executors', 'ssh:lab'])).stdout).toContain('ssh:lab: ready');
		expect((await machines.call(['executors', 'ssh:lab'], { CLAUDECODE: '1' })).code).toBe(5);
	});

	it.skipIf(skipped !== '')(
		`says whether a machine makes sandboxes, which it lacks only if the user has set that for it${skipped}`,
		async () => {
			await using tools = tempFolder('nancy-sandboxes-');
			for (const name of ['sh', 'head', 'tr', 'cut', 'awk', 'sed', 'df', 'id'])
				symlinkSync(join('/usr/bin', name), tools.file(name));
			await using there = await sshLab({ PATH: tools.path });
			const settings = join(nancy.configFolder, 'nancy', 'settings.json');
			mkdirSync(dirname(settings), { recursive: true });
			const call = { cwd: tools.path, env: { PATH: `${there.bin}:${process.env['PATH']}`, HOME: there.home } };
			const lab = async (isolate?: 'bwrap' | 'none') => {
				const delegates = { isolate: 'none', executors: { lab: { type: 'ssh', host: 'lab', isolate } } };
				writeFileSync(settings, JSON.stringify({ delegates }), { mode: 0o600 });
				const { stdout } = await nancy.start(['executors', 'lab', '--json'], call);
				const { has, lacks = [] } = ExecutorsOutput.parse(JSON.parse(stdout)).executors[0] ?? {};
				const sandbox = lacks.map(String).filter(each => each.includes('sandbox'));
				return [has?.bubblewrap, has?.sandboxFault, ...sandbox];
			};
			expect(await lab()).toEqual(['', '']);
			expect(await lab('bwrap')).toEqual(['', '', expect.stringContaining('finds no bwrap')]);
			writeFileSync(
				tools.file('bwrap'),
				`#!/bin/sh\n[ "$1" = --version ] && echo bubblewrap 0.0.1 || { echo 'No "permissions"' >&2; exit 1; }\n`,
				{ mode: 0o755 },
			);
			expect(await lab()).toEqual(['bubblewrap 0.0.1', 'No permissions']);
			expect((await nancy.start(['executors', 'lab'], call)).stdout).toContain(
				'bubblewrap 0.0.1 (makes no sandbox)',
			);
			const fault =
				'its bubblewrap makes no sandbox (No permissions): let the system there allow user namespaces';
			expect(await lab('bwrap')).toEqual(['bubblewrap 0.0.1', 'No permissions', fault]);
			rmSync(tools.file('bwrap'));
			symlinkSync(join(sandboxes, 'bwrap'), tools.file('bwrap'));
			expect(await lab('bwrap')).toEqual([expect.stringMatching(/^bubblewrap \d/), '']);
			writeFileSync(settings, '{}', { mode: 0o600 });
		},
	);

	it(
		'says why it does not get into a machine: another key than the one that the user knows, or a key that is not let in',
		long,
		async () => {
			await using there = await sshLab({});
			const call = { cwd: there.home, env: { PATH: `${there.bin}:${process.env['PATH']}`, HOME: there.home } };
			const lab = (name: string) => join(dirname(there.config), name);
			const said = async () => (await nancy.start(['executors', 'ssh:lab'], call)).stdout;
			const known = readFileSync(lab('known_hosts'), 'utf8');
			const [address = ''] = known.split(' ');
			writeFileSync(lab('known_hosts'), `${address} ${readFileSync(lab('user.pub'), 'utf8')}`);
			expect(await said()).toMatch(
				/^ssh:lab: not reached\n {2}lacks: lab cannot be reached by ssh: WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! IT IS/,
			);
			writeFileSync(lab('known_hosts'), known);
			writeFileSync(lab('authorized_keys'), '');
			expect(await said()).toMatch(/^ssh:lab: not reached\n {2}lacks: .*Permission denied \(publickey/);
		},
	);

	it('says what a machine lacks and how to get it, and shows its words only', async () => {
		await using tools = tempFolder('nancy-bare-');
		for (const name of ['sh', 'head', 'tr', 'cut', 'awk', 'sed', 'df', 'timeout'])
			symlinkSync(join('/usr/bin', name), tools.file(name));
		const program = (name: string, text: string) => {
			writeFileSync(tools.file(name), `#!/bin/sh\n${text}\n`);
			chmodSync(tools.file(name), 0o755);
		};
		program('node', `printf 'v18.0.0","git":"\\033[31mred\\n'`);
		program('id', 'echo 1000');
		program('codex', 'echo codex-cli 0.1');
		program('loginctl', 'echo KillUserProcesses=yes');
		await using there = await sshLab({ PATH: tools.path });
		const call = { cwd: tools.path, env: { PATH: `${there.bin}:${process.env['PATH']}`, HOME: there.home } };
		const { stdout, code } = await nancy.start(['executors', 'ssh:lab'], call);
		expect(code).toBe(1);
		expect(stdout).toContain('its Node is v18.0.0,git:[31mred: install Node 20 or newer there');
		expect(stdout).toContain('finds no git: install git there');
		expect(stdout).toContain('codex-cli 0.1');
		expect(stdout).toContain('finds no Claude Code, the only agent that was tried');
		expect(stdout).toContain('set KillUserProcesses=no');
		expect(stdout).not.toContain('\u001b');

		const config = join(there.home, '.config');
		mkdirSync(join(config, 'nancy'), { recursive: true });
		const settings = { delegates: { executors: { hpc: { type: 'slurm', via: 'ssh:lab' } } } };
		writeFileSync(join(config, 'nancy', 'settings.json'), JSON.stringify(settings), { mode: 0o600 });
		const env = { ...call.env, XDG_CONFIG_HOME: config };
		const cluster = await nancy.start(['executors', 'hpc'], { ...call, env });
		expect(cluster.stdout).toContain('hpc  slurm:hpc@lab: not ready');
		expect(cluster.stdout).toContain('finds no sbatch, squeue and scancel');
		// Its jobs belong to no login.
		expect(cluster.stdout).not.toContain('KillUserProcesses');
	});
});
