import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { agentLab } from '../support/agentLab.ts';
import { agentsUnderTest } from '../support/agents/index.ts';
import { longIf } from '../support/long.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

/** Two programs of their own, and one that a runtime of its own runs; Node runs the others, as it runs tests of every other kind. */
const deciding = ['claude-code', 'codex', 'opencode'];

describe.each(agentsUnderTest)('nancy knows $driver for an agent', agent => {
	it('in a command that has cleared its environment', longIf(!deciding.includes(agent.id)), async () => {
		await using lab = await agentLab(agent.home, { env: agent.env });
		await new Workspace(lab.workspace.path).prepare();
		const clean = `env -i HOME='${lab.home}' PATH="$PATH" '${process.execPath}' '${nancy.program}'`;
		// In a script: some CLIs look at the paths in a command.
		writeFileSync(lab.workspace.file('ask.sh'), `${clean} setup\ncd /\n${clean} status --json\n`);
		await lab.headless('[[sh:sh ask.sh > said.txt 2>&1]] [[text:Done]]');
		const said = readFileSync(lab.workspace.file('said.txt'), 'utf8');
		expect(said).toContain('an agent may not change the settings');
		// It works where its CLI does.
		expect(said).toContain(`"folder": "${lab.workspace.path}"`);
	});
});
