import { cpSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { launchBrowser } from '../support/browser.ts';
import { HANG_MS } from '../support/eventually.ts';
import { programs, repository } from '../support/programs.ts';
import { servedTerminal } from '../support/servedTerminal.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';

// A page of the desk in the real Chromium stays open while its server is killed, and another program takes the port.
let nancy: NancyCommand;
beforeAll(async () => {
	await programs();
	nancy = await NancyCommand.build();
	cpSync(join(repository, 'media/desk'), join(dirname(dirname(nancy.program)), 'media/desk'), { recursive: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

/** A program that answers as the desk does, but for what it cannot know. It keeps all that it gets. */
async function thief(port: number) {
	const got: string[] = [];
	const hellos: unknown[] = [];
	const server = createServer((request, response) => {
		got.push(JSON.stringify([request.method, request.url, request.rawHeaders]));
		request.on('data', (piece: Buffer) => got.push(String(piece)));
		request.on('end', () => response.setHeader('content-type', 'application/json').end('{}'));
	});
	const sockets = new WebSocketServer({ server });
	sockets.on('connection', (socket, { rawHeaders }) => {
		got.push(JSON.stringify(rawHeaders));
		const say = (message: object) => socket.send(JSON.stringify({ v: 1, ...message }));
		socket.on('message', (data: Buffer) => {
			got.push(data.toString('utf8'));
			hellos.push(JSON.parse(data.toString('utf8')));
			const state = { folders: [], questions: [], tasks: [], messages: [], delegates: [] };
			say({ type: 'welcome', scope: 'answer', device: 'Stolen', now: new Date().toISOString() });
			say({ type: 'state', seq: 1, state });
			say({ type: 'proof', proof: 'a'.repeat(64) });
			say({ type: 'proof', proof: '' });
		});
	});
	server.listen(port, '127.0.0.1');
	await once(server, 'listening');
	return {
		got,
		hellos,
		[Symbol.asyncDispose]: async () => {
			for (const client of sockets.clients) client.terminate();
			server.closeAllConnections();
			await new Promise(resolve => server.close(resolve));
		},
	};
}

it('a page whose server was killed says its token to nobody who has taken the port, and believes nothing of what they say', async () => {
	await using folder = tempFolder();
	await new Workspace(folder.path).prepare();
	await using desk = await servedTerminal(nancy, folder.path);
	const browser = await launchBrowser();
	try {
		const page = await browser.newPage();
		page.setDefaultTimeout(HANG_MS);
		await page.goto(desk.address);
		await desk.letIn('answer');
		await page.locator('.link.live').waitFor();
		const token = await page.evaluate(
			() => /"token":"([^"]+)"/.exec(JSON.stringify(sessionStorage).replaceAll('\\', ''))?.[1] ?? '',
		);
		expect(token).toMatch(/^[\w-]{43}$/);
		process.kill(desk.screen.pid, 'SIGKILL');
		await desk.screen.ended;
		await using other = await thief(desk.port);
		await page.getByText('another program answers here').waitFor();
		expect(await page.locator('.shell').count()).toBe(0);
		// It comes back to sight, and does not try again.
		await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
		await page.waitForTimeout(1500);
		expect(other.hellos).toEqual([
			{ v: 1, type: 'hello', device: expect.stringMatching(/^[0-9a-f]{16}$/), challenge: expect.any(String) },
		]);
		expect(other.got.filter(text => text.includes(token))).toEqual([]);
		expect(other.got.filter(text => /authorization|cookie/i.test(text))).toEqual([]);
	} finally {
		await browser.close();
	}
});
