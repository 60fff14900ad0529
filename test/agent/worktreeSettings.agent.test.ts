import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { headlessOf } from '../../src/core/driver/headlessOf.ts';
import { drivers } from '../../src/drivers/index.ts';
import { DelegatesOutput } from '../../src/protocol/output/delegates.ts';
import { agentLab } from '../support/agentLab.ts';
import { agentsUnderTest } from '../support/agents/index.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

/** As people commit them, without what a CLI adds. */
const SETTINGS: Readonly<Record<string, string>> = {
	'.claude/settings.json': '{"permissions":{"deny":["Read(./secret)"]}}\n',
	'.codex/config.toml': 'model_reasoning_effort = "low"\n',
	'.github/mcp.json': '{"mcpServers":{}}\n',
	'.github/copilot/settings.json': '{}\n',
	'.opencode/command/a.md': 'Hi\n',
	'.opencode/opencode.jsonc': '{\n\t// mine\n\t"instructions": ["x.md"]\n}\n',
	'opencode.json': '{"instructions":["x.md"]}\n',
	'.gitignore': '.nancy\n',
};

const anywhere = agentsUnderTest.filter(({ driver }) =>
	drivers.some(({ id, floors }) => id === driver && floors.worktree !== 'none'),
);

it.each(anywhere)(
	'what $driver adds to its settings as it starts does not end a delegate of an agent in a worktree',
	async agent => {
		await using lab = await agentLab(agent.home, { env: agent.env });
		const cwd = lab.workspace.path;
		const git = (...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8' });
		git('init', '-q', '-b', 'main');
		for (const [name, text] of Object.entries(SETTINGS)) {
			mkdirSync(dirname(join(cwd, name)), { recursive: true });
			writeFileSync(join(cwd, name), text);
		}
		git('add', '-A');
		git('-c', 'user.name=T', '-c', 'user.email=t@example.com', 'commit', '-qm', 'first');
		const config = join(lab.home, '.config');
		const driver = drivers.find(({ id }) => id === agent.driver)!;
		const [careful] = headlessOf(driver).permissionModes;
		mkdirSync(join(config, 'nancy'), { recursive: true });
		const settings = { delegates: { permissionsFromAgents: { [driver.id]: careful?.id } } };
		writeFileSync(join(config, 'nancy/settings.json'), JSON.stringify(settings));
		const env = {
			...lab.env,
			PATH: [dirname(lab.agent.command), dirname(process.execPath), lab.env['PATH']].join(delimiter),
			XDG_CONFIG_HOME: config,
		};
		const call = (args: string[], more = {}) => nancy.start(args, { cwd, env: { ...env, ...more } });
		expect(await call(['setup', '--agent', driver.id])).toMatchObject({ code: 0 });
		const args = ['delegate', '[[text:Done]]', '--worktree', '--agent', driver.id];
		expect(await call(args, { CLAUDECODE: '1' })).toMatchObject({ code: 0 });
		const { stdout } = await call(['delegates', '--wait', '--timeout', '600', '--json']);
		const [ended] = DelegatesOutput.parse(JSON.parse(stdout)).delegates;
		expect(ended).toMatchObject({ status: 'done' });
		const isChanged = (name: string) => readFileSync(join(ended?.worktree ?? '', name), 'utf8') !== SETTINGS[name];
		const added = driver.completions.schema?.files ?? [];
		expect(Object.keys(SETTINGS).filter(isChanged)).toEqual(
			Object.keys(SETTINGS).filter(name => added.includes(name)),
		);
	},
);
