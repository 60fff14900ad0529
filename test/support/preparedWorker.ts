import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { identify } from '../../src/base/liveness.ts';
import { dataFolder } from '../../src/base/folders.ts';
import { Leases } from '../../src/core/files/leases.ts';
import { prepareAnswer } from '../../src/core/sessions/prepareAnswer.ts';
import type { Workspace } from '../../src/core/workspace/workspace.ts';
import { claudeCode } from '../../src/drivers/claude-code/driver.ts';
import type { Author } from '../../src/protocol/author.ts';
import type { MessageContent } from '../../src/protocol/message.ts';
import { SessionId, type MessageId } from '../../src/protocol/names.ts';
import { HANG_MS } from './eventually.ts';
import { address, hookedWorker } from './hookedWorker.ts';
import { BY_USER, messageContent } from './messageContent.ts';
import { uniqueHex } from '../../src/base/unique.ts';

/** A call of the guard, as far as it differs from that of the worker's own agent. */
export interface HookCall {
	event?: string;
	slot?: string;
	/** Further fields of the payload. */
	more?: object;
	/** The whole payload. */
	input?: string;
	env?: Readonly<Record<string, string | undefined>>;
	/** Of another runtime in the same data folder. */
	launcher?: string;
	shell?: readonly string[];
}

/** A worker of Claude Code at work, for which Nancy can prepare answers. Its process is one of the test's own. */
export class PreparedWorker implements AsyncDisposable {
	private constructor(
		readonly workspace: Workspace,
		readonly launcher: string,
		readonly session: SessionId,
		readonly agent: ChildProcess,
	) {}

	static async in(folder: string): Promise<PreparedWorker> {
		const session = SessionId.parse(`5e551011-0000-4000-8000-${uniqueHex(12)}`);
		const { workspace, launcher } = await hookedWorker(folder, { agent: claudeCode.id, session });
		const agent = spawn('sleep', ['600'], { stdio: 'ignore' });
		await once(agent, 'spawn');
		await workspace.updateWorker(
			address,
			record =>
				record && {
					...record,
					process: identify(agent.pid ?? 0),
					sessions: record.sessions.map(each => ({ ...each, transcript: join(folder, 'transcript.jsonl') })),
				},
		);
		// The sender of an earlier message has made the machine's file. Only a claim or a preparation makes it.
		await Leases.for(workspace.mailbox(address).folder).renew();
		return new PreparedWorker(workspace, launcher, session, agent);
	}

	get box(): string {
		return this.workspace.mailbox(address).folder;
	}

	/** The guard's file of the answer that is prepared for the session. */
	get prepared(): string {
		return join(dataFolder(), 'prepared', this.session);
	}

	/** Queues a message without preparing an answer. */
	queue(words: string, more: Partial<MessageContent> = {}, author: Author = BY_USER): Promise<MessageId> {
		return this.workspace.send(address, messageContent(words, more), author);
	}

	/** Queues a message and prepares the answer. */
	async send(words: string, more: Partial<MessageContent> = {}, author: Author = BY_USER): Promise<MessageId> {
		const id = await this.queue(words, more, author);
		await this.prepare(id);
		return id;
	}

	async prepare(id: MessageId, index?: string): Promise<void> {
		const record = await this.workspace.worker(address);
		if (record) await prepareAnswer(this.workspace, claudeCode, record, id, index);
	}

	payload(event: string, more: object = {}): string {
		return JSON.stringify({
			session_id: this.session,
			transcript_path: join(this.workspace.folder, 'transcript.jsonl'),
			cwd: this.workspace.folder,
			hook_event_name: event,
			tool_name: 'Bash',
			tool_input: {},
			tool_calls: [],
			...more,
		});
	}

	environment(env: HookCall['env'] = {}): NodeJS.ProcessEnv {
		return {
			PATH: process.env['PATH'],
			NANCY_HOOK_SESSION: this.session,
			NANCY_HOOK_PID: `${this.agent.pid}`,
			NANCY_HOOK_PROJECT: this.workspace.folder,
			NANCY_HOOK_TIMEOUT: '60',
			...env,
		};
	}

	hook(call: HookCall = {}): { status: number | null; stdout: string; stderr: string } {
		const { event = 'PostToolBatch', slot = 'boundary', shell = [], launcher = this.launcher } = call;
		const [command, ...args] = [...shell, launcher, claudeCode.id, event, slot, this.workspace.folder];
		const { status, stdout, stderr } = spawnSync(command ?? launcher, args, {
			input: call.input ?? this.payload(event, call.more),
			encoding: 'utf8',
			env: this.environment(call.env),
			// One that hangs would never let the test fail.
			timeout: HANG_MS,
			killSignal: 'SIGKILL',
		});
		return { status, stdout, stderr };
	}

	/** A call that takes its time, of which others may run at once. */
	async hookBeside(call: Pick<HookCall, 'env' | 'launcher'> = {}): Promise<string> {
		const args = [claudeCode.id, 'PostToolBatch', 'boundary', this.workspace.folder];
		const child = spawn(call.launcher ?? this.launcher, args, {
			env: this.environment(call.env),
			stdio: ['pipe', 'pipe', 'ignore'],
		});
		child.stdin.end(this.payload('PostToolBatch'));
		return text(child.stdout);
	}

	/** Ends the agent. */
	async [Symbol.asyncDispose](): Promise<void> {
		if (this.agent.signalCode !== null) return;
		const ended = once(this.agent, 'exit');
		this.agent.kill('SIGKILL');
		await ended;
	}
}
