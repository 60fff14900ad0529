import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { headlessOf } from '../../src/core/driver/headlessOf.ts';
import { drivers } from '../../src/drivers/index.ts';
import { DelegatesOutput } from '../../src/protocol/output/delegates.ts';
import type { NancyCommand } from '../unit/cli/nancyCommand.ts';
import { agentLab } from './agentLab.ts';
import type { AgentUnderTest } from './agents/agentUnderTest.ts';

/** An agent's lab in a repository, where `nancy` is called, and agents may have delegates of the agent's most careful mode. */
export async function delegatingLab(nancy: NancyCommand, agent: AgentUnderTest) {
	const lab = await agentLab(agent.home, { env: agent.env });
	const cwd = lab.workspace.path;
	const git = (...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8' });
	git('init', '-q', '-b', 'main');
	const driver = drivers.find(({ id }) => id === agent.driver)!;
	const [careful] = headlessOf(driver).permissionModes;
	const config = join(lab.home, '.config');
	mkdirSync(join(config, 'nancy'), { recursive: true });
	const settings = { delegates: { permissionsFromAgents: { [driver.id]: careful?.id } } };
	writeFileSync(join(config, 'nancy/settings.json'), JSON.stringify(settings));
	const env = {
		...lab.env,
		PATH: [dirname(lab.agent.command), dirname(process.execPath), lab.env['PATH']].join(delimiter),
		XDG_CONFIG_HOME: config,
	};
	const call = (args: string[], more = {}) => nancy.start(args, { cwd, env: { ...env, ...more } });
	return {
		driver,
		cwd,
		write(files: Readonly<Record<string, string>>) {
			for (const [name, text] of Object.entries(files)) {
				mkdirSync(dirname(join(cwd, name)), { recursive: true });
				writeFileSync(join(cwd, name), text);
			}
		},
		commit() {
			git('add', '-A');
			git('-c', 'user.name=T', '-c', 'user.email=t@example.com', 'commit', '-qm', 'first');
		},
		call,
		callAsAgent: (args: string[]) => call(args, { CLAUDECODE: '1' }),
		/** The delegates once they have ended, the last one first. */
		async ended() {
			const { stdout } = await call(['delegates', '--wait', '--timeout', '600', '--json']);
			return DelegatesOutput.parse(JSON.parse(stdout)).delegates;
		},
		[Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
	};
}
