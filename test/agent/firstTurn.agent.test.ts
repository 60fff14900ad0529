import { readFile } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { agentLab } from '../support/agentLab.ts';
import { everyAgent } from '../support/agents/index.ts';
import { answerQuestion } from '../support/answerQuestion.ts';
import { eventually } from '../support/eventually.ts';
import { submit } from '../support/submit.ts';

/** opencode takes seconds of CPU for each step of its start. */
const PATIENCE_MS = 90_000;
vi.setConfig({ testTimeout: 3 * PATIENCE_MS });

/** Its output does not stand in it. Gemini CLI refuses what looks like a command substitution. */
const MAKE = `printf 'made-%s\\n' 42 > made.txt; cat made.txt`;

describe.each(everyAgent)('the real $id against the model double', own => {
	const options = { env: { ...own.env }, settings: { ...own.asking } };
	it('runs a scripted command headless and shows its output to the model', async () => {
		await using lab = await agentLab(own.home, { env: options.env });
		const { code, stdout } = await lab.headless(`[[sh:${MAKE}]] [[text:All is done]]`);
		expect({ code, stdout: stdout.trim() }).toEqual({ code: 0, stdout: 'All is done' });
		expect(await readFile(lab.workspace.file('made.txt'), 'utf8')).toBe('made-42\n');
		expect(lab.model.requests.at(-1)?.turns.at(-1)?.toolOutput).toContain('made-42');
	});

	it('starts straight to its prompt in a terminal, asks before it runs a command, and answers', async () => {
		await using lab = await agentLab(own.home, options);
		const agent = await lab.interactive();
		expect(agent.screen()).not.toMatch(/trust|log ?in|sign in|API key|theme/i);
		await submit(agent, `[[esc:${MAKE}]] [[text:Hello from the double]]`);
		await answerQuestion(agent, own.question, own.yes, PATIENCE_MS);
		await lab.model.waitForRequest(
			request => request.turns.at(-1)?.toolOutput.includes('made-42') ?? false,
			PATIENCE_MS,
		);
		await eventually('the answer on its own line', () =>
			/^(?!.*\[\[).*Hello from the double/m.test(agent.screen()),
		);
	});
});
