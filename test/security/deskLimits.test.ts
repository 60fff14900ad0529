import { request as httpRequest } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { folderId } from '../../src/core/live/deskView.ts';
import { Questions } from '../../src/core/questions/questions.ts';
import type { Question } from '../../src/protocol/question.ts';
import type { Scope } from '../../src/protocol/scope.ts';
import { DeviceFile } from '../../src/server/deviceFile.ts';
import { DeskServer } from '../../src/server/deskServer.ts';
import { Devices } from '../../src/server/devices.ts';
import { Pairing } from '../../src/server/pairing.ts';
import { ServedFolders } from '../../src/server/servedFolders.ts';
import { eventually } from '../support/eventually.ts';
import { BY_USER, messageContent } from '../support/messageContent.ts';
import { seedQuestion } from '../support/seedQuestion.ts';
import { seedWorkspace } from '../support/seedWorkspace.ts';
import { programs } from '../support/programs.ts';
import { askServer, bearer, Page, pairBrowser, servedDesk, type ServedDesk } from '../support/servedDesk.ts';
import { tempFolder } from '../support/tempFolder.ts';

afterEach(() => void vi.useRealTimers());

const TWO_MINUTES_MS = 2 * 60_000;
const WEEK_MS = 7 * 24 * 60 * 60_000;

describe('a browser that waits to be let in', () => {
	/** @param decides what the owner says, and when */
	async function waiting(decides: (signal: AbortSignal) => Promise<Scope | undefined>) {
		// Only what the code under test waits for.
		vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
		const folder = tempFolder();
		const file = new DeviceFile(folder.path);
		const devices = new Devices(file, () => undefined);
		let signal: AbortSignal | undefined;
		const letIn = (_: unknown, given: AbortSignal) => decides((signal = given));
		const pairing = new Pairing(devices, { letIn }, Date.now);
		const begun = pairing.begin(pairing.newCode(), 'Phone', 'answer');
		if (!begun) throw new Error('the code is none');
		return {
			pairing,
			signal: () => signal,
			result: () => pairing.result(begun.request),
			devices: () => file.read(),
			[Symbol.asyncDispose]: async () => {
				pairing.dispose();
				devices.dispose();
				vi.useRealTimers();
				await folder.remove();
			},
		};
	}

	it('is told after two minutes that its code has expired, also by an owner who cannot take the question back', async () => {
		let decide: (scope: Scope) => void = () => undefined;
		await using it_ = await waiting(() => new Promise(resolve => (decide = resolve)));
		await vi.advanceTimersByTimeAsync(TWO_MINUTES_MS - 1);
		expect(it_.signal()?.aborted).toBe(false);
		await vi.advanceTimersByTimeAsync(1);
		expect(it_.signal()?.aborted).toBe(true);
		expect(await it_.result()).toEqual({ is: 'expired' });
		// A Yes that comes now lets nobody in.
		decide('answer');
		await vi.advanceTimersByTimeAsync(1000);
		expect(await it_.result()).toBeUndefined();
		expect(await it_.devices()).toEqual([]);
	});

	it('is told that its code has expired where its owner has then said nothing more', async () => {
		await using it_ = await waiting(
			signal => new Promise(resolve => signal.addEventListener('abort', () => resolve(undefined))),
		);
		await vi.advanceTimersByTimeAsync(TWO_MINUTES_MS);
		expect(await it_.result()).toEqual({ is: 'expired' });
	});

	it('is told that it stays out by a No, by an owner who fails, and by the server’s end', async () => {
		await using refused = await waiting(() => Promise.resolve(undefined));
		expect(await refused.result()).toEqual({ is: 'refused' });
		await using failed = await waiting(() => Promise.reject(new Error('no window')));
		expect(await failed.result()).toEqual({ is: 'refused' });
		await using ended = await waiting(() => new Promise(() => undefined));
		ended.pairing.dispose();
		expect(await ended.result()).toEqual({ is: 'refused' });
	});
});

describe('a device', () => {
	it('is out after seven days, with its open page, and in no list', async () => {
		vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
		await using desk = await servedDesk();
		const old = await desk.pair();
		const page = desk.page();
		await page.enter(old);
		vi.setSystemTime(Date.now() + WEEK_MS / 2);
		const newer = await desk.pair();
		vi.setSystemTime(Date.now() + WEEK_MS / 2 - 1000);
		expect((await desk.get('/api/v1/state', old.token)).status).toBe(200);
		vi.setSystemTime(Date.now() + 1000);
		// As the server asks whether its pages are still there.
		vi.advanceTimersByTime(30_000);
		expect(await page.got('bye')).toMatchObject({ reason: 'revoked' });
		await page.closed;
		expect((await desk.get('/api/v1/state', old.token)).status).toBe(401);
		const again = desk.page();
		await again.say({ v: 1, type: 'hello', device: old.device, challenge: 'c'.repeat(22) });
		expect(await again.got('bye')).toMatchObject({ reason: 'unknown' });
		expect((await desk.get('/api/v1/state', newer.token)).status).toBe(200);
		expect(desk.server.paired().map(({ id }) => id)).toEqual([newer.device]);
		const file = new DeviceFile(desk.folder.file('data'));
		await eventually('the list on the disk', async () => (await file.read()).length === 1);
	});
});

describe('a page that is open while its window reloads', () => {
	/** The server of the window once it is there again: another one, for the same folder and the same user. */
	const reloaded = async ({ served, owner, folder }: ServedDesk) =>
		DeskServer.open({
			served: new ServedFolders(() => [served], served.onDidChange, folder.file('data')),
			owner,
			pages: (await programs()).pages,
			dataFolder: folder.file('data'),
		});

	it.each(['closes it', 'is killed, and leaves its devices in the list'])(
		'is told so, or loses its link, and comes in again by a new pairing alone: the server %s',
		async how => {
			await using desk = await servedDesk();
			const paired = await desk.pair();
			const page = desk.page();
			await page.enter(paired);
			const file = new DeviceFile(desk.folder.file('data'));
			const left = await file.read();
			expect(left.map(({ id }) => id)).toEqual([paired.device]);
			await desk.server.close();
			// The word comes before the end of its connection.
			expect(await page.got('bye')).toMatchObject({ reason: 'stopped' });
			await page.closed;
			if (how !== 'closes it') await file.change(() => left);
			const next = await reloaded(desk);
			try {
				const own = `http://127.0.0.1:${next.port}`;
				expect(next.port).not.toBe(desk.server.port);
				const asked = (token: string) =>
					askServer(next.port, '/api/v1/state', { headers: { origin: own, ...bearer(token) } });
				expect((await asked(paired.token)).status).toBe(401);
				// As through a tunnel, whose address stays the same.
				const again = new Page(next.port, { origin: own });
				await again.say({ v: 1, type: 'hello', device: paired.device, challenge: 'c'.repeat(22) });
				expect(await again.got('bye')).toMatchObject({ reason: 'unknown' });
				await again.closed;
				expect(again.messages.map(({ type }) => type)).toEqual(['bye']);
				expect(next.paired()).toEqual([]);

				const newly = await pairBrowser(next);
				expect((await asked(newly.token)).status).toBe(200);
				expect((await asked(paired.token)).status).toBe(401);
				expect(next.paired().map(({ id }) => id)).toEqual([newly.device]);
			} finally {
				await next.close();
			}
		},
	);
});

describe('a question that two pages show', () => {
	const answerTo = (desk: ServedDesk, { digest }: Question, effect: string, nonce: string) => ({
		folder: desk.served.source.id,
		digest,
		effect,
		words: '',
		chosen: [],
		nonce,
	});

	it('is answered by one of them, and the other is told by whom it was', async () => {
		await using desk = await servedDesk();
		const devices = [await desk.pair('answer', 'Phone'), await desk.pair('answer', 'Tablet')];
		const pages = devices.map(() => desk.page());
		for (const [at, page] of pages.entries()) await page.enter(devices[at]!);
		const question = await seedQuestion(desk.workspace);
		const shows = (page: Page, fits: (by: string | undefined) => boolean) =>
			page.got(
				'patch',
				({ patch }) =>
					patch.questions?.put.some(({ id, answer }) => id === question.id && fits(answer?.by)) ?? false,
			);
		for (const page of pages) await shows(page, by => by === undefined);
		const replies = await Promise.all(
			devices.map(({ token }, at) =>
				desk.post(
					`/api/v1/questions/${question.id}/answer`,
					answerTo(desk, question, at === 0 ? 'once' : 'no', `${'n'.repeat(20)}${at}`),
					token,
				),
			),
		);
		const won = replies.findIndex(({ status }) => status === 200);
		expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
		expect(replies[1 - won]?.json).toMatchObject({ error: { code: 'wrong-state' } });
		const { answer } = await new Questions(desk.workspace.own).get(question.id);
		expect(answer).toMatchObject({ effect: won === 0 ? 'once' : 'no', device: won === 0 ? 'Phone' : 'Tablet' });
		for (const page of pages) {
			await shows(page, by => by === 'page');
			page.socket.terminate();
		}
	});
});

describe('the server', () => {
	it('takes 1,024 pages at once and refuses the next one, which comes in once another has gone', async () => {
		// Pages that say nothing would go after a while.
		vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
		await using desk = await servedDesk();
		const paired = await desk.pair();
		const pages: Page[] = [];
		const open = async (page: Page) => {
			await page.say({ v: 1, type: 'ping' });
			await page.got('pong');
		};
		while (pages.length < 1024) {
			const next = Array.from({ length: 64 }, () => desk.page());
			await Promise.all(next.map(open));
			pages.push(...next);
		}
		expect(await desk.page().refusal()).toBe(503);
		expect((await desk.get('/api/v1/state', paired.token)).status).toBe(200);
		pages[0]?.socket.terminate();
		await pages[0]?.closed;
		const another = desk.page();
		await eventually('there is room again', () => open(another).then(() => true));
		for (const page of [another, ...pages]) page.socket.terminate();
	});
});

describe('a look for feedback that waits', () => {
	async function mailbox() {
		const desk = await servedDesk();
		const { token } = await desk.pair('view');
		const dataFolder = desk.folder.file('data');
		const { address, workspace } = await seedWorkspace(desk.workspace.folder, {
			title: 'Build',
			session: 'a0a0a0a0-0000-4000-8000-000000000001',
			dataFolder,
		});
		await desk.served.refresh();
		const path = (seconds: number, after = '') =>
			`/api/v1/feedback?${String(new URLSearchParams({ folder: folderId(workspace.folder), ...address, after, seconds: String(seconds) }))}`;
		return { desk, token, address, workspace, path, [Symbol.asyncDispose]: () => desk[Symbol.asyncDispose]() };
	}

	it('of a device that is taken out meanwhile ends, and tells nothing that comes later', async () => {
		await using it_ = await mailbox();
		const { desk, address, workspace, path } = it_;
		const other = await desk.pair('view');
		const waiting = desk.get(path(25), it_.token);
		await desk.get('/api/v1/state', other.token);
		await desk.post('/api/v1/leave', {}, it_.token);
		await workspace.send(address, messageContent('Not for a stranger', { kind: 'feedback' }), BY_USER);
		expect((await desk.get(path(25), other.token)).json).toMatchObject({
			messages: [{ text: 'Not for a stranger' }],
		});
		expect((await waiting).json).toEqual({ messages: [] });
	});

	it('ends at its limit with nothing, which is 25 seconds whoever asks for more', async () => {
		const limits: number[] = [];
		const { setTimeout: later } = globalThis;
		await using it_ = await mailbox();
		vi.spyOn(globalThis, 'setTimeout').mockImplementation(((act: () => void, ms: number) => {
			const isAsked = [0, 7000, 25_000].includes(ms);
			if (isAsked) limits.push(ms);
			return later(act, isAsked ? 20 : ms);
		}) as typeof setTimeout);
		for (const seconds of [0, 7, 99])
			expect(await it_.desk.get(it_.path(seconds), it_.token)).toMatchObject({
				status: 200,
				json: { messages: [] },
			});
		expect(limits.filter(ms => ms > 0)).toEqual([7000, 25_000]);
		vi.restoreAllMocks();
	});

	it('comes by the oldest hundred, and after the last one the next', async () => {
		await using it_ = await mailbox();
		const { desk, workspace, address, path } = it_;
		const sent: string[] = [];
		for (let number = 0; number < 103; number++)
			sent.push(await workspace.send(address, messageContent(`Number ${number}`), BY_USER));
		await desk.served.refresh();
		const Page = z.object({ messages: z.array(z.object({ id: z.string() })) });
		const idsAfter = async (after: string) =>
			Page.parse((await desk.get(path(0, after), it_.token)).json).messages.map(({ id }) => id);
		expect(await idsAfter('')).toEqual(sent.slice(0, 100));
		expect(await idsAfter(sent[99] ?? '')).toEqual(sent.slice(100));
	});

	it('claims nothing, also where its page goes before the end: what comes then waits for its agent', async () => {
		await using it_ = await mailbox();
		const asks = httpRequest({
			host: '127.0.0.1',
			port: it_.desk.server.port,
			path: it_.path(20),
			headers: { origin: it_.desk.own, ...bearer(it_.token) },
			agent: false,
		});
		asks.on('error', () => undefined).end();
		await eventually('it is asked', () => asks.reusedSocket || asks.socket?.bytesWritten);
		asks.destroy();
		const told = it_.desk.get(it_.path(20), it_.token);

		const sent = await it_.workspace.send(it_.address, messageContent('Well done.', { kind: 'feedback' }), BY_USER);
		expect((await told).json).toMatchObject({ messages: [{ id: sent }] });
		expect(await it_.desk.get(it_.path(0), it_.token)).toMatchObject({ json: { messages: [{ id: sent }] } });
		const { messages } = await it_.workspace.mailbox(it_.address).list();
		expect(messages).toMatchObject([{ id: sent, state: 'queued' }]);
	});
});
