import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NancyError } from '../../../src/base/errors.ts';
import { identify } from '../../../src/base/liveness.ts';
import { sealStart } from '../../../src/core/sessions/sealedAgents.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { atStart, betweenAnswers } from '../../../src/operations/shared/betweenAnswers.ts';
import type { LiveOverview } from '../../../src/operations/operation.ts';
import { FIRST_WORKER, TaskName } from '../../../src/protocol/names.ts';
import { fakeDriver } from '../../support/fakeDriver.ts';
import { taskRecord } from '../../support/taskRecord.ts';
import { tempFolder } from '../../support/tempFolder.ts';

const task = TaskName.parse('fix');

/** An agent that waits for an answer until the workspace has changed this often. */
function askingFor(changes: number): LiveOverview {
	let left = changes;
	return {
		overview: () => ({
			problems: [],
			tasks: [
				{
					record: taskRecord(task, fakeDriver.id),
					unread: 0,
					workers: [
						{
							record: {
								version: 1,
								task,
								name: FIRST_WORKER,
								agent: fakeDriver.id,
								sessions: [],
								startedAt: new Date().toISOString(),
							},
							state: { phase: left > 0 ? 'waiting' : 'working', source: '', at: '', since: '' },
							queued: 0,
						},
					],
				},
			],
		}),
		changed: () => {
			left--;
			return Promise.resolve();
		},
	};
}

describe('what writes an agent’s settings', () => {
	let folder: ReturnType<typeof tempFolder>;
	let workspace: Workspace;

	beforeEach(() => {
		folder = tempFolder();
		workspace = new Workspace(folder.file('project'), folder.file('data'));
		sealStart(workspace.own.dataFolder, identify(process.pid), {
			folder: workspace.folder,
			address: { task, worker: FIRST_WORKER },
		});
	});
	afterEach(() => folder.remove());

	const write = (isBusy: (agent: typeof fakeDriver.id) => boolean) =>
		isBusy(fakeDriver.id)
			? Promise.reject(new NancyError('busy', 'it waits for an answer'))
			: Promise.resolve('written');

	it('is done once the agent has its answer, and says once that it waits', async () => {
		const notes: string[] = [];
		const context = {
			workspace,
			watch: <T>(work: (live: LiveOverview) => Promise<T>) => work(askingFor(2)),
			note: (text: string) => void notes.push(text),
		};

		expect(await betweenAnswers(context, write)).toBe('written');
		expect(notes).toEqual([expect.stringContaining('waits for an answer')]);
	});

	it('fails at once when what is busy is no agent that waits for an answer', async () => {
		const context = {
			workspace,
			watch: <T>(work: (live: LiveOverview) => Promise<T>) => work(askingFor(0)),
			note: () => undefined,
		};
		const locked = () => Promise.reject(new NancyError('busy', 'another deployment is at it'));

		await expect(betweenAnswers(context, locked)).rejects.toMatchObject({ code: 'busy' });
	});

	it('does not wait for an agent that has no process: a file in .nancy may say that it asks, for good', async () => {
		const notes: string[] = [];
		const context = {
			workspace: new Workspace(folder.file('project'), folder.file('data of another')),
			watch: <T>(work: (live: LiveOverview) => Promise<T>) => work(askingFor(1)),
			note: (text: string) => void notes.push(text),
		};

		expect(await betweenAnswers(context, write)).toBe('written');
		expect(notes).toEqual([]);
	});

	it('at a start looks at agents only if it has something to write', async () => {
		let looks = 0;
		const context = {
			workspace,
			watch: <T>(work: (live: LiveOverview) => Promise<T>) => {
				looks++;
				return work(askingFor(1));
			},
			note: () => undefined,
		};

		expect(await atStart(context, fakeDriver.id, () => Promise.resolve('as it was'))).toBe('as it was');
		const broken = () => Promise.reject(new NancyError('settings-broken', 'no JSON'));
		await expect(atStart(context, fakeDriver.id, broken)).rejects.toMatchObject({ code: 'settings-broken' });
		expect(looks).toBe(0);

		expect(await atStart(context, fakeDriver.id, isBusy => write(isBusy))).toBe('written');
		expect(looks).toBe(1);
	});
});
