import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { configFolder } from '../../../src/base/folders.ts';
import { identify, liveness } from '../../../src/base/liveness.ts';
import { IN_WINDOW } from '../../../src/core/asker/asker.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import * as operations from '../../../src/operations/index.ts';
import { perform } from '../../../src/operations/operation.ts';
import { eventually } from '../../support/eventually.ts';
import { LearningProject, update } from '../../support/learningProject.ts';
import { contextOf } from '../../support/operationContext.ts';
import { called, prompted, usual } from '../../support/taskTraffic.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';
import { fakeClaude } from '../cli/fakeClaude.ts';

let folder: TempFolder;
let project: LearningProject;
beforeEach(async () => {
	folder = tempFolder('nancy-extract-');
	project = new LearningProject(folder, configFolder({ HOME: folder.path }));
	await project.open();
});
afterEach(() => {
	vi.useRealTimers();
	vi.unstubAllEnvs();
	return folder.remove();
});

const answered = (text: string) => {
	const answer = { summary: 'Found out.', plan: null, updates: [update({ text })] };
	return JSON.stringify({ type: 'result', subtype: 'success', is_error: false, structured_output: answer });
};

/** Asks for the notes of the task. @param does what the CLI does then, in sh */
async function extract(does: string, more: { signal?: AbortSignal; again?: boolean } = {}) {
	vi.stubEnv('FAKE_CLAUDE', `cat > /dev/null; ${does}`);
	const { signal = new AbortController().signal, again = false } = more;
	const context = contextOf(folder, new Workspace(project.place.folder, folder.file('data')), {
		env: { HOME: folder.path, PATH: fakeClaude(folder.file('bin')) },
	});
	const input = { project: project.name, task: 1, again };
	return perform(await operations.extractNotes(), IN_WINDOW, input, { ...context, signal });
}
const state = async () => (await project.memory.state(project.name)).tasks[0]?.extraction;

/** The CLI, which does not end when it is asked, and a program that it has started. */
const hanging = () =>
	`trap '' TERM; sleep 1000 & echo "$$ $!" > '${folder.file('half')}'; mv '${folder.file('half')}' '${folder.file('running')}'; wait; sleep 1000`;
const running = () =>
	eventually(
		'the CLI runs',
		() => existsSync(folder.file('running')) && readFileSync(folder.file('running'), 'utf8'),
	);

describe('a call for notes', () => {
	it('that hangs is ended with all that it started; the task stays, and is asked about again', async () => {
		const task = await project.task(usual());
		// What is left of the limit is skipped once the CLI runs.
		vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
		const extracting = extract(hanging());
		const started = (await running()).trim().split(' ').map(Number).map(identify);
		expect(await state()).toMatchObject({ state: 'running' });
		vi.advanceTimersByTime(120_000);
		expect(await extracting).toMatchObject({ task: 1, state: 'failed', cause: 'timeout' });
		vi.useRealTimers();
		await eventually('all have ended', () => started.every(each => liveness(each) === 'dead'));
		expect(await state()).toMatchObject({ state: 'failed', tries: 1, cause: 'timeout' });
		const [saved] = (await project.memory.state(project.name)).tasks;
		expect(saved).toMatchObject({ prompt: task.prompt, output: task.output, endedAt: task.endedAt });
		expect(project.read('tasks', '001.digest.md')).toContain('DB_URL');
		expect(await extract(`echo '${answered('The pool needs DB_URL.')}'`)).toMatchObject({
			state: 'merged',
			added: { failures: 1 },
		});
	});

	it('that is broken off is ended, and is as if nobody had asked', async () => {
		await project.task(usual());
		const ends = new AbortController();
		const extracting = extract(hanging(), { signal: ends.signal });
		const started = (await running()).trim().split(' ').map(Number).map(identify);
		ends.abort();
		expect(await extracting).toMatchObject({ state: 'failed', cause: 'cancelled' });
		await eventually('all have ended', () => started.every(each => liveness(each) === 'dead'));
		expect(await state()).toMatchObject({ state: 'due', tries: 0 });
	});

	it('is answered behind a line of 5 MB, and by letters that come in two parts', async () => {
		await project.task(usual());
		const answer = Buffer.from(`${answered('Der Pool öffnet nichts ohne DB_URL 🔌.')}\n`);
		writeFileSync(folder.file('answer'), answer);
		const parts = [answer.indexOf('ö') + 1, answer.indexOf('🔌') + 2].map(String);
		const [first = '', second = ''] = parts;
		const file = `'${folder.file('answer')}'`;
		const does = [
			`head -c 5000000 /dev/zero | tr '\\0' x; echo`,
			`head -c ${first} ${file}; sleep 0.1`,
			`head -c ${second} ${file} | tail -c +${Number(first) + 1}; sleep 0.1`,
			`tail -c +${Number(second) + 1} ${file}`,
		];
		expect(await extract(does.join('; '))).toMatchObject({ state: 'merged', added: { failures: 1 } });
		expect(project.read('notes', 'failures.md')).toContain('- Der Pool öffnet nichts ohne DB_URL 🔌. <!--');
	});

	it('that complains in one line of 5 MB keeps the end of it', async () => {
		await project.task(usual());
		const { why } = await extract(`(head -c 5000000 /dev/zero | tr '\\0' x; echo ' the end') >&2; exit 1`);
		expect(why).toMatch(/^it ended with code 1 and no answer: x+ the end$/);
		expect(why?.length).toBeLessThan(5000);
	});
});

it('a task with an output of one line of 5 MB has a small digest, and no file of it is large', async () => {
	const line = 'ö🔌'.repeat(1_250_000);
	await project.task([
		prompted(`See ${line}`),
		...called('Bash', { command: 'npm test' }, `${line}\nthe pool needs DB_URL to be set`, 'tool-failed'),
		...called('Bash', { command: 'ls' }, line),
	]);
	const files = project.everything();
	expect(files['001.digest.md']).toContain('the pool needs DB_URL to be set');
	for (const text of Object.values(files)) expect(Buffer.byteLength(text)).toBeLessThan(100_000);
});
