import { join } from 'node:path';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { LOST } from '../git/gitFailure.ts';
import { SshHost } from '../protocol/executorId.ts';
import { ask } from './ask.ts';
import { inLoginShell, remoteWords, stepWords } from './remoteWords.ts';
import { socketFolder } from './socketFolder.ts';
import type { GitThere, Way } from './way.ts';

/** The user's own `ssh` to one host, with their configuration, keys, jumps and agents. No call waits without a limit. */
export class Ssh implements Way {
	private readonly host: string;
	/** The shared connections that have hung. `ssh` waits for such a one, so the next call gets another. */
	private hung = 0;

	constructor(host: string) {
		this.host = SshHost.parse(host);
	}

	get place(): string {
		return this.host;
	}

	/**
	 * Options of every call. It asks nothing. A connection is shared by the calls of a minute, but not without a folder that is safe. The
	 * user's settings may give a host a command, ports and agents of its own. They are left to the user's terminal: a job there could use
	 * the keys of a forwarded agent.
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
				'ForwardAgent=no',
				'ForwardX11=no',
				'ConnectTimeout=10',
				'ServerAliveInterval=15',
				'ServerAliveCountMax=3',
				...shared,
			].flatMap(option => ['-o', option]),
		];
	}

	private get socket(): string | undefined {
		const folder = socketFolder();
		if (folder === undefined) return undefined;
		// In quotes, as a blank ends a value, and `%` begins a name.
		return `"${join(folder.replaceAll('%', '%%'), `%C${this.hung === 0 ? '' : this.hung % 10}`)}"`;
	}

	/**
	 * `GIT_SSH_COMMAND` for one program of git's there. The `#` cuts off git's own words for host and command. Settings of the repository,
	 * such as `url.<base>.insteadOf`, could lead the code to another machine. Its path names git, which a login shell alone may find. It
	 * runs no hook, which an agent may have put there. `ssh` ends with 255 where the connection fails.
	 */
	gitCommand(program: 'receive-pack' | 'upload-pack', { git, repository }: GitThere): string {
		const call = remoteWords([
			'ssh',
			...this.options,
			'--',
			this.host,
			remoteWords([git, '-c', 'core.hooksPath=/dev/null', program, repository]),
		]);
		return `${call} || { [ $? != 255 ] || echo '${LOST}' >&2; false; } #`;
	}

	/** `ssh` ends with 255 for a refused connection and for a killed command. */
	async ask(words: readonly string[], input: string, timeoutMs: number): Promise<unknown> {
		const asked = await ask('ssh', [...this.options, '--', this.host, inLoginShell(words)], input, timeoutMs);
		if (asked.isHung) this.hung++;
		if (asked.answer !== undefined) return asked.answer;
		if (asked.isRefused) throw new NancyError('io', phrase`${this.host} cannot run Nancy: ${asked.why}`);
		// It draws a frame around the word that a host has another key.
		const why = asked.why.replace(/(?:^| )@+(?= )/g, '').replace(/^\s*(?:ssh: )?/, '');
		throw new NancyError('timeout', phrase`${this.host} cannot be reached by ssh: ${why}`);
	}

	step(version: string, name: string, input: unknown, timeoutMs: number): Promise<unknown> {
		return this.ask(stepWords(version, name), JSON.stringify(input), timeoutMs);
	}
}
