import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, realpathSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { errorText } from '../../base/errors.ts';
import { environmentOfTerminal } from '../../core/driver/agentEnvironment.ts';
import { endWithThis } from '../../base/endWithThis.ts';
import { Holder } from './holder.ts';
import { settingsIn, terminalArgs } from './ownServer.ts';
import { newSocket } from './sockets.ts';

/**
 * Runs Codex in this terminal with an app server of its own, and a holder that carries a person's answers. What fails here leaves the agent with
 * its own prompt alone. The server ends with the terminal.
 *
 * Arguments: the launcher of hooks, the workspace folder, the CLI, and the CLI's own arguments.
 */

/** How long the server may take to listen, in milliseconds. */
const LISTEN_MS = 60_000;
/** Between two looks, and two connections, in milliseconds. */
const AGAIN_MS = 50;
const RECONNECT_MS = 1000;
/** How long the server may take to end, in milliseconds. */
const END_MS = 3000;

/** The exit codes of a terminal that a signal has ended, and of one whose CLI cannot be started: a shell's. */
const BY_SIGNAL = 128;
const NOT_STARTED = 127;

const [launcher = '', workspaceFolder = '', executable = '', ...args] = process.argv.slice(2);

const env = environmentOfTerminal(process.env);

let server: ChildProcess | undefined;
let cli: ChildProcess | undefined;
/** A signal has ended this terminal: nothing more is started. */
let isStopped = false;

async function run(): Promise<number> {
	// The terminal sends it to all of them: the CLI knows what it means.
	process.on('SIGINT', () => undefined);
	for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop(signal));
	let watch: ChildProcess | undefined;
	let socket: string | undefined;
	try {
		socket = newSocket(env);
		const words = terminalArgs(args, `unix://${socket}`);
		if (words === 'none') return await inTerminal(args);
		const begun = spawn(executable, ['app-server', '--listen', `unix://${socket}`, ...settingsIn(args)], {
			env,
			stdio: 'ignore',
		});
		await once(begun, 'spawn');
		server = begun;
		if (begun.pid !== undefined) watch = endWithThis(begun.pid);
		await listening(server, socket);
		const letGo = hold(server, realpathSync(socket));
		const code = await inTerminal(words);
		letGo();
		return code;
	} catch (error) {
		// The terminal says it, too.
		const isSaid = isStopped || isOfSpawn(error);
		if (!isSaid) process.stderr.write(`Nancy carries no answers to this agent: ${errorText(error)}\n`);
		if (server) await ended(server);
		return await inTerminal(args);
	} finally {
		if (server) await ended(server);
		watch?.kill('SIGKILL');
		if (socket !== undefined) rmSync(socket, { force: true });
	}
}

function stop(signal: NodeJS.Signals): void {
	isStopped = true;
	cli?.kill(signal);
	server?.kill('SIGTERM');
}

/** The CLI listens elsewhere and links to that place: it must be the user's alone, too. */
async function listening(server: ChildProcess, socket: string): Promise<void> {
	const until = Date.now() + LISTEN_MS;
	while (!existsSync(socket)) {
		if (server.exitCode !== null || server.signalCode !== null) throw new Error('its app server has ended');
		if (Date.now() > until) throw new Error('its app server does not listen');
		await sleep(AGAIN_MS);
	}
	const { uid, mode } = lstatSync(dirname(realpathSync(socket)));
	if (uid !== process.getuid?.() || (mode & 0o077) !== 0)
		throw new Error('its app server listens in a folder of others');
}

/** @returns ends it */
function hold(server: ChildProcess, path: string): () => void {
	let isOver = false;
	let client: WebSocket | undefined;
	const connect = () => {
		if (isOver || server.pid === undefined) return;
		const socket = new WebSocket(`ws+unix://${path}:/`);
		client = socket;
		const place = { launcher, workspaceFolder, env, server: server.pid };
		const holder = new Holder(place, message => socket.send(JSON.stringify(message)));
		socket.on('open', () => holder.begin());
		socket.on('message', (data: Buffer, isBinary) => {
			if (isBinary) return;
			try {
				holder.take(data.toString('utf8'));
			} catch {
				// A message of a form that this version does not know: the CLI's own prompt decides.
			}
		});
		socket.on('error', () => undefined);
		socket.on('close', () => {
			holder.end();
			setTimeout(connect, RECONNECT_MS).unref();
		});
	};
	connect();
	return () => {
		isOver = true;
		client?.close();
	};
}

/** The CLI before its user. @returns its exit code */
async function inTerminal(words: readonly string[]): Promise<number> {
	if (isStopped) return BY_SIGNAL;
	cli = spawn(executable, words, { env, stdio: 'inherit' });
	try {
		await once(cli, 'exit');
	} catch (error) {
		process.stderr.write(
			`${executable} could not be started: ${errorText(error)}. If it is not there any more, install it again; "nancy doctor" shows what Nancy finds.\n`,
		);
		return NOT_STARTED;
	}
	return cli.exitCode ?? BY_SIGNAL;
}

function isOfSpawn(error: unknown): boolean {
	return error instanceof Error && 'syscall' in error && String(error.syscall).startsWith('spawn');
}

async function ended(server: ChildProcess): Promise<void> {
	if (server.exitCode !== null || server.signalCode !== null) return;
	const isEnded = once(server, 'exit');
	server.kill('SIGTERM');
	const timer = setTimeout(() => server.kill('SIGKILL'), END_MS);
	await isEnded;
	clearTimeout(timer);
}

void run().then(code => process.exit(code));
