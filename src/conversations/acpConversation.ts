import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Writable, type Readable } from 'node:stream';
import {
	client,
	methods,
	ndJsonStream,
	PROTOCOL_VERSION,
	type ClientConnection,
	type NewSessionRequest,
	type RequestPermissionRequest,
	type RequestPermissionResponse,
	type SessionUpdate,
	type StopReason,
} from '@agentclientprotocol/sdk';
import * as z from 'zod/mini';
import type { SessionNames } from '../core/driver/acp.ts';
import { SessionId } from '../protocol/names.ts';
import { hasTaken, STEER, steeringOf, takesSteering } from './acpSteering.ts';

/** In bytes, of one message. A tool may print much. */
const LONGEST_MESSAGE = 64 * 1024 * 1024;
/** How long an agent may take to say what it can, in milliseconds. The slowest needs 4 s on an idle machine. */
const BEGIN_MS = 120_000;
/** Of the agent's own complaints, in UTF-16 units. */
const LONGEST_ERRORS = 4000;

export interface Program {
	readonly executable: string;
	readonly args: readonly string[];
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
	/** How Nancy names the agent's sessions. */
	readonly sessions: SessionNames | 'own';
}

export interface Beginning {
	readonly program: Program;
	/** An earlier conversation to go on with. What it held comes again as updates, which are left out. */
	readonly resume: SessionId | undefined;
	/** The request by which the agent asks for words. */
	readonly pull: string | undefined;
	/** Nobody waits for it any more. */
	readonly stop: AbortSignal;
}

export interface Listener {
	/** In the order in which they come. */
	update(update: SessionUpdate): void;
	/** With Nancy's name of the session. @param over the agent does not wait any more */
	ask(request: RequestPermissionRequest, over: AbortSignal): Promise<RequestPermissionResponse>;
	/** The words that wait for the agent, which asks for them between two steps. */
	words(): Promise<string | undefined>;
}

/** One conversation with an agent over the Agent Client Protocol, on the standard input and output of its process. */
export class AcpConversation {
	/** Nancy's name for it. */
	readonly session: string;
	/** The agent's name for it. */
	readonly own: string;
	/** It takes words in the middle of a turn. */
	readonly isSteered: boolean;
	private broken = new AbortController();

	private constructor(
		private readonly process: ChildProcess,
		private readonly connection: ClientConnection,
		names: Names & { readonly isSteered: boolean },
		/** What the agent has written to its standard error. */
		readonly complaints: () => string,
	) {
		this.session = names.session;
		this.own = names.own;
		this.isSteered = names.isSteered;
	}

	/**
	 * Starts an agent and a conversation.
	 * @throws Error with the agent's own words if it does not begin
	 */
	static async begin({ program, resume, pull, stop }: Beginning, listener: Listener): Promise<AcpConversation> {
		const child = spawn(program.executable, program.args, {
			cwd: program.cwd,
			env: program.env,
			stdio: ['pipe', 'pipe', 'pipe'],
		});
		await once(child, 'spawn');
		let complaints = '';
		child.stderr.setEncoding('utf8').on('data', (text: string) => {
			complaints = (complaints + text).slice(-LONGEST_ERRORS);
		});
		let begun: AcpConversation | undefined;
		const connection = connect(child, pull, listener, () => begun);
		child.once('exit', () => connection.close());
		stop.addEventListener('abort', () => child.kill('SIGTERM'));
		if (stop.aborted) child.kill('SIGTERM');
		try {
			const { agent } = connection;
			const names = await inTime(child, async () => {
				const initialized = await agent.request(methods.agent.initialize, {
					protocolVersion: PROTOCOL_VERSION,
					clientInfo: { name: 'nancy', title: 'Nancy', version: '1' },
					clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
				});
				const isSteered = takesSteering(initialized);
				const place: NewSessionRequest = { cwd: program.cwd, mcpServers: [] };
				if (resume === undefined) {
					const { sessionId } = await agent.request(methods.agent.session.new, place);
					return { ...namesOf(sessionId, program), isSteered };
				}
				if (initialized.agentCapabilities?.loadSession !== true)
					throw new Error('This agent cannot go on with an earlier conversation. Start another worker.');
				const own = program.sessions === 'own' ? resume : program.sessions.ownOf(resume);
				await agent.request(methods.agent.session.load, { ...place, sessionId: own });
				return { session: resume, own, isSteered };
			});
			return (begun = new AcpConversation(child, connection, names, () => complaints.trim()));
		} catch (error) {
			connection.close();
			await ended(child);
			throw new Error(complaints.trim() || String(error), { cause: error });
		}
	}

	/** The agent's process; `undefined` once it has ended. */
	get pid(): number | undefined {
		return hasEnded(this.process) ? undefined : this.process.pid;
	}

	/** Aborted once its user breaks the present turn off. */
	get breaking(): AbortSignal {
		return this.broken.signal;
	}

	/** Fulfilled once the agent has ended. */
	get closed(): Promise<void> {
		return this.connection.closed;
	}

	/** Runs one turn. @throws Error with the agent's words if its model fails, or the agent ends */
	async prompt(text: string): Promise<StopReason> {
		const { stopReason } = await this.connection.agent.request(methods.agent.session.prompt, {
			sessionId: this.own,
			prompt: [{ type: 'text', text }],
		});
		return stopReason;
	}

	/** Hands words to the turn that runs. @returns whether they are a part of it; otherwise it is over */
	async steer(text: string): Promise<boolean> {
		return hasTaken(await this.connection.agent.request(STEER, steeringOf(this.own, text)));
	}

	/** Breaks the turn off. Open questions are answered as cancelled, as the protocol wants it. */
	async cancel(): Promise<void> {
		this.broken.abort(BROKEN_OFF);
		this.broken = new AbortController();
		await this.connection.agent.notify(methods.agent.session.cancel, { sessionId: this.own });
	}

	/** Ends the agent. */
	async close(): Promise<void> {
		this.connection.close();
		await ended(this.process);
	}
}

/** Speaks with an agent that has been started. @param begun the conversation, once there is one: other sessions are nobody's here */
function connect(
	child: ChildProcess & { stdin: Writable; stdout: Readable },
	pull: string | undefined,
	listener: Listener,
	begun: () => (Names & { breaking: AbortSignal }) | undefined,
): ClientConnection {
	const app = client({ name: 'nancy' });
	if (pull !== undefined)
		app.onRequest(
			pull,
			params => Pulled.parse(params),
			async ({ params }) => {
				const known = begun();
				const text = params.sessionId === known?.own ? await listener.words() : undefined;
				// Other forms of the answer have the CLI look for files and servers that the words name.
				return { messages: text === undefined ? [] : [text], hasQueuedPrompt: false };
			},
		);
	const connection = app
		.onNotification(methods.client.session.update, ({ params }) => {
			const own = begun()?.own;
			// An agent may name its commands before it has named the session. What else comes then is an earlier conversation.
			const isEarly = own === undefined && params.update.sessionUpdate === 'available_commands_update';
			if (isEarly || params.sessionId === own) listener.update(params.update);
		})
		.onRequest(methods.client.session.requestPermission, async ({ params, signal }) => {
			const known = begun();
			if (params.sessionId !== known?.own) return CANCELLED;
			const over = AbortSignal.any([known.breaking, connection.signal, signal]);
			return listener.ask({ ...params, sessionId: known.session }, over);
		})
		.connect(
			ndJsonStream(Writable.toWeb(child.stdin), bytesOf(child.stdout), {
				maxMessageBytes: LONGEST_MESSAGE,
			}),
		);
	return connection;
}

interface Names {
	/** Nancy's name for the session. */
	readonly session: string;
	/** The agent's. */
	readonly own: string;
}

/** The names of a session that begins. Nancy's becomes a file name. */
function namesOf(own: string, { sessions }: Program): Names {
	const session = sessions === 'own' ? own : sessions.of(own);
	if (own !== '' && SessionId.safeParse(session).success) return { session, own };
	throw new Error(
		'Nancy cannot talk with this agent: the name of its session is too long, or has other characters than letters, digits, - and _.',
	);
}

/** As the one agent that pulls asks. */
const Pulled = z.looseObject({ sessionId: z.string() });

/** Why the questions of a turn are over that its user breaks off. */
export const BROKEN_OFF = 'broken off';

/** The answer to a question that is over. */
export const CANCELLED: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } };

async function inTime<T>(child: ChildProcess, work: () => Promise<T>): Promise<T> {
	const timer = setTimeout(() => child.kill('SIGKILL'), BEGIN_MS);
	try {
		return await work();
	} finally {
		clearTimeout(timer);
	}
}

/** How long an agent may take to end once its input is closed, in milliseconds. */
const END_MS = 3000;

async function ended(child: ChildProcess): Promise<void> {
	if (hasEnded(child)) return;
	const over = once(child, 'exit');
	child.stdin?.end();
	const asked = setTimeout(() => child.kill('SIGTERM'), END_MS);
	const killed = setTimeout(() => child.kill('SIGKILL'), 2 * END_MS);
	await over;
	clearTimeout(asked);
	clearTimeout(killed);
}

function hasEnded(child: ChildProcess): boolean {
	return child.exitCode !== null || child.signalCode !== null;
}

/** Not faster than they are read. */
function bytesOf(output: Readable): ReadableStream<Uint8Array> {
	const pieces = output.iterator();
	return new ReadableStream<Uint8Array>({
		async pull(controller) {
			const next: IteratorResult<Uint8Array> = await pieces.next();
			if (next.done) controller.close();
			else controller.enqueue(next.value);
		},
		// Otherwise an agent that still writes could not end.
		cancel: () => void output.resume(),
	});
}
