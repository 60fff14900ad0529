import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import * as z from 'zod/mini';
import { chromiumHere } from './debian.ts';
import { eventually, HANG_MS } from './eventually.ts';
import type { Server } from './vscodeServer.ts';

/** @param args further ones for Chromium */
export function launchBrowser(args: readonly string[] = []): Promise<Browser> {
	const executablePath = chromiumHere();
	if (executablePath === undefined) throw new Error('No Chromium is here. `npm test e2e` installs it on Debian.');
	return chromium.launch({
		executablePath,
		args: [
			'--no-sandbox',
			'--disable-gpu',
			'--disable-quic',
			'--no-first-run',
			'--disable-background-networking',
			'--disable-component-update',
			'--disable-sync',
			...args,
		],
	});
}

export interface OpenOptions {
	/** Workspace folder. */
	folder?: string;
	/** A .code-workspace file instead, of which VS Code has a copy: {@link showWorkspaceFile}. */
	workspace?: string;
	/** Folders of extensions to load as they are. */
	development?: readonly string[];
	/** The bundle that exports run(), for tests inside the extension host. */
	tests?: string;
	/** Added to the extension host's environment. */
	env?: Record<string, string>;
	/** Called for each console line of the window and, in test runs, of the extension host. */
	onLog?: (line: string) => void;
	size?: { width: number; height: number };
	/** Pixels of the picture for each of the window. Default 1. */
	scale?: number;
	/** The display language, for extensions: VS Code's own words need a language pack. Default English. */
	language?: string;
}

export interface OpenedPage {
	page: Page;
	context: BrowserContext;
	/** In test runs: the exit code of run(). */
	exit: Promise<number>;
}

/** Opens a workbench in a browser profile of its own. */
export async function openPage(browser: Browser, server: Server, options: OpenOptions): Promise<OpenedPage> {
	const { size = { width: 1400, height: 900 }, scale = 1, onLog } = options;
	const context = await browser.newContext({ viewport: size, deviceScaleFactor: scale, reducedMotion: 'reduce' });
	await context.addInitScript(stopAnimations);
	if (options.language !== undefined) await context.addInitScript(setLanguage, options.language);
	const page = await context.newPage();
	page.setDefaultTimeout(HANG_MS);
	page.setDefaultNavigationTimeout(HANG_MS);
	const exit = new Promise<number>(
		resolve => void page.exposeFunction('codeAutomationExit', (code: number) => resolve(code)),
	);
	await page.exposeFunction('codeAutomationLog', (type: string, args: unknown[]) =>
		onLog?.(`${type} ${formatLog(args)}`),
	);
	page.on('pageerror', error => onLog?.(`pageerror ${String(error)}`));
	await page.goto(workbenchUrl(server, options));
	return { page, context, exit };
}

const CachedWorkspace = z.object({ content: z.string() });

/**
 * Shows a .code-workspace file in this page, in place of what it shows.
 *
 * VS Code reads such a file twice while it starts: first its cached copy in the user's folder, then the file itself through the
 * connection to the server. The window takes its folders from the copy and changes them when the file has arrived. VS Code
 * 1.139.1 loses that change when both answers come at once, which they do on a quiet machine: `WorkspaceService` (class
 * in configurationService.ts) ignores it until it has a workspace. Without a copy the window then has no folder for good. So
 * the file is opened until VS Code has its copy, and then opened again.
 */
export async function showWorkspaceFile(page: Page, server: Server, workspace: string): Promise<void> {
	const url = workbenchUrl(server, { workspace });
	const text = readFileSync(workspace, 'utf8');
	const copies = join(server.userFolder, 'caches/CachedConfigurations/workspaces/*/workspace.json');
	await page.goto(url);
	await eventually(`VS Code's copy of ${workspace}`, () =>
		globSync(copies).some(copy => CachedWorkspace.parse(JSON.parse(readFileSync(copy, 'utf8'))).content === text),
	);
	await page.goto(url);
}

/** Runs in the window: VS Code's own scripts set this where a language pack is there. */
function setLanguage(language: string): void {
	Object.assign(globalThis, { _VSCODE_NLS_LANGUAGE: language });
}

/** Runs in the window: drawn without a graphics card, one turning icon keeps a third of a core busy. */
function stopAnimations(): void {
	const sheet = new CSSStyleSheet();
	sheet.replaceSync('* { animation: none !important; }');
	document.adoptedStyleSheets.push(sheet);
}

export function workbenchUrl(server: Server, options: OpenOptions): string {
	const { folder, workspace, development = [], tests, env } = options;
	const payload = [
		['skipWelcome', 'true'],
		['skipReleaseNotes', 'true'],
	];
	for (const each of development) payload.push(['extensionDevelopmentPath', server.uri(resolve(each))]);
	if (tests !== undefined) payload.push(['extensionTestsPath', server.uri(resolve(tests))]);
	if (env !== undefined) payload.push(['extensionEnvironment', JSON.stringify(env)]);
	const url = new URL(server.url);
	if (folder !== undefined) url.searchParams.set('folder', folder);
	if (workspace !== undefined) url.searchParams.set('workspace', workspace);
	url.searchParams.set('payload', JSON.stringify(payload));
	return url.href;
}

/** A console line as it is displayed: ['%c[Extension Host] %cmessage', css, css] becomes the message. */
function formatLog(args: readonly unknown[]): string {
	const [first, ...rest] = args;
	const show = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
	if (typeof first !== 'string') return args.map(show).join(' ');
	const values = [...rest];
	const head = first.replaceAll(/%[csdifoO]/g, verb => {
		const value = values.shift();
		return verb === '%c' ? '' : String(value);
	});
	return [head, ...values.map(show)].join(' ');
}
