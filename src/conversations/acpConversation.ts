import { Writable, type Readable } from 'node:stream';
import {
	client,
	methods,
	ndJsonStream,
	PROTOCOL_VERSION,
	type ClientConnection,
	type InitializeResponse,
	type NewSessionRequest,
	type RequestPermissionResponse,
	type StopReason,
} from '@agentclientprotocol/sdk';
import * as z from 'zod/mini';
import { SessionId } from '../protocol/names.ts';
import { promptOf } from './acpPrompt.ts';
import { acpQuestion } from './acpQuestion.ts';
import { AcpSettings, type Offered } from './acpSettings.ts';
import { hasTaken, STEER, steeringBy, steeringOf } from './acpSteering.ts';
import type { AgentProcess } from './agentProcess.ts';
import { agentWords } from './agentWords.ts';
import { BROKEN_OFF, type Beginning, type Conversation, type Listener, type Program } from './conversation.ts';

/** In bytes, of one message. A tool may print much. */
const LONGEST_MESSAGE = 64 * 1024 * 1024;

/** One conversation with an agent over the Agent Client Protocol, on the standard input and output of its process. */
export class AcpConversation implements Conversation {
	/** Nancy's name for it. */
	session: string;
	/** The agent's name for it. */
	own: string;
	/** Hands words to the turn that runs; `undefined` where the agent takes none there. */
	readonly give: Conversation['give'];
	readonly settings: AcpSettings;
	private broken = new AbortController();
	/** The prompts of the turn that runs. */
	private turn: Promise<StopReason>[] | undefined;

	private constructor(
		private readonly process: AgentProcess,
		private readonly connection: ClientConnection,
		names: Names & Offered,
		private readonly program: Program,
		steering: ReturnType<typeof steeringBy>,
		note: (text: string) => void,
	) {
		this.session = names.session;
		this.own = names.own;
		this.settings = new AcpSettings(connection.agent, () => this.own, names, note);
		if (steering === 'request')
			this.give = async words => hasTaken(await connection.agent.request(STEER, steeringOf(this.own, words)));
		if (steering === 'prompt') this.give = async words => this.join(words);
	}

	/**
	 * Begins a conversation with an agent that has just started.
	 * @throws Error with the agent's own words if it does not begin
	 */
	static async begin(
		child: AgentProcess,
		{ program, resume, mode, pull }: Beginning,
		listener: Listener,
	): Promise<AcpConversation> {
		let begun: AcpConversation | undefined;
		let isLoading = false;
		const connection = connect(child, pull, listener, () => begun);
		child.onExit(() => connection.close());
		try {
			const { agent } = connection;
			let steering: ReturnType<typeof steeringBy> = 'none';
			const names = await child.inTime(async () => {
				const initialized = await agent.request(methods.agent.initialize, {
					protocolVersion: PROTOCOL_VERSION,
					clientInfo: { name: 'nancy', title: 'Nancy', version: '1' },
					clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
				});
				steering = steeringBy(initialized);
				if (resume === undefined) return newSession(connection, program);
				const goOn = wayToGoOn(initialized.agentCapabilities);
				const own = program.sessions === 'own' ? resume : program.sessions.ownOf(resume);
				isLoading = true;
				const loaded = await agent.request(goOn, { ...placeOf(program), sessionId: own });
				return { ...loaded, session: resume, own };
			});
			const { settings } = (begun = new AcpConversation(child, connection, names, program, steering, text =>
				listener.note(text),
			));
			if (resume !== undefined) await child.inTime(() => settings.goOnIn(mode));
			return begun;
		} catch (error) {
			const isGone = connection.signal.aborted;
			connection.close();
			await child.end();
			const why = child.complaints || (isGone ? child.lastWords : agentWords(error));
			throw new Error(isLoading ? notLoaded(why) : why, { cause: error });
		}
	}

	/** The agent's process; `undefined` once it has ended. */
	get pid(): number | undefined {
		return this.process.pid;
	}

	complaints = (): string => this.process.complaints;

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
		const first = this.sent(text);
		const turn = (this.turn = [first]);
		let last = first;
		// One that comes when the others are just over has begun another turn, which belongs to this one.
		for (const each of turn) await (last = each).catch(() => undefined);
		this.turn = undefined;
		return last;
	}

	/** Sends a second prompt. @returns whether a turn runs, which it is a part of */
	private join(text: string): boolean {
		if (!this.turn) return false;
		const sent = this.sent(text);
		// Whoever waits for the turn hears of it.
		void sent.catch(() => undefined);
		this.turn.push(sent);
		return true;
	}

	private async sent(text: string): Promise<StopReason> {
		const { stopReason } = await this.connection.agent.request(methods.agent.session.prompt, {
			sessionId: this.own,
			prompt: promptOf(text),
		});
		// The library parses no answers.
		if (typeof stopReason !== 'string') throw new Error('the agent has ended its turn without a reason');
		return stopReason;
	}

	/** @throws Error with the agent's words if it begins none */
	async clear(): Promise<void> {
		const { session, own, ...offered } = await newSession(this.connection, this.program);
		this.session = session;
		this.own = own;
		this.settings.begin(offered);
	}

	/** Many an agent would break its turn off for a second prompt. */
	steer(): boolean {
		return false;
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
		await this.process.end();
	}
}

/** The request that goes on with an earlier conversation. @throws Error for an agent that has none */
function wayToGoOn(can: InitializeResponse['agentCapabilities']) {
	const { load, resume } = methods.agent.session;
	if (can?.loadSession === true) return load;
	if (can?.sessionCapabilities?.resume) return resume;
	throw new Error('This agent cannot go on with an earlier conversation. Start another worker.');
}

/** Speaks with an agent that has been started. @param begun the conversation, once there is one: other sessions are nobody's here */
function connect(
	child: Pick<AgentProcess, 'stdin' | 'stdout'>,
	pull: string | undefined,
	listener: Listener,
	begun: () => AcpConversation | undefined,
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
			const { own, settings } = begun() ?? {};
			// An agent may name its commands before it has named the session. What else comes then is an earlier conversation.
			const isEarly = own === undefined && params.update.sessionUpdate === 'available_commands_update';
			if (params.sessionId === own) settings?.take(params.update);
			if (isEarly || params.sessionId === own) listener.update(params.update);
		})
		.onRequest(methods.client.session.requestPermission, async ({ params, signal }) => {
			const known = begun();
			if (params.sessionId !== known?.own) return CANCELLED;
			const over = AbortSignal.any([known.breaking, connection.signal, signal]);
			const answer = await listener.ask(acpQuestion({ ...params, sessionId: known.session }), over);
			return answer ? { outcome: { outcome: 'selected', optionId: answer.option.optionId } } : CANCELLED;
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

function placeOf({ cwd }: Program): NewSessionRequest {
	return { cwd, mcpServers: [] };
}

async function newSession({ agent }: ClientConnection, program: Program): Promise<Names & Offered> {
	const begun = await agent.request(methods.agent.session.new, placeOf(program));
	return { ...begun, ...namesOf(begun.sessionId, program) };
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

/** The answer to a question that is over. */
const CANCELLED: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } };

/** By reports, Kiro ends with the code 0, never answers, or refuses for ever a conversation whose process was killed. */
function notLoaded(why: string): string {
	return `The earlier conversation cannot go on: ${why.replace(/\.$/, '')}. Start another worker.`;
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
