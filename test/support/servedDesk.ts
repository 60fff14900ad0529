import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import * as z from 'zod/mini';
import { programFolder } from '../../src/server/programFolder.ts';
import { DeskServer, type DeskServerOptions } from '../../src/server/deskServer.ts';
import type { Newcomer, Warning } from '../../src/server/served.ts';
import { ServedFolders } from '../../src/server/servedFolders.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import type { OperationContext } from '../../src/operations/operation.ts';
import { PairReply, PairResult, ToPage } from '../../src/protocol/deskApi.ts';
import type { DeskMessage } from '../../src/protocol/deskState.ts';
import type { MessageId } from '../../src/protocol/names.ts';
import type { Scope } from '../../src/protocol/scope.ts';
import { smallRepository } from './delegateSeeds.ts';
import { contextOf } from './operationContext.ts';
import { programs } from './programs.ts';
import { tempFolder } from './tempFolder.ts';

const Json = z.record(z.string(), z.unknown());

export interface Asking {
	method?: string;
	headers?: Record<string, string | undefined>;
	body?: unknown;
	/** As it goes over the wire. */
	text?: string;
}

export interface Answered {
	status: number;
	headers: IncomingHttpHeaders;
	text: string;
	/** Empty for another type. */
	json: Record<string, unknown>;
}

/**
 * The real server of a workspace, on a real port. Its owner lets everybody in with what `allow` says.
 * @param files of a repository that the workspace is
 */
export async function servedDesk(options: Partial<DeskServerOptions> = {}, files?: Readonly<Record<string, string>>) {
	const folder = tempFolder();
	if (files) smallRepository(folder, files);
	const workspace = new Workspace(folder.file('project'), folder.file('data'));
	await workspace.prepare();
	const desk = await deskOn(contextOf(folder, workspace), options);
	return {
		folder,
		...desk,
		[Symbol.asyncDispose]: async () => {
			await desk[Symbol.asyncDispose]();
			await folder.remove();
		},
	};
}

/** {@link servedDesk} of a workspace that is there. Who made it removes it. */
export async function deskOn(context: OperationContext, options: Partial<DeskServerOptions> = {}) {
	const { workspace, dataFolder } = context;
	const served = await programFolder(context);
	const newcomers: Newcomer[] = [];
	const warned: Warning[] = [];
	const owner = {
		allow: 'answer' as Scope | undefined,
		letIn: (newcomer: Newcomer) => {
			newcomers.push(newcomer);
			return Promise.resolve(owner.allow);
		},
		warn: (what: Warning) => void warned.push(what),
	};
	const { pages } = await programs();
	const server = await DeskServer.open({
		served: new ServedFolders(() => [served], served.onDidChange, dataFolder),
		owner,
		pages,
		dataFolder,
		...options,
	});
	const own = `http://127.0.0.1:${server.port}`;
	const ask = (path: string, asking: Asking = {}) =>
		askServer(server.port, path, { ...asking, headers: { origin: own, ...asking.headers } });
	const post = (path: string, body: unknown, token?: string, headers: Asking['headers'] = {}) =>
		ask(path, { method: 'POST', body, headers: { ...bearer(token), ...headers } });
	return {
		workspace,
		context,
		served,
		server,
		own,
		owner,
		newcomers,
		warned,
		ask,
		post,
		codeOf: () => newCode(server),
		pair: (scope?: Scope, name?: string) => pairBrowser(server, scope, name),
		get: (path: string, token?: string) => ask(path, { headers: bearer(token) }),
		page: (headers: Record<string, string> = {}) => new Page(server.port, { origin: own, ...headers }),
		[Symbol.asyncDispose]: async () => {
			await server.close();
			await served.close();
		},
	};
}

function newCode(server: DeskServer): string {
	return /#pair=(.*)$/.exec(server.invite(server.address))?.[1] ?? '';
}

/** Pairs a browser with a server as a page does. */
export async function pairBrowser(server: DeskServer, scope: Scope = 'answer', name = 'Test phone') {
	const headers = { origin: `http://127.0.0.1:${server.port}` };
	const post = async (path: string, body: unknown) =>
		(await askServer(server.port, `/api/v1/${path}`, { method: 'POST', body, headers })).json;
	const begun = PairReply.parse(await post('pair', { code: newCode(server), name, scope }));
	const result = PairResult.parse(await post('pair/result', { request: begun.request }));
	if (result.is !== 'in') throw new Error(`not let in: ${result.is}`);
	return { ...result, number: begun.number };
}

export type ServedDesk = Awaited<ReturnType<typeof servedDesk>>;

export function bearer(token: string | undefined): Record<string, string> {
	return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** One request as any program of the machine can send it. */
export function askServer(
	port: number,
	path: string,
	{ method = 'GET', headers = {}, body, text }: Asking = {},
): Promise<Answered> {
	const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
	const sent = text ?? (body === undefined ? undefined : JSON.stringify(body));
	return new Promise((resolve, reject) => {
		const request = httpRequest(
			{
				host: '127.0.0.1',
				port,
				path,
				method,
				agent: false,
				headers: {
					...(sent !== undefined && { 'content-type': 'application/json' }),
					...(given as Record<string, string>),
				},
			},
			response => {
				let got = '';
				response.setEncoding('utf8').on('data', (piece: string) => (got += piece));
				response.on('end', () => {
					const isJson = response.headers['content-type']?.startsWith('application/json');
					resolve({
						status: response.statusCode ?? 0,
						headers: response.headers,
						text: got,
						json: isJson ? Json.parse(JSON.parse(got)) : {},
					});
				});
			},
		);
		request.on('error', reject);
		request.end(sent);
	});
}

/** A page's WebSocket. */
export class Page {
	readonly socket: WebSocket;
	readonly messages: ToPage[] = [];
	private readonly waiting = new Set<() => void>();
	readonly closed: Promise<unknown>;

	constructor(port: number, headers: Record<string, string>, path = '/api/v1/live') {
		this.socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers });
		this.closed = once(this.socket, 'close').catch(() => undefined);
		this.socket.on('message', (data: Buffer) => {
			this.messages.push(ToPage.parse(JSON.parse(data.toString('utf8'))));
			for (const look of this.waiting) look();
		});
	}

	/** The status of a handshake that is refused. */
	async refusal(): Promise<number | undefined> {
		const [, response] = (await once(this.socket, 'unexpected-response')) as [unknown, { statusCode?: number }];
		this.socket.on('error', () => undefined);
		this.socket.terminate();
		return response.statusCode;
	}

	async say(message: unknown): Promise<void> {
		if (this.socket.readyState === WebSocket.CONNECTING) await once(this.socket, 'open');
		this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
	}

	/** The next message that fits, of those that have come and those that will. */
	async got<T extends ToPage['type']>(
		type: T,
		fits: (message: Extract<ToPage, { type: T }>) => boolean = () => true,
	) {
		const find = () =>
			this.messages.find(
				(each): each is Extract<ToPage, { type: T }> =>
					each.type === type && fits(each as Extract<ToPage, { type: T }>),
			);
		for (;;) {
			const found = find();
			if (found) return found;
			await new Promise<void>(resolve => {
				const look = () => {
					this.waiting.delete(look);
					resolve();
				};
				this.waiting.add(look);
			});
		}
	}

	/** A message of somebody's once the page has it in this state. */
	async message(id: MessageId, state: DeskMessage['state']): Promise<DeskMessage> {
		const fits = (each: DeskMessage) => each.id === id && each.state === state;
		const { patch } = await this.got('patch', ({ patch: { messages } }) => messages?.put.some(fits) === true);
		const found = patch.messages?.put.find(fits);
		if (!found) throw new Error('it is gone');
		return found;
	}

	/** Comes in as a page does. */
	async enter({ device, token }: { device: string; token: string }): Promise<void> {
		await this.say({ v: 1, type: 'hello', device, challenge: 'c'.repeat(22) });
		await this.got('proof');
		await this.say({ v: 1, type: 'token', token });
		await this.got('state');
	}
}
