import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { SessionId } from '../../src/protocol/names.ts';
import { deployedLab, startedTask, type DeployedLab } from '../support/deployedLab.ts';
import { eventually } from '../support/eventually.ts';

const bypass = ['--permission-mode', 'bypassPermissions'];
const newSession = () => SessionId.parse(randomUUID());

/** What the model could read, request by request, as far as the agent offered it tools. */
const read = (lab: DeployedLab) => lab.model.requests.filter(request => request.hasTools).map(request => request.text);

const tool = (lab: DeployedLab, mark: string) =>
	eventually(`the tool that makes ${mark} runs`, () => existsSync(lab.workspace.file(mark)));

describe('delivery to a headless agent', () => {
	it('puts a directive sent while a tool runs into the very next request, with a receipt', async () => {
		await using lab = await deployedLab();
		const session = newSession();
		const address = await startedTask(lab, session);
		const run = lab.headless('[[sh:touch started; sleep 2]] [[text:Not steered]]', [
			'--session-id',
			session,
			...bypass,
		]);
		await tool(lab, 'started');
		const id = await lab.send(address, 'Use the retry helper. [[text:Steered]]');
		const { stdout, stderr } = await run;
		expect({ stdout: stdout.trim(), stderr }).toEqual({ stdout: 'Steered', stderr: '' });
		expect(read(lab).map(text => text.includes('retry helper'))).toEqual([false, true]);
		const message = await lab.delivered(address, id);
		expect(message.receipt).toMatchObject({ event: 'PostToolBatch', session, rung: 'hook', earlierClaims: 0 });
	});

	it('keeps feedback until the agent would stop, then hands over all of it and keeps it going', async () => {
		await using lab = await deployedLab();
		const session = newSession();
		const address = await startedTask(lab, session);
		const run = lab.headless('[[sh:touch started; sleep 1.5]] [[sh:true]] [[text:First end]]', [
			'--session-id',
			session,
			...bypass,
		]);
		await tool(lab, 'started');
		const ids = [
			await lab.send(address, 'First note.', { kind: 'feedback' }),
			await lab.send(address, 'Second note. [[sh:true]] [[text:Second end]]', { kind: 'feedback' }),
		];
		const { stdout } = await run;
		expect(stdout.trim()).toBe('Second end');
		// One request per step: tool, tool, end; then the continued turn: tool, end.
		expect(read(lab).map(text => text.includes('First note.') && text.includes('Second note.'))).toEqual([
			false,
			false,
			false,
			true,
			true,
		]);
		for (const id of ids) {
			expect((await lab.delivered(address, id)).receipt).toMatchObject({ event: 'Stop', rung: 'hook' });
		}
	});

	it('halts every tool call of the step that a halt meets, and the agent reads why', async () => {
		await using lab = await deployedLab();
		const session = newSession();
		const address = await startedTask(lab, session);
		const run = lab.headless('[[sh:touch started; sleep 1.5]] [[wait:1200]] [[text:Unreached]]', [
			'--session-id',
			session,
			...bypass,
		]);
		await tool(lab, 'started');
		await lab.send(address, 'Several at once: [[par:touch a||touch b||touch c]] [[text:Read it]]');
		await lab.model.waitForRequest(request => request.text.includes('Several at once'));
		const id = await lab.send(address, 'Do not touch anything.', { effect: 'halt', priority: 'urgent' });
		const { stdout } = await run;
		expect(stdout.trim()).toBe('Read it');
		expect((await readdir(lab.workspace.path)).filter(name => /^[abc]$/.test(name))).toEqual([]);
		expect(read(lab).at(-1)).toContain('Do not touch anything.');
		expect((await lab.delivered(address, id)).receipt).toMatchObject({ event: 'PreToolUse', tool: 'Bash' });
		expect(await readdir(lab.nancy.paths.halts)).toEqual([]);
	});

	it('ends the turn at a pause without running the tool, and the agent reads it with the next prompt', async () => {
		await using lab = await deployedLab();
		const session = newSession();
		const address = await startedTask(lab, session);
		const run = lab.headless('[[sh:touch started; sleep 1.5]] ((lat:700)) [[sh:touch never]] [[text:Unreached]]', [
			'--session-id',
			session,
			...bypass,
		]);
		await tool(lab, 'started');
		await eventually('the second request is under way', () => read(lab).length === 2);
		const id = await lab.send(address, 'Wait for me.', { effect: 'pause' });
		await run;
		expect(existsSync(lab.workspace.file('never'))).toBe(false);
		expect(read(lab)).toHaveLength(2);
		expect((await lab.delivered(address, id)).receipt).toMatchObject({ event: 'PreToolUse' });
		await lab.headless('[[text:Going on]]', ['--resume', session, ...bypass]);
		expect(read(lab).at(-1)).toContain('Wait for me.');
	});

	it('ends the turn at a pause that came while the tool ran', async () => {
		await using lab = await deployedLab();
		const session = newSession();
		const address = await startedTask(lab, session);
		const run = lab.headless('[[sh:touch started; sleep 1.5]] [[text:Unreached]]', [
			'--session-id',
			session,
			...bypass,
		]);
		await tool(lab, 'started');
		const id = await lab.send(address, 'Wait for me.', { effect: 'pause' });
		await run;
		expect(read(lab)).toHaveLength(1);
		expect((await lab.delivered(address, id)).receipt).toMatchObject({ event: 'PostToolBatch' });
		await lab.headless('[[text:Going on]]', ['--resume', session, ...bypass]);
		expect(read(lab).at(-1)).toContain('Wait for me.');
	});

	it('gives nothing to a subagent', async () => {
		await using lab = await deployedLab();
		const session = newSession();
		const address = await startedTask(lab, session);
		const input = JSON.stringify({
			description: 'look',
			prompt: 'I am the subagent. [[sh:touch started; sleep 2]] [[sh:true]] [[text:Sub done]]',
			subagent_type: 'general-purpose',
			run_in_background: false,
		});
		const run = lab.headless(`[[tool:Agent|${input.replaceAll(']]', String.raw`]\u005d`)}]] [[text:Parent done]]`, [
			'--session-id',
			session,
			...bypass,
		]);
		await tool(lab, 'started');
		const id = await lab.send(address, 'For the parent only.');
		await run;
		const withMessage = lab.model.requests.filter(request => request.text.includes('For the parent only.'));
		const subs = lab.model.requests.filter(
			request => request.text.includes('I am the subagent') && !withMessage.includes(request),
		);
		expect(subs.length).toBeGreaterThan(2);
		expect(withMessage.every(request => request.text.includes('Parent done'))).toBe(true);
		expect((await lab.delivered(address, id)).receipt).toMatchObject({ rung: 'hook' });
	});

	it('never lets an agent that the worker started take the worker’s messages', async () => {
		await using lab = await deployedLab();
		const session = newSession();
		const address = await startedTask(lab, session);
		const inner = newSession();
		const { claudeExecutable } = await import('../support/claudeHome.ts');
		const nested = `touch started; sleep 1; ${claudeExecutable} -p "Nested. ((text:Nested done))" --session-id ${inner}`;
		const env = { NANCY_TASK_DIR: lab.nancy.paths.task(address.task), NANCY_WORKER: 'worker' };
		Object.assign(lab.env, env);
		const run = lab.headless(`[[sh:${nested}]] [[text:Outer done]]`, ['--session-id', session, ...bypass]);
		await tool(lab, 'started');
		const id = await lab.send(address, 'For the worker only.');
		await run;
		const message = await lab.delivered(address, id);
		expect(message.receipt).toMatchObject({ session, event: 'PostToolBatch' });
		expect(await lab.nancy.sessionBinding(inner)).toMatchObject({
			address: { task: `session-${inner.slice(0, 8)}`, worker: 'worker' },
		});
		expect((await lab.nancy.worker(address))?.sessions.map(each => each.id)).toEqual([session]);
	});

	it('adopts a session that Nancy did not start', async () => {
		await using lab = await deployedLab();
		const session = newSession();
		await lab.headless('[[sh:true]] [[text:Done]]', ['--session-id', session, ...bypass]);
		const { tasks } = await lab.nancy.tasks();
		expect(tasks.map(task => [task.name, task.origin])).toEqual([[`session-${session.slice(0, 8)}`, 'found']]);
	});
});
