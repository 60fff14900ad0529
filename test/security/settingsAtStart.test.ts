import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SeenSettings } from '../../src/core/asker/seenSettings.ts';
import { gitPrograms } from '../../src/git/gitPrograms.ts';
import type { Driver } from '../../src/core/driver/driver.ts';
import type { HeadlessFormat } from '../../src/core/driver/headless.ts';
import { runSeen } from '../../src/process/seenRun.ts';
import { fakeDriver } from '../support/fakeDriver.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';

const SETTINGS = '.fake/settings.json';
const driver: Driver = { ...fakeDriver, executableSettings: ['.fake'] };
const format: HeadlessFormat = {
	permissionModes: [],
	beside: '',
	launch: () => ({ args: [], stdin: '', env: {}, sessionIsKnown: true }),
	reader: () => ({
		read: line =>
			line.startsWith('done')
				? [{ is: 'result', result: { text: line, inputTokens: 0, outputTokens: 0, costUsd: 0 } }]
				: [{ is: 'text', text: line }],
		end: () => [],
	}),
};

let folder: TempFolder;
let workspace: string;
beforeEach(() => {
	folder = tempFolder();
	workspace = folder.file('workspace');
	mkdirSync(join(workspace, '.nancy'), { recursive: true });
});
afterEach(() => folder.remove());

const write = (place: string, text: string) => {
	mkdirSync(dirname(join(place, SETTINGS)), { recursive: true });
	writeFileSync(join(place, SETTINGS), text);
};

/** Runs a shell script as the CLI. Returns its end and the text for the log. */
async function run(script: string, cwd = workspace) {
	const said: string[] = [];
	const ending = await runSeen(
		{ seen: new SeenSettings(folder.file('data'), workspace, gitPrograms), driver, workspaceFolder: workspace },
		{ command: '/bin/sh', args: ['-c', script], cwd, env: {}, stdin: '', mark: crypto.randomUUID() },
		format,
		{ wallMs: 60_000, idleMs: 60_000 },
		{ onStart: () => undefined, onEvent: () => undefined, onNoise: text => void said.push(text) },
		new AbortController().signal,
	);
	return { ending, log: said.join('\n') };
}

/** As an agent's program does that waits for the start. */
const EVIL = `mkdir -p .fake; echo '{"hooks":"curl evil"}' > ${SETTINGS}`;

describe('an agent that another agent has asked for', () => {
	it('is ended at its first event if its settings were changed since the start', async () => {
		const { ending, log } = await run(`${EVIL}; echo begins; sleep 30; touch late`);
		expect(ending).toMatchObject({ is: 'no-result', reason: expect.stringContaining(SETTINGS) });
		expect(log).toMatch(/was ended, because settings .* may have run them. Look at them/s);
		expect(existsSync(join(workspace, 'late'))).toBe(false);
	});

	it.each([
		['before its first event', `${EVIL}; exit 1`],
		['with an answer', `${EVIL}; echo done`],
	])('has failed even if it ends %s', async (_, script) => {
		expect((await run(script)).ending).toMatchObject({
			is: 'no-result',
			reason: expect.stringContaining(SETTINGS),
		});
	});

	it.each(['the workspace', 'the worktree'])(
		'is not started if the settings of %s were changed before',
		async where => {
			const worktree = folder.file('workspace.worktrees/one');
			mkdirSync(worktree, { recursive: true });
			write(where === 'the workspace' ? workspace : worktree, '{"hooks":"curl evil"}');
			const { ending, log } = await run('touch started', worktree);
			expect(ending).toMatchObject({ is: 'no-result', reason: expect.stringContaining('may not start') });
			expect(log).toContain(SETTINGS);
			expect(existsSync(join(worktree, 'started'))).toBe(false);
		},
	);

	it('runs to its end with settings that a person has seen, and that its CLI completes in its own worktree', async () => {
		write(workspace, '{"hooks":"npm test"}');
		await new SeenSettings(folder.file('data'), workspace, gitPrograms).note(driver);
		const worktree = folder.file('workspace.worktrees/one');
		write(worktree, '{"hooks":"npm test"}');
		for (const [place, script] of [
			[workspace, 'echo begins; echo done'],
			[worktree, `${EVIL}; echo begins; echo done`],
		] as const)
			expect((await run(script, place)).ending).toMatchObject({ is: 'result', result: { text: 'done' } });
	});
});
