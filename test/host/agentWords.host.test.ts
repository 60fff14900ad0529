import assert from 'node:assert/strict';
import { shortcomings } from '../../src/core/driver/abilities.ts';
import { drivers } from '../../src/drivers/index.ts';
import { agentDetail, agentVersion } from '../../src/ui/tasks/agentWords.ts';
import type { AgentChoice } from '../../src/ui/ports.ts';

const usable = { found: { executable: '/bin/x', version: '1.2.3' }, lacks: [], limits: [] };

function agent(more: Partial<AgentChoice>): AgentChoice {
	const { id, displayName } = drivers[0]!;
	return {
		id,
		displayName,
		installCommand: '',
		isUntried: false,
		model: undefined,
		permissionModes: [],
		launchModes: [],
		takesImages: false,
		...usable,
		...more,
	};
}

describe('the words for an agent in the list', () => {
	it('say of each CLI how it hears the user', () => {
		const lines = drivers.map(driver => [
			driver.id,
			agentDetail(agent(shortcomings(driver, driver.oldestVersion))),
		]);
		const steered = 'Steered at each tool call';
		assert.deepEqual(Object.fromEntries(lines), {
			'claude-code': `${steered}, waits for your next prompt when idle`,
			'copilot-cli': `${steered}, wakes when idle, with limits`,
			codex: `${steered}, wakes when idle, with limits`,
			'gemini-cli': `${steered}, waits for your next prompt when idle`,
			opencode: `${steered}, wakes when idle`,
			'qwen-code': `${steered}, wakes when idle, with limits`,
			kiro: 'Reads messages when it is done, wakes when idle',
			'amazon-q': 'Reads messages with your next prompt',
		});
		const newest = shortcomings(
			drivers.find(({ id }) => id === 'claude-code')!,
			[9, 0, 0],
		);
		assert.equal(agentDetail(agent(newest)), `${steered}, wakes when idle`);
		assert.equal(agentDetail(agent({ lacks: ['steer'] })), 'Reads messages when it is done, wakes when idle');
	});

	it('say why one cannot be used, with its version', () => {
		const missing = agent({ found: undefined, obstacle: 'missing', problem: 'there is no "x" on the PATH' });
		assert.equal(agentVersion(missing), 'not found');
		assert.equal(agentDetail(missing), 'There is no "x" on the PATH.');
		assert.equal(agentVersion({ ...missing, obstacle: 'too-old', oldVersion: '0.1.0' }), '0.1.0 is too old');
		assert.equal(agentVersion({ ...missing, obstacle: 'broken' }), 'cannot be used');
		const late: AgentChoice = { ...missing, obstacle: 'unanswered', problem: '/bin/x did not answer; try again' };
		assert.equal(agentVersion(late), 'did not answer');
		assert.equal(agentDetail(late), '/bin/x did not answer; try again.');
		assert.equal(agentVersion(agent({})), '1.2.3');
		assert.equal(agentVersion(agent({ isUntried: true })), '1.2.3, not tried with Nancy');
		assert.equal(agentVersion({ ...missing, isUntried: true }), 'not found, not tried with Nancy');
		assert.equal(agentVersion(agent({ found: { executable: '/bin/x', version: '' } })), 'version unknown');
	});
});
