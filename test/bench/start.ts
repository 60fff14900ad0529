import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { installRuntime, sourcesIn } from '../../src/core/deployment/runtime.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { DriverId, TaskName, WorkerName } from '../../src/protocol/names.ts';
import { BY_USER, messageContent } from '../support/messageContent.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { timeInShell } from './shellLoop.ts';
import { milliseconds, type Row } from './table.ts';
import { taskRecord } from '../support/taskRecord.ts';

const root = join(import.meta.dirname, '../..');
const CLI = join(root, 'dist/nancy.js');
const MESSAGES = 100;

/** What a client of the Model Context Protocol says first. */
const INITIALIZE = {
	jsonrpc: '2.0',
	id: 1,
	method: 'initialize',
	params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
};

/** What `nancy` costs beyond starting Node. */
export async function benchStart(): Promise<Row[]> {
	return [...(await commands()), await mcpServer()];
}

async function commands(): Promise<Row[]> {
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

/** As an agent's CLI starts it: by the command of an installed runtime, with its compile cache. */
async function mcpServer(): Promise<Row> {
	await using folder = tempFolder();
	const node = { executable: process.execPath, isElectron: false };
	const { launcher } = await installRuntime(sourcesIn(root, 'package'), '0.0.0', folder.file('data', 'nancy'), node);
	const said = folder.file('initialize');
	writeFileSync(said, `${JSON.stringify(INITIALIZE)}\n`);
	const times = await timeInShell(
		said,
		[
			{ name: 'node', command: `'${process.execPath}' -e 0`, runs: 1 },
			{ name: 'mcp', command: `'${join(dirname(launcher), 'bin', 'nancy')}' mcp`, runs: 1 },
		],
		15,
	);
	const [bare = 0, mcp = 0] = ['node', 'mcp'].map(name => times.get(name) ?? 0);
	return {
		what: 'nancy mcp: start, one answer and end',
		value: milliseconds(mcp),
		against: `node -e 0 ${milliseconds(bare)}`,
		ratio: mcp / bare,
		goal: '<= 2.0x',
		met: mcp / bare <= 2,
	};
}
