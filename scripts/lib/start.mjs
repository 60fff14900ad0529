import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { atHome } from '../../test/support/atHome.ts';
import { installVsix } from '../../test/support/installVsix.ts';
import { agentsUnderTest } from '../../test/support/agents/index.ts';
import { pinnedAgent } from '../../test/support/pinnedAgent.ts';
import { driverById } from '../../src/drivers/index.ts';
import { startServer } from '../../test/support/vscodeServer.ts';
import { startModelDouble } from '../../test/double/modelDouble.ts';
import { root } from './bootstrap.mjs';
import { build } from './bundles.mjs';
import { installAgent } from './installAgent.mjs';
import { installVscodeServer } from './installVscodeServer.mjs';
import { packageDemo, packageExtension } from './packageExtension.mjs';
import { runOrThrow } from './run.mjs';

const folder = join(root, '.nancy-demo');

/** The demo's model takes harmless steps; only its draft asks for permission. */
const DEMO_PERMISSIONS = {
	defaultMode: 'default',
	allow: ['ls', 'cat', 'git log', 'git status', 'sleep', 'echo', 'nancy'].map(command => `Bash(${command}:*)`),
};

/** @param {{ demo: boolean, agents: boolean, open: boolean, once: boolean }} options */
export async function start({ demo, agents, open, once }) {
	const workspace = await sampleWorkspace();
	const withDouble = demo || !hasClaudeAccount();
	const agent = withDouble ? await demoAgents(workspace, agents) : await ownAgent();
	const desktop = once || !open ? undefined : onPath('code');
	const editor = desktop ? await openDesktop(desktop, workspace, agent) : await openServer(workspace, agent);
	console.log(
		withDouble
			? `${agent.names.join(', ')}: with a scripted model, no account, no cost.`
			: 'Claude Code runs with your own account.',
	);
	if (editor.url) console.log(`Open ${editor.url}`);
	if (once) await answers(editor.url);
	else {
		if (open && editor.url) openInBrowser(editor.url);
		console.log('Ctrl-C stops everything.');
		await interrupted(editor.ended);
	}
	await editor.stop();
	await agent.stop();
	process.exit(0);
}

/** A copy to play with; it stays between starts. */
async function sampleWorkspace() {
	const workspace = join(folder, 'workspace');
	if (existsSync(join(workspace, '.git'))) return workspace;
	await rm(workspace, { recursive: true, force: true });
	await cp(join(root, 'test', 'fixtures', 'sample-workspace'), workspace, { recursive: true });
	const git = args =>
		runOrThrow('git', ['-c', 'user.name=Nancy', '-c', 'user.email=nancy@localhost', ...args], { cwd: workspace });
	await git(['init', '--quiet', '--initial-branch=main']);
	await git(['add', '.']);
	await git(['commit', '--quiet', '--message', 'Tea timer']);
	return workspace;
}

function hasClaudeAccount() {
	if (process.env.ANTHROPIC_API_KEY || process.env.CLAUDE_CODE_OAUTH_TOKEN) return true;
	if (existsSync(join(homedir(), '.claude', '.credentials.json'))) return true;
	const state = join(homedir(), '.claude.json');
	return existsSync(state) && readFileSync(state, 'utf8').includes('"oauthAccount"');
}

/**
 * Real CLIs with a home of their own. Claude Code is installed where it is missing, the others only when all are asked for: they are
 * a gigabyte. One home serves all: each CLI has its own folder in it, and its own variables.
 */
async function demoAgents(workspace, all) {
	const model = await startModelDouble({ unscripted: 'demo' });
	const home = join(folder, 'home');
	const names = [];
	const settings = {};
	let env = {};
	for (const agent of agentsUnderTest) {
		const isFirst = agent.id === 'claude-code';
		const { executable } = pinnedAgent(agent.id);
		if (!isFirst && !all && !existsSync(executable)) continue;
		await installAgent(agent.id);
		const own = agent.home({
			home,
			trusted: [workspace],
			modelUrl: model.url,
			settings: isFirst ? { permissions: DEMO_PERMISSIONS } : agent.asking,
		});
		env = { ...env, ...own.env };
		settings[`nancy.agents.${agent.driver}.path`] = executable;
		names.push(driverById(agent.driver)?.displayName ?? agent.driver);
	}
	return { env, settings, home, names, stop: () => model.close() };
}

async function ownAgent() {
	const settings = onPath('claude') ? {} : { 'nancy.agents.claude-code.path': await installAgent('claude-code') };
	return { env: { ...process.env }, settings, stop: () => Promise.resolve() };
}

async function openServer(workspace, { env, settings }) {
	await installVscodeServer();
	await packageExtension();
	const serverFolder = join(folder, 'server');
	await rm(join(serverFolder, 'extensions'), { recursive: true, force: true });
	await installVsix(serverFolder);
	await installVsix(serverFolder, await packageDemo());
	const server = await startServer({ folder: serverFolder, env, settings });
	const url = `${server.url}?folder=${encodeURIComponent(workspace)}`;
	return { url, stop: () => server.stop(), ended: new Promise(() => undefined) };
}

/** With a profile of its own: otherwise a VS Code that runs already would take over, without our environment. */
async function openDesktop(code, workspace, { env, settings, home }) {
	await build({ minify: false });
	const profile = join(folder, 'desktop');
	await mkdir(join(profile, 'User'), { recursive: true });
	const own = home ? await programsAtHome(settings, home) : settings;
	await writeFile(join(profile, 'User', 'settings.json'), JSON.stringify(own, undefined, '\t'));
	const { HOME: _, PATH: __, ...rest } = env;
	const child = spawn(
		code,
		[
			...[root, join(root, 'scripts', 'demo')].map(each => `--extensionDevelopmentPath=${each}`),
			`--user-data-dir=${profile}`,
			'--wait',
			workspace,
		],
		{ env: { ...process.env, ...rest, ...(home && foldersAtHome(home)) }, stdio: 'inherit' },
	);
	const ended = new Promise(resolve => child.once('close', resolve));
	return { ended, stop: () => Promise.resolve(void child.kill()) };
}

/** The desktop needs the user's HOME, the demo's agents must not see it: they would run with the user's own settings and account. */
async function programsAtHome(settings, home) {
	const bin = join(folder, 'bin');
	const programs = Object.entries(settings).map(async ([key, executable]) => [
		key,
		await atHome(bin, executable, home),
	]);
	return Object.fromEntries(await Promise.all(programs));
}

/** For the window as for its agents: what one of them queues with Nancy, the other has to find. */
function foldersAtHome(home) {
	return { XDG_CONFIG_HOME: join(home, '.config'), XDG_DATA_HOME: join(home, '.local', 'share') };
}

function onPath(name) {
	const own = join(root, 'node_modules');
	const folders = (process.env.PATH ?? '').split(delimiter).filter(each => !each.startsWith(own));
	return folders.map(each => join(each, name)).find(file => existsSync(file));
}

function openInBrowser(url) {
	if (process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return;
	const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
	spawn(opener, [url], { stdio: 'ignore', detached: true })
		.once('error', () => undefined)
		.unref();
}

async function answers(url) {
	const response = await fetch(url);
	const page = await response.text();
	if (!response.ok || !page.includes('workbench')) throw new Error(`The workbench answered ${response.status}`);
	console.log('The workbench answers.');
}

function interrupted(ended) {
	const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'].map(
		signal => new Promise(resolve => process.once(signal, resolve)),
	);
	return Promise.race([...signals, ended]);
}
