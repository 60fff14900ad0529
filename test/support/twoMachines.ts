import { globSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { NancyCommand } from '../unit/cli/nancyCommand.ts';
import { claudeExecutable, claudeHome } from './claudeHome.ts';
import { deployedLab } from './deployedLab.ts';
import { eventually } from './eventually.ts';
import { sshLab } from './sshLab.ts';
import { userMachine } from './userMachine.ts';

/** The user's machine, a repository on it, and another machine with the real agent and its login. */
export async function twoMachines(
	nancy: NancyCommand,
	{ isDeployed = false, on = 'ssh:lab', cluster = {} as Readonly<Record<string, string>> } = {},
) {
	const lab = await deployedLab({ isDeployed });
	const { agent } = lab;
	const tools = [dirname(claudeExecutable), dirname(process.execPath)];
	const there = await sshLab({
		ANTHROPIC_BASE_URL: lab.model.url,
		ANTHROPIC_API_KEY: agent.env['ANTHROPIC_API_KEY'] ?? '',
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
		DISABLE_AUTOUPDATER: '1',
		IS_SANDBOX: '1',
		PATH: [...tools, '/usr/local/bin:/usr/bin:/bin'].join(delimiter),
		...cluster,
	});
	claudeHome({ home: there.home, trusted: [], modelUrl: lab.model.url });
	return {
		lab,
		there,
		...userMachine(nancy, lab, { on, path: [there.bin, ...tools], more: cluster }),
		/** Resolves once a message is in the mailbox on the other machine. */
		async isThere(message: string) {
			const name = join('.nancy-remote/jobs/*/.nancy/tasks/*/comms/*/inbox', `${message}.md`);
			await eventually('carried', () => globSync(name, { cwd: there.home }).length === 1 || undefined);
		},
		async [Symbol.asyncDispose]() {
			await there[Symbol.asyncDispose]();
			await lab[Symbol.asyncDispose]();
		},
	};
}
