import { mkdirSync } from 'node:fs';
import { join, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { startModelDouble, type ModelDouble, type ModelDoubleOptions } from '../double/modelDouble.ts';
import type { AgentUnderTest } from './agents/agentUnderTest.ts';
import { launchBrowser, openPage } from './browser.ts';
import { claudeHome } from './claudeHome.ts';
import { installVsix } from './installVsix.ts';
import { tempFolder, type TempFolder } from './tempFolder.ts';
import { BUILT_IN_FOR_TESTS, startServer, type Server } from './vscodeServer.ts';
import { shortcutKeys, shortcutSettings, Workbench } from './workbench.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const failures = join(root, 'out', 'failures');

/** The windows that tests have open now. A failed test shows them. */
export const openLabs = new Set<Lab>();

/** What no test looks at: a caret that is drawn anew twice a second, and VS Code's own git, which runs at every change of a file. */
const doLess = {
	'editor.cursorBlinking': 'solid',
	'editor.minimap.enabled': false,
	'git.enabled': false,
};

export interface LabOptions {
	/** Added to the environment of the extension host and its terminals. */
	env?: Record<string, string>;
	settings?: Record<string, unknown>;
	/** Default: a new empty folder. */
	workspace?: string;
	/** Install the packaged extension. Default true. */
	nancy?: boolean;
	/** The agent CLIs in there beside Claude Code. */
	agents?: readonly AgentUnderTest[];
	/** ~/.claude/settings.json of the Claude Code CLI in there. */
	claudeSettings?: Record<string, unknown>;
	/** What the model does without a script. */
	unscripted?: ModelDoubleOptions['unscripted'];
	size?: { width: number; height: number };
	/** Pixels of a picture for each of the window. Default 1. */
	scale?: number;
	/** The display language, for extensions. Default English. */
	language?: string;
	/** The user's own keys. */
	keybindings?: readonly { key: string; command: string }[];
	/** Open folders in Restricted Mode until the user trusts them. */
	restricted?: boolean;
}

/**
 * A VS Code with Nancy installed, open in a browser, for tests that act as a person would. The agents in it are the real
 * ones, with a home of their own and a scripted model.
 */
export interface Lab extends AsyncDisposable {
	workbench: Workbench;
	model: ModelDouble;
	page: Page;
	server: Server;
	browser: Browser;
	/** The folder that is open. */
	workspace: string;
	/** Another window on the same server. */
	openWindow(folder?: string): Promise<Workbench>;
	/** A picture of the window, named out/failures/<name>.png. */
	screenshot(name: string): Promise<string>;
	/** {@link screenshot} for eyes, not for a test: only with NANCY_PICTURES=1, for drawing one takes half a second of a core. */
	picture(name: string): Promise<void>;
}

export async function openLab(options: LabOptions = {}): Promise<Lab> {
	const {
		env = {},
		settings,
		nancy = true,
		size,
		scale,
		language,
		agents = [],
		claudeSettings = {},
		unscripted,
		keybindings = [],
		restricted = false,
	} = options;
	const folder = tempFolder('nv-');
	const own: TempFolder | undefined = options.workspace === undefined ? tempFolder('nancy-workspace-') : undefined;
	const workspace = options.workspace ?? own?.path ?? folder.path;
	if (nancy) await installVsix(folder.path);
	const model = await startModelDouble({ ...(unscripted && { unscripted }) });
	const home = folder.file('home');
	const inHome = { home, trusted: [workspace], modelUrl: model.url };
	const claude = claudeHome({ ...inHome, settings: claudeSettings });
	const others = agents.map(agent => ({ driver: agent.driver, home: agent.home(inHome) }));
	const programs = Object.fromEntries(others.map(each => [`nancy.agents.${each.driver}.path`, each.home.command]));
	const server = await startServer({
		folder: folder.path,
		env: Object.assign({}, ...others.map(each => each.home.env), claude.env, env),
		settings: {
			...doLess,
			...shortcutSettings,
			'nancy.agents.claude-code.path': claude.command,
			...programs,
			...settings,
		},
		keybindings: [...shortcutKeys, ...keybindings],
		restricted,
		builtIn: BUILT_IN_FOR_TESTS,
	});
	const browser = await launchBrowser();
	const open = async (openedFolder: string) => {
		const { page } = await openPage(browser, server, {
			folder: openedFolder,
			...(size && { size }),
			...(scale && { scale }),
			...(language !== undefined && { language }),
		});
		const workbench = new Workbench(page);
		await workbench.ready();
		return workbench;
	};
	let lab: Lab | undefined;
	const close = async () => {
		if (lab) openLabs.delete(lab);
		await browser.close();
		await server.stop();
		await model.close();
		await Promise.all([folder.remove(), own?.remove()]);
	};
	try {
		const workbench = await open(workspace);
		const screenshot = async (name: string) => {
			mkdirSync(failures, { recursive: true });
			const file = join(failures, `${name.replaceAll(/[^\w.-]+/g, '_')}.png`);
			await workbench.page.screenshot({ path: file });
			return file;
		};
		lab = {
			workbench,
			model,
			page: workbench.page,
			server,
			browser,
			workspace,
			openWindow: (other = workspace) => open(other),
			screenshot,
			picture: async name => {
				if (process.env['NANCY_PICTURES'] === '1') await screenshot(name);
			},
			[Symbol.asyncDispose]: close,
		};
		openLabs.add(lab);
		return lab;
	} catch (error) {
		await close();
		throw error;
	}
}
