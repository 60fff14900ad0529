import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { HANG_MS } from '../support/eventually.ts';
import { repository } from '../support/programs.ts';
import { servedDesk, type ServedDesk } from '../support/servedDesk.ts';

// What a hostile page can do to the desk, in the real Chromium in which the desk's own page is open and let in.
const owned = new AsyncDisposableStack();
let desk: ServedDesk;
let context: BrowserContext;
let own: Page;
let token: string;
let hostile: number;
/** What the hostile server has got: addresses, headers and bodies. */
const stolen: string[] = [];

beforeAll(async () => {
	desk = owned.use(await servedDesk({ pages: join(repository, 'media/desk') }));
	const server = createServer((request, response) => {
		stolen.push(JSON.stringify([request.url, request.rawHeaders]));
		request.on('data', (piece: Buffer) => stolen.push(String(piece)));
		response.setHeader('content-type', 'text/html').end('<!doctype html><title>hostile</title>');
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	owned.defer(() => void server.close());
	owned.defer(() => server.closeAllConnections());
	hostile = (server.address() as AddressInfo).port;
	// Without the help that newer Chromiums give to servers of this machine: others have none.
	const help = [
		'BlockInsecurePrivateNetworkRequests',
		'LocalNetworkAccessChecks',
		'PrivateNetworkAccessSendPreflights',
	];
	const browser = await launchBrowser([
		'--host-resolver-rules=MAP evil.example 127.0.0.1',
		`--disable-features=${help.join(',')}`,
	]);
	owned.defer(() => browser.close());
	context = await browser.newContext();
	context.setDefaultTimeout(HANG_MS);
	own = await context.newPage();
	await own.goto(desk.server.invite(desk.server.address));
	await own.locator('.link.live').waitFor();
	token = await own.evaluate(
		() => /"token":"([^"]+)"/.exec(JSON.stringify(sessionStorage).replaceAll('\\', ''))?.[1] ?? '',
	);
});
afterAll(() => owned.disposeAsync());

/** A page of this address, beside the desk's own. */
async function pageAt(address: string) {
	const page = await context.newPage();
	await page.goto(address);
	return { page, [Symbol.asyncDispose]: () => page.close() };
}

const GIVEN = () => ({ address: desk.server.address, token });

/** Everything that a page can try, run in it: what came of each. */
async function attack({ address, token: known }: { address: string; token: string }): Promise<Record<string, string>> {
	const tried = (act: () => Promise<string>) => act().catch(error => String(error?.name ?? error));
	const asked = (path: string, init: RequestInit) =>
		tried(async () => {
			const response = await fetch(new URL(path, address), init);
			return `${response.type} ${response.status} ${await response.text()}`;
		});
	const headers = { Authorization: `Bearer ${known}`, 'Content-Type': 'application/json' };
	const body = '{}';
	const loaded = (tag: 'script' | 'img') =>
		new Promise<string>(resolve => {
			const element = document.createElement(tag);
			element.onload = () => resolve('loaded');
			element.onerror = () => resolve('error');
			element.src = new URL(tag === 'img' ? 'icon.svg' : 'sw.js', address).href;
			document.head.append(element);
		});
	return {
		look: await asked('api/v1/state', { headers }),
		act: await asked('api/v1/leave', { method: 'POST', headers, body }),
		blind: await asked('api/v1/leave', { method: 'POST', mode: 'no-cors', body }),
		pair: await asked('api/v1/pair', { method: 'POST', mode: 'no-cors', body }),
		read: await asked('', {}),
		script: await loaded('script'),
		image: await loaded('img'),
		socket: await new Promise(resolve => {
			const socket = new WebSocket(new URL('api/v1/live', address.replace('http', 'ws')));
			socket.onopen = () => resolve('open');
			socket.onerror = () => resolve('error');
		}),
		kept: JSON.stringify([sessionStorage, localStorage, document.cookie]),
	};
}

it('the desk’s own page may all of it: its attacks would be seen', async () => {
	const state = await own.evaluate(
		async ({ token: known }) =>
			(await fetch('api/v1/state', { headers: { Authorization: `Bearer ${known}` } })).status,
		GIVEN(),
	);
	expect(state).toBe(200);
});

describe.each(['http://evil.example', 'http://127.0.0.1', 'http://localhost'])(
	'a page of %s, at another port',
	host => {
		it('reads nothing and changes nothing, though it knows the token', async () => {
			const code = desk.codeOf();
			await using other = await pageAt(`${host}:${hostile}/`);
			const { blind, pair, ...seen } = await other.page.evaluate(attack, GIVEN());
			expect(seen).toEqual({
				look: 'TypeError',
				act: 'TypeError',
				read: 'TypeError',
				script: 'error',
				image: 'error',
				socket: 'error',
				kept: '[{},{},""]',
			});
			// Sent, and refused: the page sees nothing of it, if the browser gives it anything at all.
			expect([blind, pair].filter(each => each !== 'TypeError' && each !== 'opaque 0 ')).toEqual([]);
			expect(desk.newcomers).toHaveLength(1);
			expect((await desk.get('/api/v1/state', token)).status).toBe(200);
			// A form needs no script's permission. The code is good as before.
			await other.page.setContent(
				`<form method="post" enctype="text/plain" action="${desk.server.address}api/v1/pair">
				<input name='{"code":"${code}","name":"x","scope":"answer","a":"' value='"}'></form>`,
			);
			const [response] = await Promise.all([
				other.page.waitForResponse(/pair/),
				other.page.evaluate(() => document.querySelector('form')?.submit()),
			]);
			expect(response.status()).toBe(403);
			expect(desk.newcomers).toHaveLength(1);
			await own.locator('.link.live').waitFor();
		});

		it('frames no desk, and has no hold on one that it opens', async () => {
			await using other = await pageAt(`${host}:${hostile}/`);
			await other.page.setContent(`<iframe src="${desk.server.address}"></iframe>`);
			const framed = () => other.page.frames().find(frame => frame.parentFrame());
			await expect.poll(() => framed()?.url()).toBe('chrome-error://chromewebdata/');
			const [opened, isHeld] = await Promise.all([
				context.waitForEvent('page'),
				other.page.evaluate(
					async ({ address, hangsMs }) => {
						const until = performance.now() + hangsMs;
						const desk = open(address);
						while (desk && !desk.closed && performance.now() < until)
							await new Promise(resolve => setTimeout(resolve, 50));
						return desk !== null && !desk.closed;
					},
					{ ...GIVEN(), hangsMs: HANG_MS },
				),
			]);
			expect(isHeld).toBe(false);
			await opened.getByText('Nancy').first().waitFor();
			expect(await opened.evaluate(() => window.opener)).toBeNull();
			await opened.close();
		});
	},
);

it('a name that leads to this machine, at the desk’s own port, reaches neither page nor API: DNS rebinding', async () => {
	const rebound = `http://evil.example:${desk.server.port}/`;
	const page = await context.newPage();
	expect((await page.goto(rebound))?.status()).toBe(421);
	// As the page was before the name led here: its own server sent it, with no policy.
	await page.route(rebound, route => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }), {
		times: 1,
	});
	await page.goto(rebound);
	const seen = await page.evaluate(attack, { address: rebound, token });
	for (const way of ['look', 'act', 'blind', 'pair', 'read'] as const) expect(seen[way]).toMatch(/^basic 421 /);
	expect(seen).toMatchObject({ script: 'error', image: 'error', socket: 'error', kept: '[{},{},""]' });
	expect(desk.newcomers).toHaveLength(1);
	await page.close();
});

it('a hostile server hears no token and no cookie, from any page', async () => {
	expect(token).toMatch(/^[\w-]{43}$/);
	expect(stolen.length).toBeGreaterThan(3);
	for (const text of stolen) expect(text).not.toMatch(new RegExp(`${token}|cookie`, 'i'));
	expect((await desk.get('/api/v1/state', token)).status).toBe(200);
});
