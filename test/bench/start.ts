import { join } from 'node:path';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { DriverId, TaskName, WorkerName } from '../../src/protocol/names.ts';
import { BY_USER, messageContent } from '../support/messageContent.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { timeInShell } from './shellLoop.ts';
import { milliseconds, type Row } from './table.ts';
import { taskRecord } from '../support/taskRecord.ts';

const CLI = join(import.meta.dirname, '../../dist/nancy.js');
const MESSAGES = 100;

/** What `nancy` costs beyond starting Node. */
export async function benchStart(): Promise<Row[]> {
	await using folder = tempFolder();
	const workspace = new Workspace(folder.path);
	const address = { task: TaskName.parse('bench'), worker: WorkerName.parse('worker') };
	const agent = DriverId.parse('claude-code');
	const createdAt = new Date().toISOString();
	await workspace.createTask(taskRecord(address.task, agent));
	await workspace.createWorker({
		version: 1,
		task: address.task,
		name: address.worker,
		agent,
		sessions: [],
		startedAt: createdAt,
	});
	for (let number = 0; number < MESSAGES; number++) {
		await workspace.send(address, messageContent(`Directive ${number}`), BY_USER);
	}
	const node = `'${process.execPath}'`;
	const nancy = `cd '${folder.path}'; ${node} '${CLI}'`;
	const times = await timeInShell(
		'/dev/null',
		[
			{ name: 'node', command: `${node} -e 0`, runs: 1 },
			{ name: 'version', command: `${nancy} --version`, runs: 1 },
			{ name: 'inbox', command: `${nancy} inbox bench`, runs: 1 },
		],
		9,
	);
	const [bare = 0, version = 0, inbox = 0] = ['node', 'version', 'inbox'].map(name => times.get(name) ?? 0);
	const row = (what: string, time: number): Row => ({
		what,
		value: milliseconds(time),
		against: `node -e 0 ${milliseconds(bare)}`,
		ratio: time / bare,
		goal: 'none set',
	});
	return [row('nancy --version', version), row(`nancy inbox, ${MESSAGES} messages`, inbox)];
}
