import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { drivers } from '../../src/drivers/index.ts';
import { agentsUnderTest } from '../support/agents/index.ts';
import { delegatingLab } from '../support/delegatingLab.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';
import { longIf } from '../support/long.ts';

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

/** The others run in `npm run faults`. */
const deciding = ['claude-code'];

for (const agent of anywhere)
	it(
		`what ${agent.driver} adds to its settings as it starts does not end a delegate of an agent in a worktree`,
		longIf(!deciding.includes(agent.driver)),
		async () => {
			await using lab = await delegatingLab(nancy, agent);
			const { driver } = lab;
			lab.write(SETTINGS);
			lab.commit();
			expect(await lab.call(['setup', '--agent', driver.id])).toMatchObject({ code: 0 });
			const args = ['delegate', '[[text:Done]]', '--worktree', '--agent', driver.id];
			expect(await lab.callAsAgent(args)).toMatchObject({ code: 0 });
			const [ended] = await lab.ended();
			expect(ended).toMatchObject({ status: 'done' });
			const isChanged = (name: string) =>
				readFileSync(join(ended?.worktree ?? '', name), 'utf8') !== SETTINGS[name];
			const added = driver.completions.schema?.files ?? [];
			expect(Object.keys(SETTINGS).filter(isChanged)).toEqual(
				Object.keys(SETTINGS).filter(name => added.includes(name)),
			);
		},
	);
