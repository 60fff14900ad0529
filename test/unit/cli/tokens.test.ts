import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TokensOutput } from '../../../src/protocol/output/tasks.ts';
import { DriverId, SessionId } from '../../../src/protocol/names.ts';
import { NancyCommand } from './nancyCommand.ts';
import { Project } from './project.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build();
});
afterAll(() => nancy[Symbol.asyncDispose]());

/** A worker of the real driver whose transcript says how many tokens its last reply saw. */
async function projectWithTranscript(input: number) {
	const project = new Project();
	const task = await project.addTask('fix-login');
	const transcript = join(project.path, 'transcript.jsonl');
	const usage = {
		input_tokens: 10,
		cache_read_input_tokens: input - 10,
		cache_creation_input_tokens: 0,
		output_tokens: 1000,
	};
	const reply = { type: 'assistant', message: { id: 'm1', model: 'some-model', usage } };
	writeFileSync(transcript, `${JSON.stringify(reply)}\n`);
	await project.addWorker(task, 'worker', {
		agent: DriverId.parse('claude-code'),
		sessions: [{ id: SessionId.parse('s1'), startedAt: '2026-04-01T10:00:00.000Z', transcript }],
	});
	return { project, task };
}

describe('nancy tokens', () => {
	it.each([
		{ input: 99_000, usedPercent: 50, overThreshold: false, says: 'below the threshold' },
		{ input: 159_000, usedPercent: 80, overThreshold: true, says: 'over the threshold' },
	])('compares $input tokens of context with the threshold', async ({ input, usedPercent, overThreshold, says }) => {
		const { project, task } = await projectWithTranscript(input);
		await using _ = project;
		const call = { cwd: '/', env: project.terminal(task, 'worker') };

		const { code, stdout } = await nancy.run(['tokens', '--json'], call);

		expect(code).toBe(0);
		expect(TokensOutput.parse(JSON.parse(stdout))).toEqual({
			worker: 'fix-login/worker',
			session: 's1',
			model: 'some-model',
			contextTokens: input + 1000,
			contextWindow: 200_000,
			inputTokens: input,
			outputTokens: 1000,
			usedPercent,
			thresholdPercent: 80,
			overThreshold,
		});
		expect((await nancy.run(['tokens'], call)).stdout).toContain(says);
	});

	it("takes the threshold from the workspace's configuration", async () => {
		const { project } = await projectWithTranscript(99_000);
		await using _ = project;
		await project.workspace.updateConfig(config => ({ ...config, tokenThreshold: 40 }));

		const { stdout } = await nancy.run(['tokens', 'fix-login', '--json'], { cwd: project.path });

		expect(TokensOutput.parse(JSON.parse(stdout))).toMatchObject({ thresholdPercent: 40, overThreshold: true });
	});

	it('says so when nothing is known', async () => {
		await using project = new Project();
		const task = await project.addTask('fix-login');
		await project.addWorker(task, 'worker');
		await project.addWorker(task, 'worker-2', { sessions: [] });

		expect((await nancy.run(['tokens', 'fix-login/worker'], { cwd: project.path })).stdout).toContain(
			'nothing is known',
		);
		expect((await nancy.run(['tokens', 'fix-login/worker-2'], { cwd: project.path })).code).toBe(3);
		expect((await nancy.run(['tokens'], { cwd: project.path })).code).toBe(2);
	});
});
