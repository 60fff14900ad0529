import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { startModelDouble, type ModelDouble } from '../double/modelDouble.ts';
import { claudeExecutable, claudeHome } from './claudeHome.ts';
import { tempFolder, type TempFolder } from './tempFolder.ts';
import { terminal, type Terminal } from './terminal.ts';

export interface ClaudeLabOptions {
	/** ~/.claude/settings.json. */
	settings?: Record<string, unknown>;
	/** Added to the CLI's environment. */
	env?: Record<string, string>;
}

export interface HeadlessResult {
	code: number | null;
	stdout: string;
	stderr: string;
}

/** The real Claude Code CLI with a home of its own, a trusted empty workspace and a model that plays scripts. */
export interface ClaudeLab extends AsyncDisposable {
	model: ModelDouble;
	workspace: TempFolder;
	home: string;
	env: Record<string, string>;
	/** `claude -p prompt …args` to its end. Runs every tool without asking unless `args` say otherwise. */
	headless(prompt: string, args?: readonly string[]): Promise<HeadlessResult>;
	/** The interactive CLI, at its prompt. Asks before a tool changes something. */
	interactive(args?: readonly string[]): Promise<Terminal>;
}

export async function claudeLab(options: ClaudeLabOptions = {}): Promise<ClaudeLab> {
	const model = await startModelDouble();
	const folder = tempFolder('nancy-claude-');
	const workspace = tempFolder('nancy-workspace-');
	const home = folder.file('home');
	mkdirSync(home);
	const { settings = {} } = options;
	const env = { ...claudeHome({ home, trusted: [workspace.path], modelUrl: model.url, settings }), ...options.env };
	const terminals: Terminal[] = [];
	return {
		model,
		workspace,
		home,
		env,
		headless: (prompt, args = ['--permission-mode', 'bypassPermissions']) => {
			const child = spawn(claudeExecutable, ['-p', prompt, ...args], {
				cwd: workspace.path,
				env: { ...env, IS_SANDBOX: '1' },
				stdio: ['ignore', 'pipe', 'pipe'],
			});
			const closed = new Promise<number | null>((resolve, reject) => {
				child.once('error', reject);
				child.once('close', resolve);
			});
			return Promise.all([closed, text(child.stdout), text(child.stderr)]).then(([code, stdout, stderr]) => ({
				code,
				stdout,
				stderr,
			}));
		},
		interactive: async (args = []) => {
			const opened = terminal(claudeExecutable, args, { cwd: workspace.path, env: { ...env, IS_SANDBOX: '1' } });
			terminals.push(opened);
			await opened.waitForText(/❯/);
			return opened;
		},
		[Symbol.asyncDispose]: async () => {
			await Promise.all(terminals.map(each => each.close()));
			await model.close();
			await Promise.all([folder.remove(), workspace.remove()]);
		},
	};
}
