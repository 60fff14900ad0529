import { mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tempFolder } from '../../support/tempFolder.ts';
import { fakeClaude } from './fakeClaude.ts';
import { NancyCommand } from './nancyCommand.ts';

const ANSWER = JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'Done.' });

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build();
});
afterAll(() => nancy[Symbol.asyncDispose]());

describe('nancy run', () => {
	it('gives the agent the folder to work in, and nothing of a worker, of hooks or of the runtime', async () => {
		await using folder = tempFolder('nancy-run-');
		const agent = folder.file('agent');
		const project = folder.file('project');
		const given = folder.file('given');
		mkdirSync(join(project, 'sub'), { recursive: true });
		const env = {
			PATH: fakeClaude(agent),
			HOME: folder.path,
			// As it was given: a shell mends its PWD.
			FAKE_CLAUDE: `cat > /dev/null; tr '\\0' '\\n' < /proc/$$/environ > '${given}'; echo '${ANSWER}'`,
			// Of the shell that it is called from, and of the installed nancy.
			PWD: project,
			NODE_COMPILE_CACHE: folder.file('nancy/runtime/0.1.0-abc/bin/../cache'),
			NANCY_TASK_DIR: join(project, '.nancy/tasks/build'),
			NANCY_TASK: 'build',
			NANCY_WORKER: 'worker',
			NANCY_AGENT: 'claude-code',
			NANCY_AGENT_PROGRAM: '/bin/claude',
			NANCY_ATTENDED: '1',
			CLAUDE_CODE_ENTRYPOINT: 'cli',
		};
		const run = ['run', '--headless', '--prompt', 'x', '--working-dir', 'sub'];
		// Asked by an agent it would not be let into a folder below.
		const asPerson = Object.fromEntries(
			Object.entries(env).filter(([name]) => !['NANCY_TASK_DIR', 'NANCY_WORKER', 'NANCY_AGENT'].includes(name)),
		);
		expect(await nancy.run(run, { cwd: project, env: asPerson })).toMatchObject({ code: 0 });
		const seen = () => readFileSync(given, 'utf8').split('\n');
		expect(readFileSync(join(agent, 'cwd'), 'utf8').trim()).toBe(realpathSync(join(project, 'sub')));
		expect(seen()).toEqual(
			expect.arrayContaining([`PWD=${join(project, 'sub')}`, 'NANCY_HOOKS=off', 'NANCY_ATTENDED=0']),
		);

		expect(await nancy.run(run.slice(0, 4), { cwd: project, env })).toMatchObject({ code: 0 });
		const left = ['TASK_DIR', 'TASK', 'WORKER', 'AGENT', 'AGENT_PROGRAM'].map(name => `NANCY_${name}`);
		const names = seen().map(line => line.split('=')[0]);
		for (const name of [...left, 'NODE_COMPILE_CACHE', 'CLAUDE_CODE_ENTRYPOINT']) expect(names).not.toContain(name);
		expect(seen()).toContain('NANCY_HOOKS=off');
	});
});
