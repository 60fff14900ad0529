import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { hasErrno } from '../base/errors.ts';
import { Emitter } from '../base/event.ts';
import { DisposableStore } from '../base/lifetime.ts';
import type { DeviceId } from '../protocol/deskApi.ts';
import { DeviceFile, type DeviceRecord } from './deviceFile.ts';
import { Devices } from './devices.ts';
import { HEADERS } from './headers.ts';
import { LivePages } from './livePages.ts';
import { LiveState } from './liveState.ts';
import { Pairing } from './pairing.ts';
import { readPages, type PageFile } from './pages.ts';
import { Guesses, Rates } from './rates.ts';
import { readJson } from './readJson.ts';
import { placesOf, refusalOf, type Places } from './requestChecks.ts';
import { failure, type Reply } from './replies.ts';
import { OPEN_ROUTES, Routes } from './routes.ts';
import type { Owner, Served } from './served.ts';

export interface DeskServerOptions {
	readonly served: Served;
	readonly owner: Owner;
	/** With the files of the page. */
	readonly pages: string;
	/** The user's: see base/folders. */
	readonly dataFolder: string;
	/** Further addresses, under which a tunnel of the user's makes the server known. */
	readonly addresses?: readonly URL[];
	/** Ends after this time without any device, in milliseconds. */
	readonly idleMs?: number;
	readonly now?: () => number;
}

const LIVE = '/api/v1/live';

const NOT_PAIRED = 'This browser is not paired any more. Pair it again.';

/** UTF-16 units. */
const LONGEST_URL = 1024;

const MOST_CONNECTIONS = 1100;
const MOST_PAGES = 1024;

/** Requests in a second: of one device, and of all that have no token. */
const PER_SECOND = 20;
const OPEN_PER_SECOND = 50;

const IDLE_MS = 2 * 60 * 60 * 1000;
const LOOK_MS = 60_000;

/** How often another port is tried whose IPv6 twin somebody has. */
const PORTS_TRIED = 5;

/**
 * The desk for browsers: a page, and API v1. It listens on this machine alone, at a port that is new each time. A person starts it and lets each
 * browser in. It knows nothing of its own: see {@link Served}.
 */
export class DeskServer {
	private readonly owned = new DisposableStore();
	private readonly ended = this.owned.add(new Emitter<void>());
	/** Nobody has used it for long, so it has closed itself. */
	readonly onDidEnd = this.ended.event;
	private readonly devices: Devices;
	private readonly pairing: Pairing;
	private readonly live: LiveState;
	private readonly sockets: LivePages;
	private readonly routes: Routes;
	private readonly guesses: Guesses;
	private readonly rates: Rates;
	private readonly openRates: Rates;
	private places: Places;
	private usedMs: number;
	private readonly now: () => number;

	private constructor(
		private readonly servers: readonly Server[],
		/** On this machine. */
		readonly port: number,
		private readonly pages: ReadonlyMap<string, PageFile>,
		{ served, owner, dataFolder, addresses = [], idleMs = IDLE_MS, now = Date.now }: DeskServerOptions,
	) {
		this.now = now;
		this.usedMs = now();
		this.places = placesOf(port, addresses);
		this.guesses = new Guesses(() => owner.warn('guesses'), now);
		this.rates = new Rates(PER_SECOND, now);
		this.openRates = new Rates(OPEN_PER_SECOND, now);
		const file = new DeviceFile(dataFolder);
		this.devices = this.owned.add(new Devices(file, () => owner.warn('devices-unreadable')));
		this.pairing = this.owned.add(new Pairing(this.devices, owner, now));
		this.live = this.owned.add(new LiveState(served));
		this.sockets = this.owned.add(new LivePages(this.devices, this.live, this.guesses, MOST_PAGES));
		const { devices, pairing, live, guesses } = this;
		this.routes = new Routes({ served, devices, pairing, live, guesses });
		for (const server of servers) {
			server.on('request', (request, response) => void this.answer(request, response));
			server.on('upgrade', (request, socket, head) => this.upgrade(request, socket, head));
		}
		const looking = setInterval(() => this.endIfIdle(idleMs), Math.min(LOOK_MS, idleMs)).unref();
		this.owned.add({ dispose: () => clearInterval(looking) });
	}

	/** @throws NancyError `io` if the files of the page are missing */
	static async open(options: DeskServerOptions): Promise<DeskServer> {
		const pages = await readPages(options.pages);
		const { servers, port } = await listen();
		return new DeskServer(servers, port, pages, options);
	}

	/** Where a browser of this machine finds it. */
	get address(): string {
		return `http://127.0.0.1:${this.port}/`;
	}

	/** Makes it known under a further address, and no longer under earlier ones. */
	setAddresses(addresses: readonly URL[]): void {
		this.places = placesOf(this.port, addresses);
	}

	/** The address for one browser, good for two minutes. The one before is good no more. */
	invite(address: string): string {
		return `${address}#pair=${this.pairing.newCode()}`;
	}

	/** Oldest first. */
	paired(): DeviceRecord[] {
		return this.devices.list();
	}

	revoke(id: DeviceId): Promise<void> {
		return this.devices.revoke(id);
	}

	/** Ends all connections. Nothing that a device has is worth anything from then on. */
	async close(): Promise<void> {
		this.owned.dispose();
		const closing = this.servers.map(
			server =>
				new Promise<void>(resolve => {
					server.close(() => resolve());
					server.closeAllConnections();
				}),
		);
		await this.devices.revokeAll();
		await Promise.all(closing);
	}

	private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const reply = await this.reply(request, response).catch(() =>
			failure(500, 'io', 'Nancy could not do this. Its log on the computer may say why.'),
		);
		if (!reply || response.writableEnded || response.destroyed) return;
		const text = JSON.stringify(reply.json);
		const isUnread = !request.complete;
		response.writeHead(reply.status, {
			...HEADERS,
			'content-type': 'application/json; charset=utf-8',
			'content-length': Buffer.byteLength(text),
			// The rest of a body that is too long is not waited for.
			...(isUnread && { connection: 'close' }),
		});
		response.end(text, () => isUnread && request.destroy());
	}

	/** `undefined`: it is answered already. */
	private async reply(request: IncomingMessage, response: ServerResponse): Promise<Reply | undefined> {
		const { method = '', url = '' } = request;
		if (url.length > LONGEST_URL) return failure(414, 'too-long', 'The address is too long.');
		const [path = '', query = ''] = url.split('?', 2);
		const isApi = path.startsWith('/api/');
		const refused = refusalOf(request, this.places, isApi ? (method === 'GET' ? 'look' : 'change') : 'page');
		if (refused) return failure(refused.status, refused.code, refused.message);
		if (!isApi) return this.page(method, path, response);
		const isOpen = OPEN_ROUTES.has(path);
		const device = isOpen ? undefined : this.deviceOf(request);
		if (device && 'status' in device) return device;
		const isFine = device ? this.rates.take(device.id) : this.openRates.take('');
		if (!isFine) return failure(429, 'too-many', 'Too many requests. Wait a moment.');
		const body = method === 'POST' ? await readJson(request, isOpen) : undefined;
		if (body && !body.ok) return failure(body.status, 'bad-body', body.message);
		const gone = new AbortController();
		response.on('close', () => gone.abort());
		const call = { method, path, query: new URLSearchParams(query), body: body?.value, signal: gone.signal };
		if (!device) return this.routes.openTo(call);
		// It may have been taken out while its body came, or while it waits for news.
		if (!this.devices.isIn(device.id)) return failure(401, 'no-token', NOT_PAIRED);
		const revoking = this.devices.onDidRevoke(id => id === device.id && gone.abort());
		try {
			return await this.routes.to(device, call);
		} finally {
			revoking.dispose();
		}
	}

	private deviceOf({ headers }: IncomingMessage): DeviceRecord | Reply {
		const [, token] = /^Bearer ([0-9A-Za-z_-]{1,200})$/.exec(headers.authorization ?? '') ?? [];
		if (token === undefined) return failure(401, 'no-token', 'Pair this browser first.');
		const device = this.devices.of(token);
		if (device) {
			this.usedMs = this.now();
			this.devices.seen(device.id);
			return device;
		}
		if (this.guesses.isPaused) return failure(429, 'too-many', 'There were too many wrong tokens. Wait a minute.');
		this.guesses.count();
		return failure(401, 'no-token', NOT_PAIRED);
	}

	private page(method: string, path: string, response: ServerResponse): Reply | undefined {
		if (method !== 'GET') return failure(405, 'wrong-method', 'Use GET.');
		if (!this.openRates.take('')) return failure(429, 'too-many', 'Too many requests. Wait a moment.');
		const found = this.pages.get(path);
		if (!found) return failure(404, 'no-route', 'There is nothing here.');
		response.writeHead(200, {
			...HEADERS,
			'content-type': found.type,
			'content-length': found.bytes.length,
		});
		response.end(found.bytes);
		return undefined;
	}

	private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
		socket.on('error', () => socket.destroy());
		const refused = refusalOf(request, this.places, 'socket');
		const status = refused?.status ?? (request.url === LIVE ? undefined : 404);
		if (status === undefined && this.sockets.take(request, socket, head)) return;
		const refusal = `HTTP/1.1 ${status ?? 503} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
		socket.end(refusal, () => socket.destroy());
	}

	private endIfIdle(idleMs: number): void {
		// A clock that was set back does not keep it open.
		this.usedMs = Math.min(this.usedMs, this.now());
		if (this.sockets.hasDevices) this.usedMs = this.now();
		if (this.now() - this.usedMs < idleMs) return;
		// Told first: the emitter ends too.
		this.ended.fire();
		void this.close().catch(() => undefined);
	}
}

/** Listens on this machine alone. Where there is IPv6, nobody else can have the same port there, which `localhost` may mean. */
async function listen(): Promise<{ servers: Server[]; port: number }> {
	for (let tries = 1; ; tries++) {
		const first = made();
		const port = await start(first, '127.0.0.1', 0);
		const second = made();
		try {
			await start(second, '::1', port);
			return { servers: [first, second], port };
		} catch (error) {
			if (!hasErrno(error, 'EADDRINUSE')) return { servers: [first], port };
			first.close();
			if (tries === PORTS_TRIED) throw error;
		}
	}
}

function made(): Server {
	const server = createServer({ maxHeaderSize: 8192, headersTimeout: 10_000, requestTimeout: 30_000 });
	server.maxConnections = MOST_CONNECTIONS;
	return server;
}

function start(server: Server, host: string, port: number): Promise<number> {
	return new Promise((resolve, reject) => {
		server.once('error', reject);
		server.listen({ host, port, exclusive: true }, () => {
			server.off('error', reject);
			server.on('error', () => undefined);
			const address = server.address();
			resolve(typeof address === 'object' && address ? address.port : 0);
		});
	});
}
