import { describe, expect, it } from 'vitest';
import { claudeLab } from '../support/claudeLab.ts';

describe('the real Claude Code CLI against the model double', () => {
	it('hands the context of a hook to the model', async () => {
		const answer = JSON.stringify({
			hookSpecificOutput: { hookEventName: 'PostToolBatch', additionalContext: 'hook says: [[text:Steered]]' },
		});
		await using lab = await claudeLab({
			settings: { hooks: { PostToolBatch: [{ hooks: [{ type: 'command', command: `echo '${answer}'` }] }] } },
		});
		const { stdout } = await lab.headless('[[sh:true]] [[text:Not steered]]');
		expect(stdout.trim()).toBe('Steered');
	});
});
