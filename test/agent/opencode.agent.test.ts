import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { opencode } from '../../src/drivers/opencode/driver.ts';
import { conformanceLab } from '../conformance/lab.ts';
import { opencodeUnderTest } from '../support/agents/opencode.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';

/** A project that allows everything, by each kind of rule that stands above another. */
const PERMISSIVE = {
	permission: { edit: 'allow', bash: 'allow', '*': 'allow' },
	agent: { build: { permission: { '*': 'allow', task: 'allow', bash: 'allow' } } },
};

// What every agent shall do is in the conformance suite; this is what this one does in its own way.
describe('the real opencode', { timeout: 240_000 }, () => {
	it('runs no command in a mode that allows none, whatever opencode.json allows', async () => {
		await using lab = await conformanceLab({
			agent: opencodeUnderTest,
			driver: opencode,
			installed: pinnedAgent('opencode'),
		});
		writeFileSync(lab.workspace.file('opencode.json'), JSON.stringify(PERMISSIVE));
		const { ended } = await lab.runHeadless('[[write:made|text]] [[sh:touch never]] [[text:Not said]]', {
			permissions: 'edit',
		});
		const { ending, events } = await ended;
		expect([lab.has('made'), lab.has('never')]).toEqual([true, false]);
		expect(events).toContainEqual(expect.objectContaining({ is: 'denied', tool: 'bash' }));
		expect(ending).toMatchObject({ is: 'result', result: { failure: { kind: 'final' } } });
		const offered = JSON.stringify(lab.requests().map(({ body }) => body));
		expect(offered).toContain('"name":"bash"');
		// A subagent would have rules of its own.
		expect(offered).not.toContain('"name":"task"');
	});
});
