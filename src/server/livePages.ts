import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Disposable } from '../base/lifetime.ts';
import { ToServer, type ByeReason, type DeviceId, type ToPage } from '../protocol/deskApi.ts';
import type { DeviceRecord } from './deviceFile.ts';
import type { Devices } from './devices.ts';
import type { LiveState, Step } from './liveState.ts';
import type { Guesses } from './rates.ts';

/** In bytes. A page sends its token and little more. */
const LARGEST_MESSAGE = 4096;

/** Messages of a page within {@link ASK_MS}. */
const MOST_MESSAGES = 50;

/** How long a page may take to show its token, in milliseconds. */
const SILENT_MS = 10_000;

/** How often a page is asked whether it is still there, in milliseconds. */
const ASK_MS = 30_000;

/** What a page has not read yet, in bytes. With more it gets no further change, but the whole state once it has read. */
const MOST_UNREAD = 1024 * 1024;

interface Connection {
	readonly socket: WebSocket;
	state: 'new' | 'proved' | 'in' | 'over';
	device: DeviceId | undefined;
	isBehind: boolean;
	/** Something has left for the page: it reads. */
	readonly onSent: () => void;
	isHeard: boolean;
	messages: number;
}

/** The pages that are open, each by a WebSocket. They get every change; what they want done they say by POST. */
export class LivePages implements Disposable {
	private readonly server = new WebSocketServer({
		noServer: true,
		clientTracking: false,
		maxPayload: LARGEST_MESSAGE,
		perMessageDeflate: false,
	});
	private readonly open = new Set<Connection>();
	private following: Disposable | undefined;
	private readonly revoking: Disposable;
	private readonly asking: NodeJS.Timeout;

	/** @param most how many connections at once */
	constructor(
		private readonly devices: Devices,
		private readonly live: LiveState,
		private readonly guesses: Pick<Guesses, 'count'>,
		private readonly most: number,
	) {
		this.revoking = devices.onDidRevoke(id => {
			for (const each of this.open) if (each.device === id) this.bye(each, 'revoked');
		});
		this.asking = setInterval(() => this.askAll(), ASK_MS).unref();
	}

	/** The server ends. */
	dispose(): void {
		clearInterval(this.asking);
		this.revoking.dispose();
		for (const each of this.open) this.bye(each, 'stopped');
		this.server.close();
	}

	/** A device looks. Who only knocks does not count. */
	get hasDevices(): boolean {
		return [...this.open].some(({ state }) => state === 'in');
	}

	/** Takes a connection over, whose request has been checked. `false`: there are too many. */
	take(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
		if (this.open.size >= this.most) return false;
		this.server.handleUpgrade(request, socket, head, each => this.begin(each));
		return true;
	}

	private begin(socket: WebSocket): void {
		const connection: Connection = {
			socket,
			state: 'new',
			device: undefined,
			isBehind: false,
			onSent: () => this.catchUp(connection),
			isHeard: true,
			messages: 0,
		};
		this.open.add(connection);
		const late = setTimeout(() => connection.state !== 'in' && this.bye(connection, 'slow'), SILENT_MS).unref();
		socket.on('message', (data: Buffer, isBinary) => this.hear(connection, isBinary ? '' : data.toString('utf8')));
		socket.on('pong', () => (connection.isHeard = true));
		// A broken frame, or one that is too long: ws closes it.
		socket.on('error', () => socket.terminate());
		socket.on('close', () => {
			clearTimeout(late);
			connection.state = 'over';
			this.open.delete(connection);
			this.followWhileOpen();
		});
	}

	private hear(connection: Connection, text: string): void {
		if (connection.state === 'over') return;
		connection.isHeard = true;
		if (++connection.messages > MOST_MESSAGES) return this.bye(connection, 'slow');
		const message = parsed(text);
		if (message === 'reload') return this.bye(connection, 'reload');
		if (message === undefined) return;
		switch (message.type) {
			case 'ping':
				return this.send(connection, { v: 1, type: 'pong' });
			case 'hello': {
				if (connection.state !== 'new') return;
				const proof = this.devices.prove(message.device, message.challenge);
				if (proof === undefined) return this.bye(connection, 'unknown');
				connection.state = 'proved';
				return this.send(connection, { v: 1, type: 'proof', proof });
			}
			case 'token': {
				if (connection.state !== 'proved') return;
				const device = this.devices.of(message.token);
				if (device) return this.letIn(connection, device);
				this.guesses.count();
				return this.bye(connection, 'unknown');
			}
		}
	}

	private letIn(connection: Connection, { id, name, scope }: DeviceRecord): void {
		const { seq, state } = this.live.present();
		this.send(connection, { v: 1, type: 'welcome', scope, device: name, now: new Date().toISOString() });
		this.send(connection, { v: 1, type: 'state', seq, state });
		connection.state = 'in';
		connection.device = id;
		this.devices.seen(id);
		this.followWhileOpen();
	}

	private followWhileOpen(): void {
		if (this.hasDevices) this.following ??= this.live.follow(step => this.tell(step));
		else {
			this.following?.dispose();
			this.following = undefined;
		}
	}

	private tell(step: Step): void {
		// Once for all.
		const text = textOf({ v: 1, type: 'patch', ...step });
		for (const connection of this.open) {
			if (connection.state !== 'in') continue;
			if (connection.isBehind || connection.socket.bufferedAmount > MOST_UNREAD) connection.isBehind = true;
			else connection.socket.send(text, connection.onSent);
		}
	}

	/** A page that was behind gets the whole state, and not the changes that it has missed. */
	private catchUp(connection: Connection): void {
		const { state, isBehind, socket } = connection;
		if (state !== 'in' || !isBehind || socket.bufferedAmount > MOST_UNREAD) return;
		// While it is still behind: a look may find a change, which is in this state.
		const { seq, state: whole } = this.live.present();
		connection.isBehind = false;
		this.send(connection, { v: 1, type: 'state', seq, state: whole });
	}

	private askAll(): void {
		for (const connection of this.open) {
			if (!connection.isHeard) {
				this.bye(connection, 'slow');
				connection.socket.terminate();
				continue;
			}
			connection.isHeard = false;
			connection.messages = 0;
			if (connection.device !== undefined) {
				if (!this.devices.isIn(connection.device)) {
					this.bye(connection, 'unknown');
					continue;
				}
				this.devices.seen(connection.device);
			}
			connection.socket.ping();
		}
	}

	private send({ socket, onSent }: Connection, message: ToPage): void {
		socket.send(textOf(message), onSent);
	}

	private bye(connection: Connection, reason: ByeReason): void {
		if (connection.state === 'over') return;
		connection.state = 'over';
		this.send(connection, { v: 1, type: 'bye', reason });
		connection.socket.close();
		// A page that does not answer is not waited for.
		setTimeout(() => connection.socket.terminate(), 1000).unref();
	}
}

/** `reload`: of another version. `undefined`: of a type that this version does not know. */
function parsed(text: string): ToServer | 'reload' | undefined {
	try {
		const value: unknown = JSON.parse(text);
		const message = ToServer.safeParse(value);
		if (message.success) return message.data;
		return typeof value === 'object' && value !== null && 'v' in value && value.v !== 1 ? 'reload' : undefined;
	} catch {
		return undefined;
	}
}

function textOf(message: ToPage): string {
	return JSON.stringify(message);
}
