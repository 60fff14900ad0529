// node test/host/run.ts [word in a file's name]…: the host tests in one window of a fresh VS Code: the server in a browser, or the
// desktop one that NANCY_TEST_VSCODE asks for.
import * as esbuild from 'esbuild';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import * as z from 'zod/mini';
import { TEST_HANGS_MS } from '../support/eventually.ts';
import { launchBrowser, openPage } from '../support/browser.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { BUILT_IN_FOR_TESTS, startServer } from '../support/vscodeServer.ts';
import { findDesktop, runInDesktop } from './desktop.ts';

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(here));
const built = join(root, 'out', 'host');
const failures = join(root, 'out', 'failures');
/** All of them together; a test that hangs is found out by itself. */
const TIMEOUT_MS = 3 * TEST_HANGS_MS;
/** Invisible, and in no text of VS Code's. */
const MARK = '\u2063n\u2063';

const Totals = z.object({ passed: z.number(), failed: z.number() });
type Totals = z.infer<typeof Totals>;

async function bundle(files: readonly string[]): Promise<void> {
	rmSync(built, { recursive: true, force: true });
	await esbuild.build({
		entryPoints: [join(here, 'index.ts'), ...files.map(file => join(here, file))],
		outdir: built,
		bundle: true,
		platform: 'node',
		format: 'cjs',
		target: 'node20',
		sourcemap: 'inline',
		mainFields: ['module', 'main'],
		external: ['vscode', 'mocha', 'node-pty', '@xterm/headless', 'playwright-core'],
		define: { 'import.meta.url': 'bundleUrl' },
		banner: { js: `const bundleUrl = require('node:url').pathToFileURL(__filename).href;` },
		logLevel: 'warning',
	});
}

async function runInOwnDesktop(executable: string): Promise<Totals> {
	await using folder = tempFolder('nh-');
	await using workspace = tempFolder('nancy-workspace-');
	const result = folder.file('result.json');
	const ended = await runInDesktop({
		executable,
		folder: folder.path,
		workspace: workspace.path,
		extension: root,
		tests: join(built, 'index.js'),
		env: { NANCY_TEST_RESULT: result },
	});
	const totals = totalsIn(result);
	return ended && totals.passed > 0 ? totals : { ...totals, failed: Math.max(totals.failed, 1) };
}

function totalsIn(result: string): Totals {
	return existsSync(result) ? Totals.parse(JSON.parse(readFileSync(result, 'utf8'))) : { passed: 0, failed: 0 };
}

async function runInBrowser(): Promise<Totals> {
	await using folder = tempFolder('nh-');
	await using workspace = tempFolder('nancy-workspace-');
	const result = folder.file('result.json');
	const env = { NANCY_TEST_RESULT: result, NANCY_TEST_MARK: MARK, NANCY_TEST_PICTURES: failures };
	const server = await startServer({ folder: folder.path, env, smokeTestDriver: true, builtIn: BUILT_IN_FOR_TESTS });
	const browser = await launchBrowser();
	const log: string[] = [];
	let page: Page | undefined;
	const onLog = (line: string) => {
		log.push(line);
		if (!line.includes(MARK)) return;
		const text = line.slice(line.indexOf(MARK) + MARK.length).replaceAll(MARK, '');
		const picture = /^@@picture (.*)/.exec(text)?.[1];
		if (picture === undefined) console.log(text);
		else void page?.screenshot({ path: picture });
	};
	const options = { folder: workspace.path, development: [root], tests: join(built, 'index.js'), env, onLog };
	const opened = await openPage(browser, server, options);
	page = opened.page;
	const late = new AbortController();
	const exit = await Promise.race([
		opened.exit,
		sleep(TIMEOUT_MS, undefined, { signal: late.signal }).catch(() => undefined),
	]);
	late.abort();
	const totals = totalsIn(result);
	const ended = existsSync(result) && exit !== undefined;
	if (!ended)
		console.log(exit === undefined ? `the tests did not end in ${TIMEOUT_MS} ms` : 'the extension host died');
	if (!ended || totals.failed > 0) {
		await page.screenshot({ path: join(failures, 'host.png') }).catch(() => undefined);
		writeFileSync(join(failures, 'host.log'), log.join('\n'));
	}
	await browser.close();
	await server.stop();
	return ended && totals.passed + totals.failed > 0 ? totals : { passed: totals.passed, failed: totals.failed + 1 };
}

const words = process.argv.slice(2);
const files = readdirSync(here)
	.filter(
		file =>
			file.endsWith('.host.test.ts') && (words.length === 0 || words.some(word => file.includes(basename(word)))),
	)
	.toSorted();
mkdirSync(failures, { recursive: true });
await bundle(files);
const asked = process.env['NANCY_TEST_VSCODE'];
const desktop = asked ? await findDesktop(asked, join(root, '.vscode-test')) : undefined;
const totals = desktop === undefined ? await runInBrowser() : await runInOwnDesktop(desktop);
mkdirSync(join(root, 'out', 'results'), { recursive: true });
writeFileSync(join(root, 'out', 'results', 'host.json'), JSON.stringify(totals));
process.exitCode = totals.failed > 0 || totals.passed === 0 ? 1 : 0;
