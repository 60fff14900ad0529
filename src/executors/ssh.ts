import { join } from 'node:path';
import { phrase } from '../base/phrase.ts';
import { LOST } from '../git/gitFailure.ts';
import { SshHost } from '../protocol/executorId.ts';
import { ask, refuseError } from './ask.ts';
import { inLoginShell, remoteWords } from './remoteWords.ts';
import { socketFolder } from './socketFolder.ts';
import type { GitThere, Way } from './way.ts';

/** The user's own `ssh` to one host, with their configuration, keys, jumps and agents. No call waits without a limit. */
export class Ssh implements Way {
	private readonly host: string;

	constructor(host: string) {
		this.host = SshHost.parse(host);
	}

	get place(): string {
		return this.host;
	}

	/**
	 * Options of every call. It asks nothing, a connection is shared by the calls of a minute, and a host's own command and ports of the user's
	 * settings are left to their terminal. Without a folder that is safe, no connection is shared.
	 */
	get options(): readonly string[] {
		const { socket } = this;
		const shared =
			socket === undefined
				? ['ControlMaster=no', 'ControlPath=none']
				: ['ControlMaster=auto', `ControlPath=${socket}`, 'ControlPersist=60'];
		return [
			'-T',
			...[
				'BatchMode=yes',
				'RemoteCommand=none',
				'ClearAllForwardings=yes',
				'ConnectTimeout=10',
				'ServerAliveInterval=15',
				'ServerAliveCountMax=3',
				...shared,
			].flatMap(option => ['-o', option]),
		];
	}

	private get socket(): string | undefined {
		const folder = socketFolder();
		return folder === undefined ? undefined : join(folder, '%C');
	}

	/**
	 * `GIT_SSH_COMMAND` for one program of git's there. Git's own words for host and command are cut off by the `#`: settings of the
	 * repository, such as `url.<base>.insteadOf`, could lead the code to another machine. Its path names git, which a login shell alone may find.
	 * `ssh` ends with 255 where the connection fails.
	 */
	gitCommand(program: 'receive-pack' | 'upload-pack', { git, repository }: GitThere): string {
		const call = remoteWords(['ssh', ...this.options, '--', this.host, remoteWords([git, program, repository])]);
		return `${call} || { [ $? != 255 ] || echo '${LOST}' >&2; false; } #`;
	}

	/** `ssh` ends with 255 for a refused connection and for a killed command. */
	ask(command: string, input: string, timeoutMs: number): Promise<unknown> {
		const call = ['ssh', [...this.options, '--', this.host, command]] as const;
		return ask(...call, input, timeoutMs, why => phrase`${this.host} cannot be reached by ssh: ${why}`);
	}

	async step(version: string, name: string, input: unknown, timeoutMs: number): Promise<unknown> {
		// The home folder there is known to the shell there alone, and `sh` gets the version as an argument.
		const script = 'exec node "$HOME/.nancy-remote/nancy/runtime/$1/nancy.js" run --remote "$2"';
		const command = inLoginShell(['sh', '-c', script, 'nancy', version, name]);
		return refuseError(await this.ask(command, JSON.stringify(input), timeoutMs));
	}
}
