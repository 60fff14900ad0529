import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SessionId } from '../../src/protocol/names.ts';
import { deployedLab, startedTask } from '../support/deployedLab.ts';
import { eventually } from '../support/eventually.ts';

const bypass = ['--permission-mode', 'bypassPermissions'];

describe('delivery to a headless agent', () => {
	it('puts a directive sent while a tool runs into the very next request, with a receipt', async () => {
		await using lab = await deployedLab();
		const session = SessionId.parse(randomUUID());
		const address = await startedTask(lab, session);
		const run = lab.headless('[[sh:touch started; sleep 2]] [[text:Not steered]]', [
			'--session-id',
			session,
			...bypass,
		]);
		await eventually('the tool runs', () => existsSync(lab.workspace.file('started')));
		const id = await lab.send(address, 'Use the retry helper. [[text:Steered]]');
		const { stdout } = await run;
		const [first, second, ...more] = lab.model.requests.filter(request => request.hasTools);
		expect(stdout.trim()).toBe('Steered');
		expect([first?.text.includes('retry helper'), second?.text.includes('retry helper'), more.length]).toEqual([
			false,
			true,
			0,
		]);
		const message = await lab.delivered(address, id);
		expect(message.receipt).toMatchObject({ event: 'PostToolBatch', session, rung: 'hook', earlierClaims: 0 });
	});
});
