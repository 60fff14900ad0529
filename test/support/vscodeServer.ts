import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolderOf } from './agentHome.ts';
import { testRunMark } from './testRun.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const serverFolder = join(root, '.vscode-test', 'server-4.139.1');
const serverExtensions = join(serverFolder, 'extensions');

/** Where `npm test` and `npm start` put the server. */
export const serverProgram = join(serverFolder, 'out', 'server-main.js');

/** Otherwise an extension host lists every file that any process of the machine has open, every other second. */
const noPortScan = { 'remote.autoForwardPortsSource': 'output' };

const quietSettings = {
	'workbench.startupEditor': 'none',
	'workbench.tips.enabled': false,
	'workbench.enableExperiments': false,
	'workbench.secondarySideBar.defaultVisibility': 'hidden',
	'workbench.settings.enableNaturalLanguageSearch': false,
	'chat.disableAIFeatures': true,
	'telemetry.telemetryLevel': 'off',
	'update.mode': 'none',
	'update.showReleaseNotes': false,
	'extensions.autoUpdate': false,
	'extensions.autoCheckUpdates': false,
	'extensions.ignoreRecommendations': true,
	'json.schemaDownload.enable': false,
	'npm.fetchOnlinePackageInfo': false,
	'remote.autoForwardPorts': false,
	'git.openRepositoryInParentFolders': 'never',
	'terminal.integrated.gpuAcceleration': 'off',
	'window.restoreWindows': 'none',
	'security.workspace.trust.startupPrompt': 'never',
};

export interface ServerOptions {
	/** Becomes the server's own: user data, extensions, home, log. Keep its path short: sockets live in it. */
	folder: string;
	/** The whole environment but PATH, LANG, SHELL and HOME. Extension host and terminals inherit it. */
	env?: Record<string, string>;
	/** User settings on top of those that keep VS Code quiet. */
	settings?: Record<string, unknown>;
	/** The user's own keys. */
	keybindings?: readonly { key: string; command: string; args?: unknown }[];
	port?: number;
	/** VS Code's own test hooks. Needed to load an extension from its folder; switches notification toasts off. */
	smokeTestDriver?: boolean;
	/** Open folders in Restricted Mode until the user trusts them. */
	restricted?: boolean;
	/** The only ones of VS Code's own extensions that are there. Default: all. */
	builtIn?: readonly string[];
}

/**
 * What tests look at: themes, icons and the languages of their files. The other ninety of VS Code's extensions, such as debuggers and language
 * servers, take a fifth of what a window takes to open.
 */
export const BUILT_IN_FOR_TESTS = [
	'configuration-editing',
	'git',
	'git-base',
	'json',
	'markdown-basics',
	'markdown-language-features',
	'media-preview',
	'shellscript',
	'terminal-suggest',
	'theme-defaults',
	'theme-modern-icons',
	'theme-seti',
	'typescript-basics',
];

export interface Server {
	pid: number;
	url: string;
	extensionsFolder: string;
	/** What VS Code keeps of its user: settings, caches, state of workspaces. */
	userFolder: string;
	home: string;
	/** A file on the server as the workbench names it. */
	uri(file: string): string;
	stop(): Promise<void>;
}

/** A real VS Code server on a free loopback port; one process group, so that nothing outlives it. */
export async function startServer(options: ServerOptions): Promise<Server> {
	const {
		folder,
		env = {},
		settings = {},
		keybindings = [],
		port = 0,
		smokeTestDriver = false,
		restricted = false,
		builtIn,
	} = options;
	const [data, extensionsFolder, home] = ['data', 'extensions', 'home'].map(name => join(folder, name)) as [
		string,
		string,
		string,
	];
	for (const each of [join(data, 'User'), join(data, 'Machine'), extensionsFolder, home])
		mkdirSync(each, { recursive: true });
	// On a server, settings of machine scope count only where the server itself is.
	const machineSettings = { ...noPortScan, ...settings };
	writeFileSync(join(data, 'Machine', 'settings.json'), JSON.stringify(machineSettings, undefined, '\t'));
	writeFileSync(
		join(data, 'User', 'settings.json'),
		JSON.stringify({ ...quietSettings, ...settings }, undefined, '\t'),
	);
	writeFileSync(join(data, 'User', 'keybindings.json'), JSON.stringify(keybindings));
	const builtInFolder = join(folder, 'built-in');
	if (builtIn) mkdirSync(builtInFolder, { recursive: true });
	for (const name of builtIn ?? []) symlinkSync(join(serverExtensions, name), join(builtInFolder, name));
	const child = spawn(
		process.execPath,
		[
			serverProgram,
			'--host',
			'127.0.0.1',
			'--port',
			String(port),
			'--without-connection-token',
			'--accept-server-license-terms',
			'--telemetry-level',
			'off',
			...(restricted ? [] : ['--disable-workspace-trust']),
			'--reconnection-grace-time',
			'1',
			'--user-data-dir',
			data,
			'--extensions-dir',
			extensionsFolder,
			...(builtIn ? ['--builtin-extensions-dir', builtInFolder] : []),
			...(smokeTestDriver ? ['--enable-smoke-test-driver'] : []),
		],
		{ env: { ...basicEnvironment(home), ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true },
	);
	const log = createWriteStream(join(folder, 'server.log'));
	child.stderr.pipe(log, { end: false });
	const ended = new Promise<void>(resolve => child.once('exit', () => resolve()));
	const actualPort = await new Promise<number>((resolve, reject) => {
		let output = '';
		child.stdout.on('data', (chunk: Buffer) => {
			log.write(chunk);
			output += String(chunk);
			const listening = /Extension host agent listening on (\d+)/.exec(output);
			if (listening) resolve(Number(listening[1]));
		});
		child.once('error', reject);
		child.once('exit', code => reject(new Error(`The VS Code server ended with ${code}: ${output}`)));
	});
	const pid = child.pid ?? 0;
	return {
		pid,
		url: `http://127.0.0.1:${actualPort}/`,
		extensionsFolder,
		userFolder: join(data, 'User'),
		home: env['HOME'] ?? home,
		uri: file => `vscode-remote://127.0.0.1:${actualPort}${file}`,
		stop: async () => {
			signalGroup(pid, 'SIGTERM');
			const kill = setTimeout(() => signalGroup(pid, 'SIGKILL'), 3000);
			await ended;
			clearTimeout(kill);
			signalGroup(pid, 'SIGKILL');
			log.end();
		},
	};
}

function basicEnvironment(home: string): Record<string, string> {
	return {
		PATH: process.env['PATH'] ?? '/usr/bin:/bin',
		LANG: 'C.UTF-8',
		SHELL: '/bin/bash',
		HOME: home,
		...temporaryFolderOf(home),
		...testRunMark(),
	};
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(-pid, signal);
	} catch {
		// Nobody is left in it.
	}
}
