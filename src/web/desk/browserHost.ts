import type { ByeReason, ToPage, ToServer } from '../../protocol/deskApi.ts';
import { link, type Host, type Posted } from './host.ts';
import { isOf } from './isOf.ts';
import { pair } from './pair.ts';
import { dropPass, isProof, keepPass, keptPass } from './pass.ts';
import { parsed, post } from './post.ts';
import type { Shape } from './shape.ts';
import { toPage } from './shapes.ts';

/** In milliseconds. A sleeping phone says nothing of a connection that is gone: a ping without an answer does. */
const PING_MS = 20_000;
/** For each answer of the server's: its proof, its welcome, and that to a ping. */
const PONG_MS = 8000;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 15_000;

/** The server that this page came from. */
export class BrowserHost implements Host {
	readonly surface = 'page';
	draft: unknown;
	private receive: (message: ToPage) => void = () => undefined;
	private socket: WebSocket | undefined;
	private retryMs = FIRST_RETRY_MS;
	private retry = 0;
	private pong = 0;

	open(receive: (message: ToPage) => void): void {
		this.receive = receive;
		setInterval(() => this.ping(), PING_MS);
		// A page that comes back to sight looks at once whether it still has its server.
		for (const [target, event] of [
			[window, 'online'],
			[window, 'pageshow'],
			[document, 'visibilitychange'],
		] as const)
			target.addEventListener(event, () => this.look());
		window.addEventListener('offline', () => this.lose());
		window.addEventListener('hashchange', () => void this.start());
		void this.start();
	}

	post<T>(route: string, body: object, reply: Shape<T>): Promise<Posted<T>> {
		return post(route, body, reply, provenToken);
	}

	/** With a code in the address, this browser asks to be let in. It leaves the address at once, and so the history. */
	private async start(): Promise<void> {
		const [, code] = /^#pair=([0-9A-Za-z_-]+)$/.exec(location.hash) ?? [];
		if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search);
		if (code !== undefined) {
			this.close();
			dropPass();
			const pass = await pair(code);
			if (!pass) return;
			keepPass(pass);
		}
		this.connect();
	}

	private connect(): void {
		this.close();
		const pass = keptPass();
		if (!pass) {
			link.value = { is: 'unpaired' };
			return;
		}
		if (link.value.is !== 'lost') link.value = { is: 'connecting' };
		const address = new URL('api/v1/live', location.href);
		address.protocol = address.protocol.replace('http', 'ws');
		const socket = new WebSocket(address);
		const challenge = crypto.randomUUID();
		let isProved = false;
		this.socket = socket;
		this.expect();
		socket.addEventListener('open', () => this.send({ v: 1, type: 'hello', device: pass.device, challenge }));
		const hear = async (message: ToPage) => {
			if (message.type === 'bye') this.end(message.reason);
			else if (isProved) this.take(message);
			else if (message.type === 'proof') {
				isProved = await isProof(message.proof, challenge, pass.token);
				if (socket !== this.socket) return;
				if (!isProved) return this.over('foreign');
				this.send({ v: 1, type: 'token', token: pass.token });
				this.expect();
			}
		};
		socket.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
			const message = parsed(String(data));
			if (socket === this.socket && isOf(toPage, message)) void hear(message);
		});
		socket.addEventListener('close', () => {
			if (socket === this.socket) this.lose();
		});
	}

	private take(message: ToPage): void {
		if (message.type === 'welcome') {
			this.retryMs = FIRST_RETRY_MS;
			link.value = { is: 'live', scope: message.scope };
		} else this.receive(message);
		if (link.value.is === 'live') clearTimeout(this.pong);
	}

	private end(reason: ByeReason): void {
		if (reason === 'slow') {
			this.lose();
			return;
		}
		if (reason === 'unknown' || reason === 'revoked') dropPass();
		this.over(reason);
	}

	private over(reason: ByeReason | 'foreign'): void {
		this.close();
		link.value = { is: 'over', reason };
	}

	/** Tries again, each time after a longer pause: a server that comes back is not met by all pages at once. */
	private lose(): void {
		this.close();
		link.value = { is: 'lost' };
		this.retry = window.setTimeout(() => this.connect(), this.retryMs * (0.75 + Math.random() / 2));
		this.retryMs = Math.min(this.retryMs * 2, LONGEST_RETRY_MS);
	}

	private look(): void {
		if (document.visibilityState === 'hidden') return;
		if (link.value.is === 'lost') this.connect();
		else if (link.value.is === 'live') this.ping();
	}

	private ping(): void {
		if (this.socket?.readyState !== WebSocket.OPEN || link.value.is !== 'live') return;
		this.send({ v: 1, type: 'ping' });
		this.expect();
	}

	/** From now on a silent server is a lost one. */
	private expect(): void {
		clearTimeout(this.pong);
		this.pong = window.setTimeout(() => this.lose(), PONG_MS);
	}

	private send(message: ToServer): void {
		this.socket?.send(JSON.stringify(message));
	}

	private close(): void {
		clearTimeout(this.retry);
		clearTimeout(this.pong);
		const socket = this.socket;
		this.socket = undefined;
		socket?.close();
	}
}

/** While the server has proved itself. */
export function provenToken(): string | undefined {
	return link.value.is === 'live' ? keptPass()?.token : undefined;
}
