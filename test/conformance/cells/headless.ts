import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { HeadlessEvent } from '../../../src/core/driver/headless.ts';
import { headlessOf } from '../../../src/core/driver/headlessOf.ts';
import { createWorktree, folderInWorktree } from '../../../src/git/worktree.ts';
import { WorktreeName } from '../../../src/protocol/worktree.ts';
import { eventually } from '../../support/eventually.ts';
import { must, partly, WORKS, type Cell, type Verdict } from '../cell.ts';
import { copiesOf } from '../evidence.ts';
import type { HeadlessRun } from '../lab.ts';

export const headless: Cell = {
	id: 'headless',
	title: 'Runs without a terminal: its steps, its answer, what it used',
	needs: ['headless'],
	about: 'headless',
	triedAnyway: false,
	run: async lab => {
		const run = await lab.runHeadless('Work alone. [[sh:echo hello > made]] [[text:All is done.]]');
		await lab.seen('Work alone.');
		const { answer, events } = await answerOf(run);
		must(answer.failure === undefined, `it failed: ${answer.failure?.reason}`);
		must(answer.text.trim() === 'All is done.', `its answer is “${answer.text}”`);
		must(lab.has('made'), 'its tool did not run');
		for (const kind of ['session', 'tool'] as const) must(has(events, kind), `it does not tell its ${kind}`);
		if (answer.costUsd === undefined && (answer.outputTokens ?? 0) > 0)
			return partly('It tells tokens, but no cost.');
		if (answer.costUsd === undefined) return partly('It tells neither tokens nor cost.');
		return WORKS;
	},
};

export const headlessDenied: Cell = {
	id: 'headless-denied',
	title: 'Without a terminal, what its permissions do not allow is denied and told',
	needs: ['headless'],
	triedAnyway: false,
	lab: { asks: true },
	run: async lab => {
		const { permissionModes, beside } = headlessOf(lab.driver);
		const run = await lab.runHeadless('[[esc:touch never]] [[text:I could not.]]', {
			permissions: permissionModes[0]?.id ?? '',
		});
		const { events } = await answerOf(run);
		must(!lab.has('never'), 'the tool ran');
		return deniedVerdict(has(events, 'denied'), beside);
	},
};

/** @param beside what the driver says to hold beside its modes */
export function deniedVerdict(isTold: boolean, beside: string): Verdict {
	if (!isTold) return partly(`It is denied, but the run does not say so. ${beside}`.trim());
	return beside === '' ? WORKS : { is: 'works', because: beside };
}

export const headlessFailure: Cell = {
	id: 'headless-failure',
	title: 'Without a terminal, an error of the model service is reported as an error',
	needs: ['headless'],
	triedAnyway: false,
	run: async lab => {
		const { ending } = await (await lab.runHeadless('[[err:400]]')).ended;
		const reason = ending.is === 'result' ? ending.result.failure?.reason : undefined;
		must(ending.is !== 'result' || reason !== undefined, 'it is told as a success');
		must(ending.is !== 'timeout', 'it never ended');
		return reason?.includes('400') ? WORKS : partly(`The reason it gives is: ${reason ?? JSON.stringify(ending)}`);
	},
};

export const headlessSteer: Cell = {
	id: 'headless-steer',
	title: 'Without a terminal, it takes directives and feedback as it does in one',
	needs: ['headless', 'steer', 'feedback'],
	triedAnyway: true,
	run: async lab => {
		const run = await lab.runHeadless(`${lab.held} [[sh:true]] [[text:Not steered]]`);
		await lab.made('begun');
		const directive = await lab.send(run.address, 'Use the helper. [[sh:true]] [[text:Steered]]');
		const note = await lab.send(run.address, 'One thing more. [[text:Really done]]', { kind: 'feedback' });
		lab.letGo();
		const { answer } = await answerOf(run);
		await lab.seen('Use the helper.');
		const request = await lab.seen('One thing more.');
		must(copiesOf(request, 'Use the helper.') === 1, 'the directive came more than once');
		must(answer.text.includes('Really done'), `its answer is “${answer.text}”`);
		for (const id of [directive, note]) await lab.delivered(run.address, id);
		return WORKS;
	},
};

export const headlessWorktree: Cell = {
	id: 'headless-worktree',
	title: 'Without a terminal, it works in a new worktree too, and takes directives there',
	about: 'worktree',
	needs: ['headless', 'steer', 'worktree'],
	triedAnyway: false,
	run: async lab => {
		const folder = lab.workspace.path;
		for (const args of [
			['init', '--quiet'],
			['commit', '--quiet', '--allow-empty', '--message', 'Begin'],
		])
			execFileSync('git', ['-c', 'user.name=Nancy', '-c', 'user.email=nancy@localhost', ...args], {
				cwd: folder,
			});
		const name = WorktreeName.parse('beside');
		const worktree = await createWorktree({ folder, name, withChanges: false, copyIncludes: false });
		try {
			const cwd = await folderInWorktree(worktree, folder);
			const run = await lab.runHeadless(`${lab.held} [[sh:true]] [[text:Not steered]]`, { cwd });
			await eventually('a tool runs in the worktree', () => existsSync(join(cwd, 'begun')));
			const id = await lab.send(run.address, 'Mind the worktree. [[sh:true]] [[text:Steered]]');
			writeFileSync(join(cwd, 'go'), '');
			const { answer } = await answerOf(run);
			await lab.seen('Mind the worktree.');
			must(answer.text.includes('Steered'), `its answer is “${answer.text}”`);
			await lab.delivered(run.address, id);
			return WORKS;
		} finally {
			await rm(dirname(worktree.folder), { recursive: true, force: true });
		}
	},
};

export async function answerOf(run: HeadlessRun) {
	const { ending, events } = await run.ended;
	must(ending.is === 'result', `it ended without an answer: ${JSON.stringify(ending)}`);
	return { answer: ending.result, events };
}

function has(events: readonly HeadlessEvent[], kind: HeadlessEvent['is']): boolean {
	return events.some(event => event.is === kind);
}
