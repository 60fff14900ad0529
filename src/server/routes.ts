import { NewestMap } from '../base/newestMap.ts';
import {
	AnswerReply,
	AnswerRequest,
	FeedbackReply,
	LeaveReply,
	LeaveRequest,
	MessageReply,
	MessageRequest,
	PairReply,
	PairRequest,
	PairResult,
	PairResultRequest,
	StateReply,
} from '../protocol/deskApi.ts';
import { DevicesReply } from '../protocol/deskRooms.ts';
import { QuestionId } from '../protocol/question.ts';
import { mayDo, type Scope } from '../protocol/scope.ts';
import type { DeviceRecord } from './deviceFile.ts';
import type { Devices } from './devices.ts';
import { waitingFeedback } from './feedback.ts';
import type { LiveState } from './liveState.ts';
import type { Pairing } from './pairing.ts';
import type { Guesses } from './rates.ts';
import { done, failure, given, said, wrongMethod, type Reply } from './replies.ts';
import { DELEGATE, doInRoom, LOOKS } from './roomRoutes.ts';
import type { Served } from './served.ts';

export interface Call {
	readonly method: string;
	/** Without the query. */
	readonly path: string;
	readonly query: URLSearchParams;
	/** The body of a POST request. */
	readonly body: unknown;
	/** Aborts when the page is gone. */
	readonly signal: AbortSignal;
}

export interface Parts {
	readonly served: Served;
	readonly devices: Devices;
	readonly pairing: Pairing;
	readonly live: LiveState;
	readonly guesses: Guesses;
}

/** Replies that are remembered, so that a repeated request does nothing twice. */
const MOST_REPLIES = 500;

const ANSWER = /^\/api\/v1\/questions\/([^/]+)\/answer$/;

/** The routes that need no token. */
export const OPEN_ROUTES: ReadonlySet<string> = new Set(['/api/v1/pair', '/api/v1/pair/result']);

/** The routes of API v1 (docs/api.md). Whoever asks has been checked before, but for what the device may do. */
export class Routes {
	/** By device, path and nonce. */
	private readonly replies = new NewestMap<string, Promise<Reply>>(MOST_REPLIES);

	constructor(private readonly parts: Parts) {}

	/** Without a token: pairing. */
	async openTo({ method, path, body }: Call): Promise<Reply> {
		const { pairing, guesses } = this.parts;
		if (method !== 'POST') return failure(405, 'wrong-method', 'Use POST.');
		if (path === '/api/v1/pair/result')
			return given(PairResultRequest, body, async ({ request }) => {
				const result = await pairing.result(request);
				if (result) return said(PairResult, result);
				guesses.count();
				return failure(404, 'no-request', 'Nobody waits under this name.');
			});
		return given(PairRequest, body, async ({ code, name, scope }) => {
			const reply = pairing.begin(code, name, scope);
			if (reply) return said(PairReply, reply);
			if (guesses.isPaused) return failure(429, 'too-many', 'There were too many wrong codes. Wait a minute.');
			guesses.count();
			return failure(403, 'wrong-code', 'This code is used up or too old. Take a new one.');
		});
	}

	/** With the token of a device. */
	async to(device: DeviceRecord, call: Call): Promise<Reply> {
		const { method, path, body } = call;
		const [, question] = ANSWER.exec(path) ?? [];
		if (question !== undefined)
			return this.change(device, 'answer', call, async () => {
				const id = QuestionId.safeParse(question);
				if (!id.success) return failure(404, 'no-question', 'There is no such question.');
				return given(AnswerRequest, body, request =>
					this.once(device, path, request.nonce, async () =>
						done(AnswerReply, await this.parts.served.answer(device.name, id.data, request)),
					),
				);
			});
		const look = LOOKS.get(path);
		if (look) return method === 'GET' ? look(this.parts.served.rooms, call.query) : wrongMethod('GET');
		const [, delegate, verb] = DELEGATE.exec(path) ?? [];
		if (delegate !== undefined)
			return this.change(device, 'feedback', call, () =>
				doInRoom({ delegate, verb, body }, device.name, this.parts.served.rooms, (nonce, run) =>
					this.once(device, path, nonce, run),
				),
			);
		switch (path) {
			case '/api/v1/state':
				return method === 'GET' ? said(StateReply, this.parts.live.present()) : wrongMethod('GET');
			case '/api/v1/devices':
				return method === 'GET' ? said(DevicesReply, this.devicesFor(device)) : wrongMethod('GET');
			case '/api/v1/feedback':
				return method === 'GET' ? this.feedback(call) : wrongMethod('GET');
			case '/api/v1/messages':
				return this.change(device, 'feedback', call, () =>
					given(MessageRequest, body, request =>
						this.once(device, path, request.nonce, async () =>
							done(MessageReply, await this.parts.served.send(device.name, request)),
						),
					),
				);
			case '/api/v1/leave':
				return this.change(device, 'view', call, () =>
					given(LeaveRequest, body, async () => {
						await this.parts.devices.revoke(device.id);
						return said(LeaveReply, {});
					}),
				);
			default:
				return failure(404, 'no-route', 'There is nothing here.');
		}
	}

	private devicesFor(asking: DeviceRecord): DevicesReply {
		const all = this.parts.devices.list();
		return { devices: all.map(each => ({ ...each, isThis: each.id === asking.id })) };
	}

	private async feedback({ query, signal }: Call): Promise<Reply> {
		const found = await waitingFeedback(query, this.parts.live, signal);
		return found ? said(FeedbackReply, found) : failure(400, 'bad-request', 'Name folder, task and worker.');
	}

	private async change(
		{ scope }: DeviceRecord,
		needs: Scope,
		{ method }: Call,
		run: () => Promise<Reply>,
	): Promise<Reply> {
		if (method !== 'POST') return wrongMethod('POST');
		if (!mayDo(scope, needs))
			return failure(
				403,
				'wrong-scope',
				`This device was let in to ${scope} alone. If it is to do more, let it in again at the computer.`,
			);
		return run();
	}

	/** The page repeats a request whose reply it did not get. What was not done may be done at the next try. */
	private once({ id }: DeviceRecord, path: string, nonce: string, run: () => Promise<Reply>): Promise<Reply> {
		const key = `${id} ${path} ${nonce}`;
		const known = this.replies.get(key);
		if (known) return known;
		const reply = run();
		this.replies.set(key, reply);
		const forget = () => this.replies.delete(key);
		reply.then(({ status }) => status >= 400 && forget(), forget);
		return reply;
	}
}
