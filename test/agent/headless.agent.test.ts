import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import type { HeadlessEvent } from '../../src/core/driver/headless.ts';
import { claudeCode } from '../../src/drivers/claude-code/driver.ts';
import { headlessOf } from '../../src/core/driver/headlessOf.ts';
import { RUN_MARK, markedProcesses } from '../../src/process/marked.ts';
import { runHeadless, type Ending } from '../../src/process/headlessRun.ts';
import { SessionId } from '../../src/protocol/names.ts';
import { claudeExecutable } from '../support/claudeHome.ts';
import { claudeLab, type ClaudeLab } from '../support/claudeLab.ts';
import { long, longIf } from '../support/long.ts';

// Each agent here mostly waits.
vi.setConfig({ maxConcurrency: 2 });

const format = headlessOf(claudeCode);

async function run(
	lab: ClaudeLab,
	prompt: string,
	{ permissions = 'bypassPermissions', wallMs = 60_000, idleMs = 60_000, signal = new AbortController().signal } = {},
): Promise<{ ending: Ending; events: HeadlessEvent[]; left: number }> {
	const events: HeadlessEvent[] = [];
	const session = SessionId.parse(randomUUID());
	const mark = randomUUID();
	const launch = format.launch({
		session,
		resume: undefined,
		model: undefined,
		permissions,
		extra: [],
		prompt,
		version: [2, 1, 329],
		workspaceFolder: lab.workspace.path,
		cwd: lab.workspace.path,
		hooks: undefined,
		env: lab.env,
	});
	const ending = await runHeadless(
		{
			command: claudeExecutable,
			args: launch.args,
			cwd: lab.workspace.path,
			env: { ...lab.env, IS_SANDBOX: '1', ...launch.env },
			stdin: launch.stdin,
			mark,
		},
		format,
		{ wallMs, idleMs },
		{ onStart: () => undefined, onEvent: event => events.push(event), onNoise: () => undefined },
		signal,
	);
	return { ending, events, left: (await markedProcesses(RUN_MARK, mark)).length };
}

describe.concurrent('the real Claude Code without a terminal', () => {
	for (const [status, kind] of [
		[429, 'too-many'],
		[529, 'transient'],
		[400, 'final'],
	] as const)
		it(`calls an API error of ${status} ${kind}`, longIf(status !== 529), async () => {
			await using lab = await claudeLab();
			const { ending } = await run(lab, `[[err:${status}]]`);
			expect(ending).toMatchObject({ is: 'result', result: { failure: { kind } } });
		});

	it('is ended with everything it has started when it takes too long, is silent, or is cancelled', async () => {
		await using lab = await claudeLab();
		const forever = '[[sh:setsid sleep 300 & sleep 300]] [[text:never]]';
		const [wall, idle, cancelled] = await Promise.all([
			run(lab, forever, { wallMs: 6000 }),
			run(lab, forever, { idleMs: 5000 }),
			run(lab, forever, { signal: AbortSignal.timeout(5000) }),
		]);
		expect(wall).toMatchObject({ ending: { is: 'timeout', limit: 'wall' }, left: 0 });
		expect(idle).toMatchObject({ ending: { is: 'timeout', limit: 'idle' }, left: 0 });
		expect(cancelled).toMatchObject({ ending: { is: 'cancelled' }, left: 0 });
	});

	it('reads a prompt of a megabyte', long, async () => {
		await using lab = await claudeLab();
		const { ending } = await run(lab, `${'A long story. '.repeat(75_000)} [[text:Read it.]]`);
		expect(ending).toMatchObject({ is: 'result', result: { text: 'Read it.' } });
	});
});
