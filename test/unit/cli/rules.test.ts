import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Questions } from '../../../src/core/questions/questions.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { seedQuestion } from '../../support/seedQuestion.ts';
import { NancyCommand } from './nancyCommand.ts';
import { Project } from './project.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build();
});
afterAll(() => nancy[Symbol.asyncDispose]());

describe('nancy rules', () => {
	it('are made by a person in a terminal from a question, answer its like, and stand in nancy answers', async () => {
		const project = new Project();
		const workspace = new Workspace(project.path, join(nancy.dataFolder, 'nancy'));
		await workspace.prepare();
		const call = async (...args: string[]) => nancy.run(args, { cwd: project.path, isTerminal: true });
		const asked = await seedQuestion(workspace, { cwd: project.path });
		const name = asked.id.slice(-8);
		expect(await nancy.run(['rules', 'add', name], { cwd: project.path })).toMatchObject({ code: 5, stdout: '' });
		for (const wrong of [['--hours', '9'], ['--times', '0'], ['--any']])
			expect(await call('rules', 'add', name, ...wrong)).toMatchObject({ code: 2, stdout: '' });
		expect((await call('rules')).stdout).toBe('no rules here\n');

		const made = await call('rules', 'add', name, '--hours', '8', '--times', '3', '--session');
		expect(made.stderr).toBe('');
		expect(made.stdout).toMatch(
			/yes to exactly this request for Bash \(claude-code\) in session a0a0a0a0-0000, 0 of 3 times/,
		);
		expect(made.stdout).toContain('    | rm -rf build\n');
		const again = await seedQuestion(workspace, { cwd: project.path });
		expect((await call('questions')).stdout).toMatch(/answered once \(by your rule \S+\)/);
		const answers = (await call('answers')).stdout;
		expect(answers).toMatch(
			/claude-code: Bash rm -rf build\n {4}yes \(by your rule \S+\), after \d+\.\d s; not yet reported\n$/,
		);
		expect((await call('rules')).stdout).toContain('1 of 3 times');
		expect((await call('rules', 'pause')).stdout).toMatch(/^paused/);
		const rule = /^(\S+) {2}yes/m.exec(made.stdout)?.[1] ?? '';
		expect((await call('rules', 'remove', rule)).stdout).toMatch(/^paused.*\nno rules here\n$/);
		for (const { id } of [asked, again]) await new Questions(workspace.own).end(id, 'ended', 'the test');
	});
});
