import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { visibleLine } from '../base/visible.ts';
import { LOST } from '../git/gitFailure.ts';
import { SshHost } from '../protocol/executorId.ts';
import { remoteWords } from './remoteWords.ts';
import { socketFolder } from './socketFolder.ts';

/** Every line that a step of Nancy's prints there. A `.profile` may print others. */
const MARK = 'NANCY ';
/** Of one answer, in bytes. */
const LONGEST_ANSWER = 16 * 1024 * 1024;
/** Of the error output that is kept, in characters. */
const LONGEST_COMPLAINT = 2000;

/** What a shell ends with whose command is not there, or cannot be run (POSIX). */
const [NOT_FOUND, NOT_RUN] = [127, 126];

/** On the other machine, by absolute paths. */
interface GitThere {
	git: string;
	repository: string;
}

/** The user's own `ssh` to one host, with their configuration, keys, jumps and agents. No call waits without a limit. */
export class Ssh {
	private readonly host: string;
	/** The shared connections that have hung. `ssh` waits for such a one, so the next call gets another. */
	private hung = 0;

	constructor(host: string) {
		this.host = SshHost.parse(host);
	}

	/**
	 * Options of every call. It asks nothing. A connection is shared by the calls of a minute, but not without a folder that is safe. A host's own
	 * command, ports and agents of the user's settings are left to their terminal: a job there could use the keys of a forwarded agent.
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
	 * `GIT_SSH_COMMAND` for one program of git's there. Git's own words for host and command are cut off by the `#`: settings of the
	 * repository, such as `url.<base>.insteadOf`, could lead the code to another machine. Its path names git, which a login shell alone may find.
	 * It runs no hook, which an agent may have put there. `ssh` ends with 255 where the connection fails.
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

	/**
	 * Runs a command there and returns what it says in its marked line. Without that line nobody knows what it did: `ssh` ends with 255 for a
	 * refused connection and for a killed command.
	 * @param command for the shell there, quoted
	 * @throws NancyError `timeout` with ssh's own words; `io` if the shell there has not found or not run the command
	 */
	ask(command: string, input: string, timeoutMs: number): Promise<unknown> {
		return new Promise((resolve, reject) => {
			const child = spawn('ssh', [...this.options, '--', this.host, command], {
				stdio: ['pipe', 'pipe', 'pipe'],
				windowsHide: true,
			});
			let output = '';
			let complaint = '';
			child.stdout.setEncoding('utf8').on('data', (text: string) => {
				output += text;
				if (output.length > LONGEST_ANSWER) stop('its answer is too long');
			});
			child.stderr.setEncoding('utf8').on('data', (text: string) => {
				complaint = `${complaint}${text}`.slice(-LONGEST_COMPLAINT);
			});
			child.stdin.on('error', () => undefined); // it has ended without reading all of it
			child.stdin.end(input);
			let ended: string | undefined;
			let isRefused = false;
			let isRead = false;
			const settle = () => {
				if (ended === undefined || !isRead) return;
				clearTimeout(timer);
				const answer = markedLine(output);
				const why = complaint.trim() || ended;
				if (answer !== undefined) resolve(answer);
				else reject(isRefused ? notRun(this.host, why) : unreachable(this.host, why));
			};
			const stop = (why: string) => {
				child.kill('SIGKILL');
				child.stdout.destroy();
				[ended, isRead] = [why, true];
				settle();
			};
			// Also of what has ended: a program that it leaves behind may hold its output open.
			const timer = setTimeout(() => {
				this.hung++;
				stop(`no answer in ${timeoutMs / 1000} s`);
			}, timeoutMs);
			child.once('error', error => stop(error.message));
			// A shared connection goes on in the background. It holds the error output open, so "close" would not come.
			child.once('exit', (code, signal) => {
				ended ??= `ssh ended with ${code ?? signal}`;
				isRefused = code === NOT_FOUND || code === NOT_RUN;
				settle();
			});
			child.stdout.once('end', () => {
				isRead = true;
				settle();
			});
		});
	}
}

/** The content of the last whole marked line. */
export function markedLine(output: string): unknown {
	const lines = output.split('\n').slice(0, -1);
	const line = lines.findLast(each => each.startsWith(MARK));
	try {
		return line === undefined ? undefined : JSON.parse(line.slice(MARK.length));
	} catch {
		return undefined;
	}
}

/** What {@link markedLine} finds. */
export function marked(value: unknown): string {
	return `${MARK}${JSON.stringify(value)}`;
}

function notRun(host: string, why: string): NancyError {
	return new NancyError('io', phrase`${host} cannot run Nancy: ${visibleLine(why, 300)}`);
}

function unreachable(host: string, why: string): NancyError {
	return new NancyError(
		'timeout',
		phrase`${host} cannot be reached by ssh: ${visibleLine(why.replace(/^ssh: /, ''), 300)}`,
	);
}
