import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { errorText } from '../../src/base/errors.ts';
import { IN_TERMINAL, IN_WINDOW } from '../../src/core/asker/asker.ts';
import { permit } from '../../src/core/asker/permit.ts';
import { digestOf } from '../../src/core/questions/digest.ts';
import { answerQuestion } from '../../src/operations/answerQuestion.ts';
import * as operations from '../../src/operations/index.ts';
import { perform, type Operation, type OperationContext } from '../../src/operations/operation.ts';
import { StateReply } from '../../src/protocol/deskApi.ts';
import { QuestionId } from '../../src/protocol/question.ts';
import { DeviceFile } from '../../src/server/deviceFile.ts';
import { Questions } from '../../src/core/questions/questions.ts';
import { eventually } from '../support/eventually.ts';
import { seedQuestion } from '../support/seedQuestion.ts';
import { askServer, bearer, Page, servedDesk, type Asking, type ServedDesk } from '../support/servedDesk.ts';

const NONCE = 'abcdefghijklmnop';
let desk: ServedDesk;
let device: Awaited<ReturnType<ServedDesk['pair']>>;

beforeAll(async () => {
	desk = await servedDesk();
	device = await desk.pair();
});
afterAll(() => desk[Symbol.asyncDispose]());

describe('a request', () => {
	it.each([
		'evil.example',
		'evil.example:PORT',
		'127.0.0.1',
		'localhost:1',
		'127.0.0.1:PORT.evil.example',
		'0.0.0.0:PORT',
	])('by the name "%s" is refused, page and API alike: DNS rebinding reaches nothing', async name => {
		const headers = { host: name.replace('PORT', String(desk.server.port)), ...bearer(device.token) };
		for (const path of ['/', '/api/v1/state']) expect((await desk.ask(path, { headers })).status).toBe(421);
	});

	it.each([
		'http://evil.example',
		'null',
		'http://localhost:3000',
		'https://127.0.0.1:PORT',
		'http://127.0.0.1:PORT.evil.example',
	])('of a page of %s is refused, with a token too', async given => {
		const origin = given.replace('PORT', String(desk.server.port));
		const headers = { origin, ...bearer(device.token) };
		expect((await desk.ask('/api/v1/state', { headers })).status).toBe(403);
		expect((await desk.post('/api/v1/leave', {}, device.token, { origin })).status).toBe(403);
	});

	it('that changes something is refused where it does not say from which page it comes', async () => {
		for (const path of ['/api/v1/leave', '/api/v1/messages', '/api/v1/pair'])
			expect((await desk.post(path, {}, device.token, { origin: undefined })).status).toBe(403);
	});

	it.each(['cross-site', 'same-site', 'none'])('of a browser that calls it %s reaches no API', async site => {
		const headers = { 'sec-fetch-site': site, origin: undefined, ...bearer(device.token) };
		expect((await desk.ask('/api/v1/state', { headers })).status).toBe(403);
	});

	it('by a name of this machine is answered, with the headers that keep other pages out and nothing for them', async () => {
		for (const name of ['127.0.0.1', 'localhost', '[::1]']) {
			const host = `${name}:${desk.server.port}`;
			const { status, headers } = await desk.ask('/', {
				headers: {
					host,
					origin: undefined,
					'sec-fetch-site': 'none',
					'sec-fetch-mode': 'navigate',
					'sec-fetch-dest': 'document',
				},
			});
			expect(status).toBe(200);
			expect(headers['content-security-policy']).toBe(
				"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; manifest-src 'self'; " +
					"frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types nancy",
			);
			expect(headers).toMatchObject({
				'x-content-type-options': 'nosniff',
				'referrer-policy': 'no-referrer',
				'cross-origin-opener-policy': 'same-origin',
				'cross-origin-resource-policy': 'same-origin',
				'cache-control': 'no-store',
			});
			expect(Object.keys(headers).filter(header => /^access-control|^set-cookie/.test(header))).toEqual([]);
		}
	});

	it.each([
		['no token', {}],
		['another token', bearer('a'.repeat(43))],
		['a token that is another scheme’s', { authorization: 'Basic abc' }],
	])('with %s is answered nothing but that, also where there is nothing', async (_, headers) => {
		for (const path of ['/api/v1/state', '/api/v1/nothing'])
			expect(await desk.ask(path, { headers })).toMatchObject({
				status: 401,
				json: { error: { code: 'no-token' } },
			});
	});

	it('with its token in the address or in a cookie is refused', async () => {
		expect((await desk.ask(`/api/v1/state?token=${device.token}`)).status).toBe(401);
		expect((await desk.ask('/api/v1/state', { headers: { cookie: `token=${device.token}` } })).status).toBe(401);
	});

	it.each([
		'/../package.json',
		'/a/../../nancy.js',
		'/a/%2e%2e/%2e%2e/nancy.js',
		'/desk.html',
		'/desk/desk.js',
		'//etc/passwd',
		'/a/',
		'/a/..\\nancy.js',
		'/%00',
	])('for %s gets no file', async path => {
		expect((await desk.ask(path)).status).toBe(404);
	});

	it('for the page gets it with addresses that change with what is there', async () => {
		const { text } = await desk.ask('/');
		const [, script = ''] = /src="(a\/[0-9a-f]{16}\.js)"/.exec(text) ?? [];
		expect(await desk.ask(`/${script}`)).toMatchObject({ status: 200, text: 'document.title = "Desk";' });
		expect((await desk.ask('/', { method: 'POST', body: {} })).status).toBe(405);
	});

	it.each<[string, number, Asking]>([
		['larger than 1 MB', 413, { text: JSON.stringify({ text: 'x'.repeat(1024 * 1024) }) }],
		['that is no JSON', 400, { text: '{' }],
		['nested deep', 400, { text: '['.repeat(5000) + ']'.repeat(5000) }],
		['of a form', 415, { text: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
		[
			'as text, as a page of another origin may send it',
			415,
			{ text: '{}', headers: { 'content-type': 'text/plain' } },
		],
		['that the schema does not know', 400, { body: { to: 'all' } }],
	])('with a body %s is refused', async (_, status, asking) => {
		const headers = { ...bearer(device.token), ...asking.headers };
		expect((await desk.ask('/api/v1/messages', { method: 'POST', ...asking, headers })).status).toBe(status);
	});

	it('of another method is refused, and nobody is told what other origins may do', async () => {
		for (const method of ['OPTIONS', 'PUT', 'DELETE']) {
			const { status, headers } = await desk.ask('/api/v1/state', { method, headers: bearer(device.token) });
			expect(status).toBe(405);
			expect(headers['access-control-allow-origin']).toBeUndefined();
		}
		expect((await desk.get('/api/v1/leave', device.token)).status).toBe(405);
	});

	it('in a long row of them is told to wait, while another device is served', async () => {
		// However long the row takes.
		const nowMs = Date.now();
		await using own = await servedDesk({ now: () => nowMs });
		const [one, other] = [await own.pair(), await own.pair()];
		const all = await Promise.all(Array.from({ length: 60 }, () => own.get('/api/v1/nothing', one.token)));
		expect(new Set(all.map(({ status }) => status))).toEqual(new Set([404, 429]));
		expect((await own.get('/api/v1/state', other.token)).status).toBe(200);
	});

	it('that is no HTTP ends its connection and nothing else', async () => {
		const socket = connect(desk.server.port, '127.0.0.1');
		socket.write('\u0000\u0001 / \r\n\r\n');
		expect(await textOf(socket)).toContain('400');
		expect((await desk.get('/api/v1/state', device.token)).status).toBe(200);
	});

	it('from another address of this machine than loopback reaches nobody', async () => {
		const socket = connect(desk.server.port, '127.0.0.2');
		const [error] = (await once(socket, 'error')) as [{ code: string }];
		expect(error.code).toBe('ECONNREFUSED');
	});
});

describe('a browser', () => {
	it('comes in with a code that works once, and what its owner allows', async () => {
		await using own = await servedDesk();
		own.owner.allow = 'feedback';
		const code = own.codeOf();
		const wanted = { code, name: 'My\u202e phone\u001b[2J', scope: 'answer' };
		const { json } = await own.post('/api/v1/pair', wanted);
		expect(own.newcomers).toEqual([{ name: 'My⟨U+202E⟩ phone\\x1b[2J', number: json['number'], scope: 'answer' }]);
		expect((await own.post('/api/v1/pair', wanted)).status).toBe(403);
		const results = await Promise.all(
			[1, 2].map(() => own.post('/api/v1/pair/result', { request: json['request'] })),
		);
		expect(results.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
		expect(results.find(({ status }) => status === 200)?.json).toMatchObject({ is: 'in', scope: 'feedback' });
		expect((await own.post('/api/v1/pair/result', { request: json['request'] })).status).toBe(404);
	});

	it.each(['view', 'feedback'] as const)('that asked to %s gets no more, whatever its owner allows', async scope => {
		expect((await desk.pair(scope)).scope).toBe(scope);
	});

	it('is refused with a code that is too old, or that another has replaced', async () => {
		let nowMs = Date.now();
		await using own = await servedDesk({ now: () => nowMs });
		const [first, second] = [own.codeOf(), own.codeOf()];
		expect((await own.post('/api/v1/pair', { code: first, name: 'a', scope: 'view' })).status).toBe(403);
		nowMs += 2 * 60_000 + 1;
		expect((await own.post('/api/v1/pair', { code: second, name: 'a', scope: 'view' })).status).toBe(403);
		expect(own.newcomers).toEqual([]);
	});

	it('stays out when its owner says No', async () => {
		await using own = await servedDesk();
		own.owner.allow = undefined;
		const { json } = await own.post('/api/v1/pair', { code: own.codeOf(), name: 'a', scope: 'view' });
		expect((await own.post('/api/v1/pair/result', { request: json['request'] })).json).toEqual({ is: 'refused' });
		expect(await new DeviceFile(own.folder.file('data')).read()).toEqual([]);
	});

	it('that guesses is paused, and its owner is told once; who is in works on', async () => {
		await using own = await servedDesk();
		const { token } = await own.pair();
		for (let tries = 0; tries < 3; tries++) await own.get('/api/v1/state', `${tries}`.repeat(43));
		for (let tries = 0; tries < 3; tries++)
			await own.post('/api/v1/pair', { code: `${tries}`.repeat(22), name: 'a', scope: 'view' });
		expect((await own.get('/api/v1/state', 'b'.repeat(43))).status).toBe(429);
		const wrong = { code: '9'.repeat(22), name: 'a', scope: 'view' };
		expect((await own.post('/api/v1/pair', wrong)).status).toBe(429);
		// Otherwise any program of the machine could keep the person's phone out.
		expect((await own.post('/api/v1/pair', { ...wrong, code: own.codeOf() })).status).toBe(200);
		expect(own.warned).toEqual(['guesses']);
		expect((await own.get('/api/v1/state', token)).status).toBe(200);
	});

	it.each(['token', 'code'])('is not kept out by a clock that was set back: %s', async what => {
		let nowMs = Date.now();
		await using own = await servedDesk({ now: () => nowMs });
		const { token } = await own.pair();
		const wrong = () =>
			what === 'token'
				? own.get('/api/v1/state', 'b'.repeat(43))
				: own.post('/api/v1/pair', { code: '9'.repeat(22), name: 'a', scope: 'view' });
		while ((await wrong()).status !== 429);
		nowMs -= 60 * 60_000;
		expect((await own.get('/api/v1/state', token)).status).toBe(200);
		expect((await own.ask('/')).status).toBe(200);
		nowMs += 1000;
		expect((await wrong()).status).not.toBe(429);
	});

	it('guesses no more by WebSocket than by HTTP', async () => {
		await using own = await servedDesk();
		const paired = await own.pair();
		const guess = async (token: string) => {
			const page = own.page();
			await page.say({ v: 1, type: 'hello', device: paired.device, challenge: 'c'.repeat(22) });
			await page.got('proof');
			await page.say({ v: 1, type: 'token', token });
			return page;
		};
		for (let tries = 0; tries < 6; tries++) await (await guess(`${tries}`.repeat(43))).got('bye');
		expect(own.warned).toEqual(['guesses']);
		expect((await own.get('/api/v1/state', 'b'.repeat(43))).status).toBe(429);
		const page = await guess(paired.token);
		await page.got('welcome');
		page.socket.terminate();
	});

	it('answers at once to a text without an end, which would take minutes to look through again and again', async () => {
		const text = `"${String.raw`\"`.repeat(500_000)}`;
		const headers = { 'content-type': 'application/json', ...bearer(device.token) };
		const { status } = await desk.ask('/api/v1/leave', { method: 'POST', text, headers });
		expect(status).toBe(400);
	});

	it('says little before it is known: thousands could fill the memory at once', async () => {
		const headers = { 'content-type': 'application/json' };
		const text = JSON.stringify({ code: 'x'.repeat(5000) });
		expect((await desk.ask('/api/v1/pair', { method: 'POST', text, headers })).status).toBe(413);
	});

	it('leaves no token on the disk, and nothing that others can read', async () => {
		const file = desk.folder.file('data', 'desk', 'devices.json');
		expect(readFileSync(file, 'utf8')).toContain(device.device);
		expect(readFileSync(file, 'utf8')).not.toContain(device.token);
		expect(statSync(file).mode & 0o777).toBe(0o600);
		expect(statSync(desk.folder.file('data', 'desk')).mode & 0o777).toBe(0o700);
	});
});

describe('a device', () => {
	it.each([
		['view', 'messages', 403],
		['view', 'questions/20260101T000000000Z-00000000/answer', 403],
		['feedback', 'questions/20260101T000000000Z-00000000/answer', 403],
		['feedback', 'messages', 400],
		['answer', 'questions/20260101T000000000Z-00000000/answer', 400],
	] as const)('that may %s gets %s answered with %i', async (scope, path, status) => {
		const { token } = await desk.pair(scope);
		expect((await desk.post(`/api/v1/${path}`, {}, token)).status).toBe(status);
		expect((await desk.get('/api/v1/state', token)).status).toBe(200);
	});

	it('that is revoked in another program is out at once, with its open page', async () => {
		await using own = await servedDesk();
		const [one, other] = [await own.pair(), await own.pair()];
		const [page, stays] = [own.page(), own.page()];
		await page.enter(one);
		await stays.enter(other);
		await new DeviceFile(own.folder.file('data')).revoke(own.server.paired()[0]?.id ?? one.device);
		expect(await page.got('bye')).toMatchObject({ reason: 'revoked' });
		await page.closed;
		expect((await own.get('/api/v1/state', one.token)).status).toBe(401);
		expect((await own.get('/api/v1/state', other.token)).status).toBe(200);
		expect(stays.messages.some(({ type }) => type === 'bye')).toBe(false);
	});

	it('that is taken out while its request is under way has nothing done by it', async () => {
		await using own = await servedDesk();
		const device = await own.pair();
		const text = JSON.stringify({ anything: 'at all' });
		const request = httpRequest({
			host: '127.0.0.1',
			port: own.server.port,
			path: '/api/v1/messages',
			method: 'POST',
			headers: {
				origin: own.own,
				'content-type': 'application/json',
				'content-length': text.length,
				...bearer(device.token),
			},
		});
		const answered = once(request, 'response') as Promise<[IncomingMessage]>;
		request.write(text.slice(0, 1));
		// The server has its head, and waits for the rest.
		await own.get('/api/v1/state', device.token);
		expect((await own.post('/api/v1/leave', {}, device.token)).status).toBe(200);
		request.end(text.slice(1));
		const [response] = await answered;
		expect(response.statusCode).toBe(401);
		response.resume();
	});

	it('is out with every other one, and their open pages, once all are taken out in another program', async () => {
		await using own = await servedDesk();
		const paired = [await own.pair(), await own.pair()];
		const pages = paired.map(() => own.page());
		for (const [at, page] of pages.entries()) await page.enter(paired[at]!);
		await new DeviceFile(own.folder.file('data')).revokeAll();
		for (const page of pages) {
			expect(await page.got('bye')).toMatchObject({ reason: 'revoked' });
			await page.closed;
		}
		for (const { token } of paired) expect((await own.get('/api/v1/state', token)).status).toBe(401);
		expect(own.server.paired()).toEqual([]);
	});

	it('is out when the list of devices cannot be read, and the list stays as it is', async () => {
		await using own = await servedDesk();
		const paired = await own.pair();
		const page = own.page();
		await page.enter(paired);
		const file = own.folder.file('data', 'desk', 'devices.json');
		writeFileSync(file, 'no JSON');
		expect(await page.got('bye')).toMatchObject({ reason: 'revoked' });
		expect(own.warned).toEqual(['devices-unreadable']);
		expect(readFileSync(file, 'utf8')).toBe('no JSON');
	});

	it('that leaves takes its token with it', async () => {
		const { token } = await desk.pair();
		expect((await desk.post('/api/v1/leave', {}, token)).status).toBe(200);
		expect((await desk.get('/api/v1/state', token)).status).toBe(401);
	});

	it('is worth nothing to the next server, and its page closes', async () => {
		await using own = await servedDesk();
		const paired = await own.pair();
		const page = own.page();
		await page.enter(paired);
		await own.server.close();
		expect(await page.got('bye')).toMatchObject({ reason: 'stopped' });
		expect((await desk.get('/api/v1/state', paired.token)).status).toBe(401);
		expect(await new DeviceFile(own.folder.file('data')).read()).toEqual([]);
	});
});

describe('a WebSocket', () => {
	it.each([
		['without an origin', {}, '/api/v1/live', 403],
		['of another page', { origin: 'http://evil.example' }, '/api/v1/live', 403],
		['by another name', { origin: 'OWN', host: 'evil.example' }, '/api/v1/live', 421],
		['somewhere else', { origin: 'OWN' }, '/api/v1/live/', 404],
	])('%s is refused', async (_, headers, path, status) => {
		const given = Object.fromEntries(
			Object.entries(headers).map(([name, value]) => [name, value.replace('OWN', desk.own)]),
		);
		expect(await new Page(desk.server.port, given, path).refusal()).toBe(status);
	});

	it.each([
		['a token before the proof', { v: 1, type: 'token', token: 'TOKEN' }],
		['a device that is none', { v: 1, type: 'hello', device: '0'.repeat(16), challenge: 'c'.repeat(22) }],
		['garbage', 'garbage'],
		['another version', { v: 2, type: 'hello' }],
		['a message that is too long', { v: 1, type: 'ping', more: 'x'.repeat(5000) }],
	])('that begins with %s gets no state', async (_, message) => {
		const page = desk.page();
		await page.say(JSON.parse(JSON.stringify(message).replace('TOKEN', device.token)));
		await page.say({ v: 1, type: 'ping' });
		await Promise.race([page.closed, page.got('pong')]);
		expect(page.messages.filter(({ type }) => type === 'state' || type === 'welcome')).toEqual([]);
		page.socket.terminate();
	});

	it('gets no state with a token that is none, and says so', async () => {
		const page = desk.page();
		await page.say({ v: 1, type: 'hello', device: device.device, challenge: 'c'.repeat(22) });
		await page.got('proof');
		await page.say({ v: 1, type: 'token', token: 'a'.repeat(43) });
		expect(await page.got('bye')).toMatchObject({ reason: 'unknown' });
		expect(page.messages.map(({ type }) => type)).toEqual(['proof', 'bye']);
	});

	it('that does not read gets no more than it can hold, and what it has missed as soon as it reads', async () => {
		vi.useFakeTimers({ toFake: ['setInterval'] });
		await using own = await servedDesk().finally(() => vi.useRealTimers());
		const paired = await own.pair();
		const [slow, quick] = [own.page(), own.page()];
		await slow.enter(paired);
		await quick.enter(paired);
		slow.socket.pause();
		let last = '';
		for (let count = 0; count < 30; count++) {
			({ id: last } = await seedQuestion(own.workspace, { body: `# ${count} ${'x'.repeat(500_000)}` }));
			await quick.got('patch', ({ patch }) => patch.questions?.put.some(({ id }) => id === last) ?? false);
		}
		slow.socket.resume();
		await slow.got('state', ({ state }) => state.questions.some(({ id }) => id === last));
		const patches = slow.messages.filter(({ type }) => type === 'patch');
		expect(patches.length).toBeLessThan(quick.messages.filter(({ type }) => type === 'patch').length);
		slow.socket.terminate();
		quick.socket.terminate();
	});

	it('gets the proof that the server knows the token, before it says it', async () => {
		const page = desk.page();
		await page.say({ v: 1, type: 'hello', device: device.device, challenge: 'x'.repeat(30) });
		const proof = createHmac('sha256', device.token)
			.update(`nancy desk ${'x'.repeat(30)}`)
			.digest('hex');
		expect(await page.got('proof')).toMatchObject({ proof });
		page.socket.terminate();
	});
});

describe('a question at the desk', () => {
	const answerTo = (question: { id: string; digest: string }, effect: string, more: object = {}) => ({
		folder: desk.served.source.id,
		digest: question.digest,
		effect,
		words: '',
		chosen: [],
		nonce: `${NONCE}${effect}${question.id.slice(-8)}`,
		...more,
	});
	const pathOf = ({ id }: { id: string }) => `/api/v1/questions/${id}/answer`;
	const put = () =>
		seedQuestion(desk.workspace, {
			choices: [
				{ effect: 'once' },
				...(['session', 'folder', 'user'] as const).map(effect => ({ effect, rule: 'Bash(rm *)' })),
				{ effect: 'no' },
			],
		});

	it('reaches an open page whole, without its holder, its raw input and paths of the data folder, and is answered there once', async () => {
		const page = desk.page();
		await page.enter(device);
		const question = await put();
		const { patch } = await page.got(
			'patch',
			({ patch: { questions } }) => questions?.put.some(({ id }) => id === question.id) ?? false,
		);
		const shown = patch.questions?.put.find(({ id }) => id === question.id);
		expect(shown).toMatchObject({ body: 'rm -rf build', isOpen: true, digest: question.digest });
		expect(shown?.choices.map(({ effect, isHere }) => [effect, isHere])).toEqual([
			['once', true],
			['session', false],
			['folder', false],
			['user', false],
			['no', true],
		]);
		const text = JSON.stringify(page.messages);
		for (const secret of ['"holder"', question.input, desk.folder.file('data'), device.token])
			expect(text).not.toContain(secret);

		const request = answerTo(question, 'once');
		const first = await desk.post(pathOf(question), request, device.token);
		expect(first).toMatchObject({ status: 200, json: { question: question.id, effect: 'once' } });
		// Repeated, because the page did not get the reply.
		expect(await desk.post(pathOf(question), request, device.token)).toMatchObject({
			status: 200,
			json: first.json,
		});
		expect((await desk.post(pathOf(question), answerTo(question, 'no'), device.token)).status).toBe(409);
		await page.got(
			'patch',
			({ patch: { questions } }) =>
				questions?.put.some(({ id, answer }) => id === question.id && answer?.by === 'page') ?? false,
		);
		expect((await new Questions(desk.workspace.own).get(question.id)).answer).toMatchObject({
			effect: 'once',
			by: 'page',
			device: 'Test phone',
		});
		page.socket.terminate();
	});

	it('is answered anew with the nonce of another request, or of one that failed', async () => {
		const [one, other] = [await put(), await put()];
		const nonce = `${NONCE}again`;
		const wrong = answerTo(one, 'once', { nonce, digest: '0'.repeat(64) });
		expect((await desk.post(pathOf(one), wrong, device.token)).status).toBe(400);
		for (const question of [one, other]) {
			const { status, json } = await desk.post(
				pathOf(question),
				answerTo(question, 'no', { nonce }),
				device.token,
			);
			expect([status, json['question']]).toEqual([200, question.id]);
		}
	});

	it.each(['session', 'folder', 'user'])('takes no rule for the %s from a device', async effect => {
		const question = await put();
		expect(await desk.post(pathOf(question), answerTo(question, effect), device.token)).toMatchObject({
			status: 403,
			json: { error: { code: 'not-trusted' } },
		});
		expect((await new Questions(desk.workspace.own).get(question.id)).answer).toBeUndefined();
	});

	const risky = () => seedQuestion(desk.workspace, { body: 'sudo make install', title: 'sudo make install' });
	/** As a holder of an earlier version asks, which does not look. */
	const unjudged = async () => {
		const { risk: _, digest: __, ...asked } = await put();
		const older = { ...asked, id: QuestionId.parse(asked.id.replace(/.$/, last => (last === '0' ? '1' : '0'))) };
		const question = { ...older, digest: digestOf(older) };
		await new Questions(desk.workspace.own).ask(question);
		return question;
	};

	it.each([
		['with a risk', risky],
		['of which nobody knows whether it has a risk', unjudged],
	])('%s takes no Yes from a device, whatever its page sends, and takes a No', async (_, ask) => {
		const question = await ask();
		await desk.served.refresh();
		const { json } = await desk.get('/api/v1/state', device.token);
		const shown = StateReply.parse(json).state.questions.find(({ id }) => id === question.id);
		expect(shown?.choices.filter(({ isYes, isHere }) => isYes && isHere)).toEqual([]);
		expect(await desk.post(pathOf(question), answerTo(question, 'once'), device.token)).toMatchObject({
			status: 403,
			json: { error: { code: 'not-trusted', message: expect.stringContaining('VS Code or the terminal') } },
		});
		expect((await new Questions(desk.workspace.own).get(question.id)).answer).toBeUndefined();
		expect((await desk.post(pathOf(question), answerTo(question, 'no'), device.token)).status).toBe(200);
	});

	it.each([IN_WINDOW, IN_TERMINAL])('with a risk is allowed by the person at the computer: $via', async person => {
		const { id, digest } = await risky();
		const input = { question: id, digest, reply: { effect: 'once' } } as const;
		const { answer } = await perform(answerQuestion, person, input, desk.context);
		expect(answer.effect).toBe('once');
	});

	it.each([
		['to another request', { digest: '0'.repeat(64) }, 400],
		['for a folder that is not served', { folder: '000000000000' }, 404],
		['with an effect that is none', { effect: 'always' }, 400],
		['with words beside a Yes', { words: 'go' }, 400],
	])('takes no answer %s', async (_, more, status) => {
		const question = await put();
		expect((await desk.post(pathOf(question), answerTo(question, 'once', more), device.token)).status).toBe(status);
		expect((await new Questions(desk.workspace.own).get(question.id)).answer).toBeUndefined();
	});

	it('takes one of many answers that come at once', async () => {
		const question = await put();
		const all = await Promise.all(
			Array.from({ length: 8 }, (_, at) =>
				desk.post(
					pathOf(question),
					answerTo(question, at % 2 ? 'once' : 'no', { nonce: `${NONCE}${at}` }),
					device.token,
				),
			),
		);
		expect(all.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
			200,
			...Array.from({ length: 7 }, () => 409),
		]);
	});

	it('that appears while another is allowed is not allowed with it, nor by an answer with that one’s digest', async () => {
		for (let round = 0; round < 10; round++) {
			const first = await seedQuestion(desk.workspace, { title: `one ${round}`, body: `one ${round}` });
			const next = { title: `next ${round}`, body: `next ${round}` };
			const [second, { status }] = await Promise.all([
				seedQuestion(desk.workspace, next),
				desk.post(pathOf(first), answerTo(first, 'once'), device.token),
			]);
			expect(status).toBe(200);
			const crossed = answerTo(second, 'once', { digest: first.digest });
			expect((await desk.post(pathOf(second), crossed, device.token)).status).not.toBe(200);
			const questions = new Questions(desk.workspace.own);
			expect((await questions.find(second.id))?.answer).toBeUndefined();
			for (const { id } of [first, second]) await questions.end(id, 'ended', 'Stop');
		}
	});

	it.each(['../../../etc/passwd', '..%2f..%2fkey', 'x'])('is none by the name %s', async name => {
		expect(
			(
				await desk.post(
					`/api/v1/questions/${name}/answer`,
					answerTo({ id: name, digest: '' }, 'once'),
					device.token,
				)
			).status,
		).toBe(404);
	});
});

it('lets a person at a page answer, look, write and stop, and start, change or lose nothing', async () => {
	const person = { is: 'human', via: 'page', device: 'Phone' } as const;
	const isLetIn = async (load: () => Promise<unknown>) => {
		const refused = await perform(
			(await load()) as Operation<unknown, unknown>,
			person,
			undefined,
			{} as OperationContext,
		).catch(errorText);
		return !String(refused).includes('not done from a page');
	};
	const all = await Promise.all(
		Object.entries(operations).map(async ([name, load]) => ((await isLetIn(load)) ? [name] : [])),
	);
	expect(all.flat().toSorted()).toEqual([
		'answerQuestion',
		'fileLines',
		'rules',
		'send',
		'stopDelegate',
		'traffic',
		'worktreeChanges',
		'worktreeDiff',
	]);
	expect(() => permit(person, { is: 'answer-question', effect: 'session' })).toThrow('not done from a page');
	expect(() => permit(person, { is: 'answer-question', effect: 'once' })).not.toThrow();
});

it('serves nobody any more after a long time without a device', async () => {
	let nowMs = Date.now();
	await using own = await servedDesk({ now: () => nowMs, idleMs: 100 });
	const ended = new Promise<void>(resolve => own.server.onDidEnd(() => resolve()));
	nowMs += 101;
	await ended;
	await eventually('the port is closed', () =>
		askServer(own.server.port, '/').then(
			() => false,
			() => true,
		),
	);
});
