import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { claudeLab } from '../support/claudeLab.ts';
import { submit } from '../support/claudeTerminal.ts';

describe('the real Claude Code CLI against the model double', () => {
	it('runs a scripted tool call headless and shows its output to the model', async () => {
		await using lab = await claudeLab();
		const { code, stdout } = await lab.headless(
			'[[sh:echo made-$((40+2)) > made.txt; cat made.txt]] [[text:All is done]]',
		);
		expect({ code, stdout: stdout.trim() }).toEqual({ code: 0, stdout: 'All is done' });
		expect(await readFile(lab.workspace.file('made.txt'), 'utf8')).toBe('made-42\n');
		expect(lab.model.requests.at(-1)?.text).toContain('made-42');
	});

	it('starts straight to its prompt in a terminal, answers, and asks before a tool changes something', async () => {
		await using lab = await claudeLab();
		const claude = await lab.interactive();
		expect(claude.screen()).not.toMatch(/trust|API key|theme/i);
		await submit(claude, '[[text:Hello from the double]]');
		await claude.waitForText(/● Hello from the double/);
		await submit(claude, '[[sh:touch made.txt]]');
		await claude.waitForText(/Do you want to proceed\?/);
	});

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
