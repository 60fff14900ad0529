import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { startModelDouble, type ModelDouble } from '../double/modelDouble.ts';
import type { AgentHome, AgentHomeOptions } from './agentHome.ts';
import { HANG_MS } from './eventually.ts';
import { tempFolder, type TempFolder } from './tempFolder.ts';
import { terminal, type Terminal } from './terminal.ts';

/** Longest wait for a CLI to start: the slowest takes ten seconds of CPU, on a machine that others use too. In milliseconds. */
export const READY_MS = 2 * HANG_MS;

export interface AgentLabOptions {
	/** Of the CLI's own, in the user's home. */
	settings?: Record<string, unknown>;
	/** Added to the CLI's environment. */
	env?: Record<string, string>;
	/** Whether the workspace is one that the CLI shall not ask about. Default true. */
	isTrusted?: boolean;
}

export interface HeadlessResult {
	code: number | null;
	stdout: string;
	stderr: string;
}

/** A real agent CLI with a home of its own, an empty workspace and a model that plays scripts. */
export interface AgentLab extends AsyncDisposable {
	agent: AgentHome;
	model: ModelDouble;
	workspace: TempFolder;
	home: string;
	env: Record<string, string>;
	/** The CLI with exactly these arguments, to its end. */
	run(args: readonly string[]): Promise<HeadlessResult>;
	/** One prompt, to its end. Runs every tool without asking unless `args` say otherwise. */
	headless(prompt: string, args?: readonly string[]): Promise<HeadlessResult>;
	/** The interactive CLI, at its prompt. Asks before a tool changes something. */
	interactive(args?: readonly string[]): Promise<Terminal>;
}

export async function agentLab(
	makeHome: (options: AgentHomeOptions) => AgentHome,
	{ settings = {}, env: more = {}, isTrusted = true }: AgentLabOptions = {},
): Promise<AgentLab> {
	const model = await startModelDouble();
	const folder = tempFolder('nancy-agent-');
	const workspace = tempFolder('nancy-workspace-');
	const home = folder.file('home');
	mkdirSync(home);
	const trusted = isTrusted ? [workspace.path] : [];
	const agent = makeHome({ home, trusted, modelUrl: model.url, settings });
	const env = { ...agent.env, ...more };
	const terminals: Terminal[] = [];
	const run = async (args: readonly string[]): Promise<HeadlessResult> => {
		const child = spawn(agent.command, args, { cwd: workspace.path, env, stdio: ['ignore', 'pipe', 'pipe'] });
		const closed = new Promise<number | null>((resolve, reject) => {
			child.once('error', reject);
			child.once('close', resolve);
		});
		const [code, stdout, stderr] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
		return { code, stdout, stderr };
	};
	return {
		agent,
		model,
		workspace,
		home,
		env,
		run,
		headless: (prompt, args = agent.unattended) => run([...agent.headless(prompt), ...args]),
		interactive: async (args = []) => {
			const opened = terminal(agent.command, [...agent.interactive, ...args], { cwd: workspace.path, env });
			terminals.push(opened);
			await opened.waitForText(agent.ready, READY_MS);
			return opened;
		},
		[Symbol.asyncDispose]: async () => {
			await Promise.all(terminals.map(each => each.close()));
			await model.close();
			await Promise.all([folder.remove(), workspace.remove()]);
		},
	};
}
