import { readFile } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import type { AgentHome, AgentHomeOptions } from '../support/agentHome.ts';
import { agentLab } from '../support/agentLab.ts';
import { codexHome } from '../support/codexHome.ts';
import { copilotHome } from '../support/copilotHome.ts';
import { eventually } from '../support/eventually.ts';
import { geminiHome } from '../support/geminiHome.ts';
import { opencodeHome } from '../support/opencodeHome.ts';
import { submit } from '../support/submit.ts';

interface Agent {
	home: (options: AgentHomeOptions) => AgentHome;
	/** In the user's settings file: what makes it ask before it runs a command, where it does not by itself. */
	settings?: Record<string, unknown>;
	/** The permission question on its screen. */
	question: RegExp;
	/** The key that says yes, once. */
	yes: string;
}

const AGENTS: Record<string, Agent> = {
	'GitHub Copilot CLI': { home: copilotHome, question: /Do you want to run this command\?/, yes: '1' },
	Codex: {
		home: codexHome,
		question: /Would you like to run the following command\?/,
		yes: 'y',
	},
	'Gemini CLI': { home: geminiHome, question: /Allow execution of \[Shell\]\?/, yes: '1' },
	opencode: {
		home: opencodeHome,
		settings: { permission: { bash: 'ask' } },
		question: /△ Permission required/,
		yes: '\r',
	},
};

/** opencode takes seconds of CPU for each step of its start. */
const PATIENCE_MS = 90_000;
vi.setConfig({ testTimeout: 3 * PATIENCE_MS });

/** Its output does not stand in it. Gemini CLI refuses what looks like a command substitution. */
const MAKE = `printf 'made-%s\\n' 42 > made.txt; cat made.txt`;

describe.each(Object.entries(AGENTS))('the real %s against the model double', (_, { home, settings = {}, ...ui }) => {
	it('runs a scripted command headless and shows its output to the model', async () => {
		await using lab = await agentLab(home);
		const { code, stdout } = await lab.headless(`[[sh:${MAKE}]] [[text:All is done]]`);
		expect({ code, stdout: stdout.trim() }).toEqual({ code: 0, stdout: 'All is done' });
		expect(await readFile(lab.workspace.file('made.txt'), 'utf8')).toBe('made-42\n');
		expect(lab.model.requests.at(-1)?.turns.at(-1)?.toolOutput).toContain('made-42');
	});

	it('starts straight to its prompt in a terminal, asks before it runs a command, and answers', async () => {
		await using lab = await agentLab(home, { settings });
		const agent = await lab.interactive();
		expect(agent.screen()).not.toMatch(/trust|log ?in|sign in|API key|theme/i);
		await submit(agent, `[[esc:${MAKE}]] [[text:Hello from the double]]`);
		await agent.waitForText(ui.question, PATIENCE_MS);
		agent.type(ui.yes);
		await lab.model.waitForRequest(
			request => request.turns.at(-1)?.toolOutput.includes('made-42') ?? false,
			PATIENCE_MS,
		);
		await eventually('the answer on its own line', () =>
			/^(?!.*\[\[).*Hello from the double/m.test(agent.screen()),
		);
	});
});
