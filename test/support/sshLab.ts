import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { installTool } from './debian.ts';
import { eventually } from './eventually.ts';
import { tempFolder } from './tempFolder.ts';

const SSHD = '/usr/sbin/sshd';

export interface SshLab extends AsyncDisposable {
	/** Goes first on the PATH: an `ssh` that knows the host. */
	bin: string;
	/** Its settings, to which other hosts can be added. */
	config: string;
	/** The home folder on that host. */
	home: string;
	/** Ends the server and every connection. */
	stop(): Promise<void>;
	start(): Promise<void>;
}

/**
 * A real OpenSSH server on loopback, which lets this user in. Its sessions have a home folder of their own with this `.profile`. Installs the
 * server as root on Debian if it is missing.
 * @param host its name
 */
export async function sshLab(profile: Readonly<Record<string, string>>, host = 'lab'): Promise<SshLab> {
	installTool('ssh');
	const folder = tempFolder('nancy-ssh-');
	const [home, bin] = [folder.file('home'), folder.file('bin')];
	for (const each of [home, bin]) mkdirSync(each, { mode: 0o700 });
	// A noisy one, as some are.
	const lines = Object.entries(profile).map(([name, value]) => `export ${name}='${value}'`);
	writeFileSync(join(home, '.profile'), ['echo "welcome to the lab"', ...lines, ''].join('\n'));
	for (const key of ['host', 'user'])
		execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', folder.file(key)]);
	writeFileSync(folder.file('authorized_keys'), readFileSync(folder.file('user.pub')), { mode: 0o600 });
	const port = await freePort();
	if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true }); // its separation of privileges wants it
	writeFileSync(
		folder.file('sshd_config'),
		`Port ${port}
ListenAddress 127.0.0.1
HostKey ${folder.file('host')}
PidFile none
AuthorizedKeysFile ${folder.file('authorized_keys')}
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
MaxStartups 10:30:100
SetEnv HOME=${home}
`,
	);
	const key = readFileSync(folder.file('host.pub'), 'utf8').split(' ').slice(0, 2).join(' ');
	writeFileSync(folder.file('known_hosts'), `[127.0.0.1]:${port} ${key}\n`);
	writeFileSync(
		folder.file('ssh_config'),
		`Host ${host}
	HostName 127.0.0.1
	Port ${port}
	User ${userInfo().username}
	IdentityFile ${folder.file('user')}
	IdentitiesOnly yes
	IdentityAgent none
	UserKnownHostsFile ${folder.file('known_hosts')}
	GlobalKnownHostsFile /dev/null
	StrictHostKeyChecking yes
`,
	);
	writeFileSync(join(bin, 'ssh'), `#!/bin/sh\nexec /usr/bin/ssh -F '${folder.file('ssh_config')}' "$@"\n`, {
		mode: 0o755,
	});
	let server: ReturnType<typeof spawn> | undefined;
	const start = async () => {
		server = spawn(SSHD, ['-D', '-e', '-f', folder.file('sshd_config')], { stdio: 'ignore' });
		await eventually('the ssh server', () => {
			try {
				execFileSync(join(bin, 'ssh'), ['-o', 'BatchMode=yes', host, 'true'], { stdio: 'ignore' });
				return true;
			} catch {
				return undefined;
			}
		});
	};
	const stop = async () => {
		const ended = new Promise(resolve => server?.once('exit', resolve));
		const { pid } = server ?? {};
		const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
			.split(' ')
			.filter(Boolean)
			.map(Number);
		// One for each connection. What it has started lives on, as after a loss of power of the way there.
		for (const child of children) process.kill(child, 'SIGKILL');
		server?.kill('SIGKILL');
		await ended;
	};
	await start();
	return {
		bin,
		config: folder.file('ssh_config'),
		home,
		start,
		stop,
		[Symbol.asyncDispose]: async () => {
			await stop();
			await folder.remove();
		},
	};
}

/** The server cannot choose one and say which. */
function freePort(): Promise<number> {
	return new Promise(resolve => {
		const server = createServer().listen(0, '127.0.0.1', () => {
			const address = server.address();
			server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
		});
	});
}
