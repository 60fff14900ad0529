import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { launchBrowser } from '../support/browser.ts';
import { HANG_MS } from '../support/eventually.ts';
import { seedWorkspace } from '../support/seedWorkspace.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { dataIn, serveDesk } from './serveDesk.ts';
import { median, milliseconds, quantile, type Row } from './table.ts';

const ROUNDS = 15;

/** One line of text: the least that a browser can paint. */
const PLAIN = '<!doctype html><title>Plain</title><p>Plain</p>';

/** As the desk is: Chromium starts a process for such a page, which takes most of the time. */
const ISOLATED = { 'content-type': 'text/html', 'cross-origin-opener-policy': 'same-origin' };

/** How soon the desk's page shows something in Chromium, and how soon it shows what is so now. In turns with a page of one line. */
export async function benchPage(): Promise<Row[]> {
	await using folder = tempFolder();
	const workspace = new Workspace(folder.file('project'), dataIn(folder));
	await workspace.prepare();
	await seedWorkspace(workspace.folder, { title: 'Fix it', session: 'c0c0c0c0-0001', dataFolder: dataIn(folder) });
	await using desk = await serveDesk(folder, workspace);
	const plain = createServer((_, response) => response.writeHead(200, ISOLATED).end(PLAIN));
	plain.listen(0, '127.0.0.1');
	await once(plain, 'listening');
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens at a port
	const { port } = plain.address() as AddressInfo;
	const browser = await launchBrowser();
	try {
		const paired = await browser.newPage();
		paired.setDefaultTimeout(HANG_MS);
		await Promise.all([paired.goto(desk.invitation), desk.letIn()]);
		await live(paired);
		const times = { plain: [] as number[], desk: [] as number[], live: [] as number[] };
		for (let round = -1; round < ROUNDS; round++) {
			const plainMs = await firstPaint(browser, `http://127.0.0.1:${port}/`);
			const deskMs = await firstPaint(browser, desk.origin);
			await paired.reload();
			const liveMs = await live(paired);
			if (round < 0) continue;
			times.plain.push(plainMs);
			times.desk.push(deskMs);
			times.live.push(liveMs);
		}
		return [
			row('first paint', times.desk, times.plain, 300),
			row('the state after a reload', times.live, times.plain),
		];
	} finally {
		await browser.close();
		plain.close();
	}
}

/** Of an address in a profile that has never seen it, in milliseconds from the beginning of the navigation. */
async function firstPaint(browser: Browser, address: string): Promise<number> {
	const context = await browser.newContext();
	try {
		const page = await context.newPage();
		page.setDefaultTimeout(HANG_MS);
		await page.goto(address);
		const painted = await page.waitForFunction(
			() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
		);
		return (await painted.jsonValue()) ?? Number.NaN;
	} finally {
		await context.close();
	}
}

/** When a page says that it shows what is so now, in milliseconds from the beginning of its navigation. */
async function live(page: Page): Promise<number> {
	const shown = await page.waitForFunction(() => document.querySelector('.link.live') && performance.now());
	return (await shown.jsonValue()) ?? Number.NaN;
}

function row(what: string, times: readonly number[], plain: readonly number[], goalMs?: number): Row {
	const middle = median(times);
	return {
		what: `the desk’s page in Chromium: ${what}`,
		value: `p50 ${milliseconds(middle)}, p90 ${milliseconds(quantile(times, 0.9))}`,
		against: `first paint of one line ${milliseconds(median(plain))}`,
		ratio: middle / median(plain),
		...(goalMs === undefined ? { goal: 'none set' } : { goal: `p50 <= ${goalMs} ms`, met: middle <= goalMs }),
	};
}
