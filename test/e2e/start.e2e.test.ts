import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { HANG_MS } from '../support/eventually.ts';
import { long } from '../support/long.ts';
import { Workbench } from '../support/workbench.ts';

const demo = ['scripts/start.mjs', '--demo', '--no-open'];

test('npm start opens a workbench without an account', long, async () => {
	const { stdout } = await promisify(execFile)('node', [...demo, '--once']);
	expect(stdout).toMatch(/^Claude Code.*: with a scripted model/m);
	expect(stdout).toMatch(/^Open http:\/\/127\.0\.0\.1:\d+\/\?folder=\S+$/m);
	expect(stdout).toContain('The workbench answers.');
});

test('npm start begins in Nancy’s sidebar, beside the walkthrough', async () => {
	const child = spawn('node', demo, { stdio: ['ignore', 'pipe', 'inherit'] });
	const ended = once(child, 'exit');
	try {
		const browser = await launchBrowser();
		try {
			const page = await browser.newPage();
			page.setDefaultTimeout(HANG_MS);
			await page.goto(await addressIn(child.stdout));
			const workbench = new Workbench(page);
			await workbench.pane('Tasks').waitFor();
			await page.locator('.getting-started', { hasText: 'Get Started with Nancy' }).waitFor();
		} finally {
			await browser.close();
		}
	} finally {
		child.kill('SIGTERM');
		await ended;
	}
});

async function addressIn(output: NodeJS.ReadableStream): Promise<string> {
	for await (const line of createInterface({ input: output })) {
		const address = /^Open (\S+)$/.exec(line)?.[1];
		if (address !== undefined) return address;
	}
	throw new Error('npm start named no address');
}
