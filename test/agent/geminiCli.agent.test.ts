import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { geminiCli } from '../../src/drivers/gemini-cli/driver.ts';
import { conformanceLab, type Candidate } from '../conformance/lab.ts';
import type { AgentHomeOptions } from '../support/agentHome.ts';
import { geminiUnderTest } from '../support/agents/gemini.ts';
import { eventually } from '../support/eventually.ts';
import { long } from '../support/long.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';

// Each agent here mostly waits.
vi.setConfig({ maxConcurrency: 2 });

const installed = pinnedAgent('gemini');
const candidate: Candidate = { agent: geminiUnderTest, driver: geminiCli, installed };
const untrusted: Candidate = {
	...candidate,
	agent: {
		...geminiUnderTest,
		home: (options: AgentHomeOptions) => ({
			...geminiUnderTest.home({ ...options, trusted: [] }),
			ready: /Do you trust the files/,
		}),
	},
};

// What every agent shall do is in the conformance suite; this is what this one does in its own way.
describe.concurrent('the real Gemini CLI', () => {
	it('is a worker once the user has trusted the folder that it was started in', async () => {
		await using lab = await conformanceLab(untrusted);
		const { terminal, address } = await lab.start({ prompt: 'Begin. [[text:I have begun]]' });
		const isTrusted = () =>
			readFileSync(join(lab.home, '.gemini/trustedFolders.json'), 'utf8').includes('TRUST_FOLDER');
		let answeredAt = 0;
		const answer = () => {
			if (isTrusted()) return true;
			// A second answer while it takes the first keeps it from starting again.
			if (Date.now() - answeredAt > 8000) {
				terminal.type('1');
				answeredAt = Date.now();
			}
			return false;
		};
		await terminal.waitForText(/Do you trust the files/);
		await eventually('the folder is trusted', answer);
		await lab.becomes(address, 'idle after its turn', ({ state }) => state.phase === 'idle');
	});

	it('says without a terminal that the user has to trust the folder', long, async () => {
		await using lab = await conformanceLab(untrusted);
		const { ending } = await (await lab.runHeadless('[[text:Never said]]')).ended;
		expect(ending).toMatchObject({
			is: 'result',
			result: { failure: { kind: 'final', reason: expect.stringContaining('Trust folder') } },
		});
		expect(lab.model.requests).toEqual([]);
	});

	it('obeys in a careful mode what its user’s settings deny as an administrator, and not what they allow', async () => {
		const home = (options: AgentHomeOptions) => {
			const rules = join(options.home, 'rules.toml');
			writeFileSync(rules, `${rule('write_file', 'deny')}${rule('run_shell_command', 'allow')}`);
			const settings = {
				adminPolicyPaths: ['$HOME/rules.toml'],
				tools: { core: ['run_shell_command', 'write_file', 'replace'] },
			};
			return geminiUnderTest.home({ ...options, settings });
		};
		await using lab = await conformanceLab({ ...candidate, agent: { ...geminiUnderTest, home } });
		await (
			await lab.runHeadless('Which tools? [[text:These]]', { permissions: 'auto_edit' })
		).ended;
		const { body } = await lab.seen('Which tools?');
		const offered = (tool: string) => JSON.stringify(body).includes(`"name":"${tool}"`);
		expect(['run_shell_command', 'write_file', 'replace'].filter(offered)).toEqual(['replace']);
	});

	it('keeps feedback queued that comes at the end of a turn that the user broke off', long, async () => {
		await using lab = await conformanceLab(candidate);
		const worker = await lab.start({ prompt: '[[slow:30000:one two three four five six]] [[text:Unreached]]' });
		await lab.seen('one two three');
		const id = await lab.send(worker.address, 'Not lost. [[text:Read]]', { kind: 'feedback' });
		await eventually(
			'the turn is broken off',
			() => {
				// One key more would make the first letter of the next prompt a chord.
				if (worker.terminal.screen().includes('esc to cancel')) worker.terminal.type('\u001b');
				return worker.terminal.screen().includes('Request cancelled');
			},
			{ everyMs: 5000 },
		);
		await worker.idle();
		await worker.submit('Go on. [[text:Going on]]');
		const request = await lab.seen('Go on.');
		expect(request.text).toContain('Not lost.');
		await lab.delivered(worker.address, id);
	});
});

function rule(tool: string, decision: 'allow' | 'deny'): string {
	return `[[rule]]\ntoolName = "${tool}"\ndecision = "${decision}"\npriority = 999\n`;
}
