import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Driver } from '../../../../src/core/driver/driver.ts';
import type { Slot } from '../../../../src/core/driver/slot.ts';
import { readPhase } from '../../../../src/core/sessions/phase.ts';
import type { BoundSession } from '../../../../src/core/sessions/sessions.ts';
import { Turn, type TurnPlace } from '../../../../src/core/sessions/turn.ts';
import { Workspace } from '../../../../src/core/workspace/workspace.ts';
import { FIRST_WORKER, SessionId, TaskName } from '../../../../src/protocol/names.ts';
import type { WorkerRecord } from '../../../../src/protocol/records.ts';
import type { AgentEvent, DeliveryNote } from '../../../../src/protocol/traffic.ts';
import { fakeDriver } from '../../../support/fakeDriver.ts';

import { BY_USER, messageContent } from '../../../support/messageContent.ts';
import { taskRecord } from '../../../support/taskRecord.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';

const address = { task: TaskName.parse('fix'), worker: FIRST_WORKER };
const session = SessionId.parse('s1');
const record: WorkerRecord = {
	version: 1,
	task: address.task,
	name: address.worker,
	agent: fakeDriver.id,
	agentVersion: '1.0.0',
	sessions: [{ id: session, startedAt: new Date().toISOString() }],
	startedAt: new Date().toISOString(),
};
const bound = { address, record, watched: false, isNewProcess: false };

/** Its answer is the text alone, as a program would give it that speaks with the agent without hooks. */
const driver: Driver = {
	...fakeDriver,
	hooks: { ...fakeDriver.hooks, answer: (_, { text }) => ({ exitCode: 0, stdout: text, stderr: '', rung: 'hook' }) },
};

let folder: TempFolder;
let workspace: Workspace;
beforeEach(async () => {
	folder = tempFolder();
	workspace = new Workspace(folder.file('project'), folder.file('data'));
	await workspace.createTask(taskRecord(address.task, driver.id));
	await workspace.saveWorker(record);
	await workspace.send(address, messageContent('Use the other table.'), BY_USER);
});
afterEach(() => folder.remove());

/** The turn of a prompt. */
function prompt(more?: Partial<TurnPlace>) {
	return turn({ driver: driver.id, session, kind: 'prompt', event: 'Prompt' }, 'turn', more);
}

/** An event's turn, in this process. */
async function turn(event: AgentEvent, slot: Slot, more: Partial<TurnPlace> = {}, of: BoundSession = bound) {
	const printed: string[] = [];
	const notes: DeliveryNote[] = [];
	const place: TurnPlace = {
		workspace,
		driver,
		canFile: false,
		print: async text => {
			printed.push(text);
			return true;
		},
		mayHandOver: () => Promise.resolve(true),
		notes: () => Promise.resolve(undefined),
		ringLater: () => Promise.resolve(),
		note: content => void notes.push(content),
		...more,
	};
	await new Turn(place, event, slot, of).run();
	return { printed, notes, states: (await workspace.mailbox(address).list()).messages.map(({ state }) => state) };
}

describe('a turn', () => {
	it('hands over what is due to any program that has a way to the agent', async () => {
		const { printed, notes, states } = await prompt();

		expect(printed).toEqual([expect.stringContaining('Use the other table.')]);
		expect(notes).toMatchObject([{ nancy: 'delivery', session, event: 'Prompt' }]);
		expect(states).toEqual(['delivered']);
	});

	it.each([
		{ when: 'nobody took the text', more: { print: () => Promise.resolve(false) } },
		{ when: 'nothing may reach the agent', more: { mayHandOver: () => Promise.resolve(false) } },
	])('keeps the message queued if $when', async ({ more }) => {
		const { notes, states } = await prompt(more);

		expect(notes).toEqual([]);
		expect(states).toEqual(['queued']);
	});

	it.each([
		{ reportsStart: 'at-first-prompt', isNewProcess: false, of: 'long ago', phase: 'busy' },
		{ reportsStart: 'at-first-prompt', isNewProcess: true, of: 'this moment', phase: 'busy' },
		{ reportsStart: 'at-first-prompt', isNewProcess: true, of: 'long ago', phase: 'idle' },
		{ reportsStart: 'at-launch', isNewProcess: false, of: 'this moment', phase: 'idle' },
	] as const)(
		'is $phase once the start, reported $reportsStart, comes after the prompt of $of (a new process: $isNewProcess)',
		async ({ reportsStart, isNewProcess, of, phase }) => {
			const starting = { ...driver, hooks: { ...driver.hooks, reportsStart } };
			await prompt({ driver: starting });
			if (of === 'long ago') utimesSync(join(workspace.paths.phases, session), 0, 0);
			const start = { driver: driver.id, session, kind: 'session-start', event: 'Start' } as const;
			await turn(start, 'never', { driver: starting }, { ...bound, isNewProcess });

			expect((await readPhase(workspace.paths, session)).phase).toBe(phase);
		},
	);
});
