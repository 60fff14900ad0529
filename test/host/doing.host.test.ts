import assert from 'node:assert/strict';
import type { WorkerState, WorkerView } from '../../src/core/live/overview.ts';
import type { TrafficNode } from '../../src/core/traffic/node.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { DriverId, SessionId } from '../../src/protocol/names.ts';
import { needsOf } from '../../src/ui/needs/needs.ts';
import { needSentence } from '../../src/ui/needs/needWords.ts';
import { SeenStops } from '../../src/ui/needs/seenStops.ts';
import { NodeItem, NoteItem, SessionItem, TurnItem } from '../../src/ui/traffic/trafficItems.ts';
import { openEvent } from '../../src/ui/traffic/trafficCommands.ts';
import { nodeHover, nodeRow, noteRow } from '../../src/ui/traffic/trafficRows.ts';
import { saidWords, stateLine } from '../../src/ui/words.ts';
import { mementoOf } from '../support/memento.ts';
import { taskView } from '../support/taskViews.ts';
import { unusedFolder } from '../support/unusedFolder.ts';

const HERE = '/project';
const task = taskView('fix', { workers: ['waiting'] });
const [first] = task.workers;
const worktree = { repository: HERE, folder: '/wt', branch: 'b', base: '0' };

function worker(state: Partial<WorkerState>, more: Partial<WorkerView> = {}): WorkerView {
	return { ...first!, state: { ...first!.state, ...state }, ...more };
}

const folderOf = (view: WorkerView) =>
	Object.assign(unusedFolder(new Workspace(HERE)), {
		overview: () => ({ tasks: [{ ...task, workers: [view] }], problems: [] }),
		messages: () => ({ messages: [], problems: [] }),
	});

function asked(view: WorkerView): string | undefined {
	const [need] = needsOf({ list: () => [folderOf(view)] }, new SeenStops(mementoOf(), () => 0));
	return need && needSentence(need);
}

describe('what an agent does', () => {
	it('names a file from the folder of its agent, and from outside by its whole path', () => {
		const writes = (summary: string, more?: Partial<WorkerView>) =>
			asked(worker({ tool: 'Write', summary, isOnFile: true }, more));
		assert.equal(writes('/project/src/a.ts'), 'fix waits for your permission: Write src/a.ts');
		assert.equal(writes('/wt/src/a.ts', { worktree }), 'fix waits for your permission: Write src/a.ts');
		assert.equal(
			writes('/project/src/a.ts', { worktree }),
			'fix waits for your permission: Write /project/src/a.ts',
		);
		assert.equal(writes('/etc/passwd'), 'fix waits for your permission: Write /etc/passwd');
		const line = stateLine(
			worker({ phase: 'working', tool: 'Edit', summary: '/project/b.ts', isOnFile: true }),
			HERE,
		);
		assert.match(line, /Edit b\.ts/);
	});

	it('leaves a command as it is, also one that is nothing but a path', () => {
		const runs = asked(worker({ tool: 'Bash', summary: '/project/run.sh' }));
		assert.equal(runs, 'fix waits for your permission: Bash /project/run.sh');
	});

	it('quotes what the agent says of itself, as its own words', () => {
		const says = (text: string, word?: 'blocked' | 'done') =>
			saidWords(worker({}, { said: { text, ...(word && { word }), at: '2026-11-23T12:00:00.000Z' } }));
		assert.equal(says('Reads the tests.'), 'says: “Reads the tests.”');
		assert.equal(says('No key.\nallow', 'blocked'), 'says it is blocked: “No key.”');
		assert.equal(saidWords(worker({})), undefined);
	});

	const view = worker({}, { worktree });
	const session = SessionId.parse('s1');
	const at = '2026-11-23T12:00:00.000Z';
	const driver = DriverId.parse('fake');
	const node = (tool: string, summary: string, isOnFile?: true): TrafficNode => ({
		id: 'r1',
		at,
		event: { driver, session, kind: 'tool-start', event: 'Pre', tool, summary },
		tool,
		...(isOnFile && { isOnFile }),
		outcome: 'ok',
		deliveries: [],
		troubles: [],
	});
	const itemOf = (of: TrafficNode, folder = folderOf(view)) => {
		const address = { task: view.record.task, worker: view.record.name };
		const traffic = { session, address, startedAt: at, lastAt: at, turns: [] };
		const turn = { id: 't1', at, nodes: [of] };
		return new NodeItem(
			new TurnItem(new SessionItem(folder, traffic, [], true, false), turn, turn, undefined, true),
			of,
		);
	};

	it('is the same in the traffic, whose hover has the whole path', () => {
		const row = (of: TrafficNode) => nodeRow(itemOf(of)).description;
		assert.equal(row(node('Write', '/wt/src/a.ts', true)), 'src/a.ts');
		assert.equal(row(node('Bash', '/wt/run.sh')), '/wt/run.sh');
		assert.match(nodeHover(node('Write', '/wt/src/a.ts', true)).value, /\/wt\/src\/a\\\.ts/);
	});

	it('opens from the row of a note too, as the event is by then', async () => {
		const trouble = { nancy: 'trouble', at, driver, event: 'Pre', reason: 'No room.' } as const;
		const opened: string[] = [];
		const eventDetail = () => Promise.resolve({ input: undefined, output: undefined });
		const folder = Object.assign(folderOf(view), { eventDetail });
		const item = new NoteItem(itemOf(node('Bash', 'npm test'), folder), trouble, 0);
		const [argument] = noteRow(item).command?.arguments ?? [];
		// The tree keeps the row's own element up to date, and no other.
		assert.equal(argument, item);
		const documents = { openReport: (name: string) => Promise.resolve(void opened.push(name)) };
		await openEvent({ documents, agentName: () => 'Fake' }, argument);
		assert.deepEqual(opened, ['tool Bash']);
	});
});
