import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownIdentity } from '../../src/base/liveness.ts';
import { installRuntime, sourcesIn } from '../../src/core/deployment/runtime.ts';
import { notesToTell } from '../../src/core/memory/telling.ts';
import { COMPILED, ToldMarks } from '../../src/core/memory/toldMarks.ts';
import { prepareAnswer } from '../../src/core/sessions/prepareAnswer.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { claudeCode } from '../../src/drivers/claude-code/driver.ts';
import { DriverId, SessionId, TaskName, WorkerName } from '../../src/protocol/names.ts';
import { timeInShell } from './shellLoop.ts';
import { median, milliseconds, type Row } from './table.ts';
import { addBoundWorker } from '../support/boundWorker.ts';
import { BY_USER, messageContent } from '../support/messageContent.ts';
import { ToldProject } from '../support/toldProject.ts';
import { taskRecord } from '../support/taskRecord.ts';

const root = join(import.meta.dirname, '../..');
const address = { task: TaskName.parse('bench'), worker: WorkerName.parse('worker') };
const SESSION = SessionId.parse('f07940e9-d396-408b-b505-39f8006bc978');

/** A hook that does the naive job: look for a message with find and grep, answer with jq. */
const NAIVE = `#!/bin/bash
input=$(cat)
session=$(printf '%s' "$input" | jq -r .session_id)
event=$(printf '%s' "$input" | jq -r .hook_event_name)
box="$1/tasks/bench/comms/worker/inbox"
printf '%s\\n' "$input" >>"$1/naive.log"
for file in $(find "$box" -name '*.md' | sort); do
	if grep -q 'Priority:.*urgent' "$file"; then echo "$file"; fi
done
[ -n "$session$event" ] || exit 0
`;

/** What the hook costs at every event when there is nothing to deliver, and what delivering costs. */
export async function benchGuard(): Promise<Row[]> {
	const folder = mkdtempSync(join(tmpdir(), 'nancy-bench-'));
	const rows: Row[] = [];
	try {
		const node = { executable: process.execPath, isElectron: false };
		const data = join(folder, 'data', 'nancy');
		const { launcher } = await installRuntime(sourcesIn(root, 'package'), '0.0.0', data, node);
		const workspace = new Workspace(folder, data);
		await workspace.prepare();
		const agent = DriverId.parse('claude-code');
		await workspace.createTask(taskRecord(address.task, agent));
		await addBoundWorker(workspace, address, { agent, session: SESSION });
		await workspace.updateWorker(
			address,
			record =>
				record && {
					...record,
					process: ownIdentity(),
					sessions: record.sessions.map(each => ({ ...each, transcript: '/home/user/t.jsonl' })),
				},
		);
		const naive = join(folder, 'naive.sh');
		writeFileSync(naive, NAIVE, { mode: 0o755 });
		const emptySpool = () => {
			for (const name of readdirSync(workspace.paths.spool))
				rmSync(join(workspace.paths.spool, name), { recursive: true });
		};
		const env = `NANCY_HOOK_SESSION=${SESSION} NANCY_HOOK_PID=${process.pid} NANCY_HOOK_PROJECT='${folder}'`;
		for (const size of [1, 60]) {
			const event = join(folder, `event-${size}.json`);
			writeFileSync(event, afterBatch(size * 1024));
			const times = await timeInShell(event, [
				{ name: 'sh', command: 'sh -c :' },
				{
					name: 'guard',
					command: `${env} '${launcher}' claude-code PostToolBatch boundary '${folder}'`,
					before: emptySpool,
				},
				{ name: 'naive', command: `'${naive}' '${workspace.paths.root}'`, runs: 8 },
			]);
			const [sh = 0, guard = 0, naiveTime = 0] = ['sh', 'guard', 'naive'].map(name => times.get(name) ?? 0);
			rows.push(
				{
					what: `hook guard, nothing due, ${size} KB event`,
					value: milliseconds(guard),
					against: `sh -c : ${milliseconds(sh)}`,
					ratio: guard / sh,
					goal: '<= 2.0x',
					met: guard / sh <= 2,
				},
				{
					what: `bash + find + grep + jq hook, ${size} KB event`,
					value: milliseconds(naiveTime),
					against: `hook guard ${milliseconds(guard)}`,
					ratio: naiveTime / guard,
					goal: '>= 15x',
					met: naiveTime / guard >= 15,
				},
			);
		}
		const delivery = {
			workspace,
			event: join(folder, 'event-1.json'),
			made: join(folder, 'made'),
			command: `${env} '${launcher}' claude-code PostToolBatch boundary '${folder}'`,
			emptySpool,
		};
		rows.push(
			await benchDelivery(delivery, 1, 'prepared'),
			await benchDelivery(delivery, 1),
			await benchDelivery(delivery, 50),
			await benchNotes(delivery, join(folder, 'config')),
		);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
	return rows;
}

interface Delivery {
	workspace: Workspace;
	/** The file of the event. */
	event: string;
	/** A folder that does not exist. */
	made: string;
	command: string;
	emptySpool: () => void;
}

/** @param prepared as Nancy does it when it sends: the guard hands the message over itself */
async function benchDelivery(
	{ workspace, event, made, command, emptySpool }: Delivery,
	count: number,
	prepared?: 'prepared',
): Promise<Row> {
	const mailbox = workspace.paths.mailbox(address.task, address.worker);
	const making: number[] = [];
	const queue = async () => {
		emptySpool();
		making.push(timeToMake(count, made));
		rmSync(mailbox, { recursive: true, force: true });
		const record = await workspace.worker(address);
		for (let n = 0; n < count; n++) {
			const id = await workspace.send(address, messageContent(`Directive ${n}: use plan B.`), BY_USER);
			if (prepared && record) await prepareAnswer(workspace, claudeCode, record, id, undefined);
		}
	};
	const times = await timeInShell(
		event,
		[
			{ name: 'node', command: `'${process.execPath}' -e 0`, runs: 1 },
			{ name: 'deliver', command, runs: 1, before: queue },
		],
		25,
	);
	const [node = 0, deliver = 0] = ['node', 'deliver'].map(name => times.get(name) ?? 0);
	const left = readdirSync(join(mailbox, 'inbox')).filter(name => name.endsWith('.md'));
	if (left.length > 0)
		throw new Error(`${left.length} of ${count} messages were not delivered: the figure would be worthless`);
	const isMet = prepared ? deliver <= node / 2 : deliver <= 60;
	return {
		what: `deliver ${count} ${prepared ? 'prepared ' : ''}message${count === 1 ? '' : 's'} by hook`,
		value: milliseconds(deliver),
		against: `node -e 0 ${milliseconds(node)}; so many files made ${milliseconds(median(making))}`,
		ratio: deliver / node,
		goal: prepared ? '<= 0.5x' : '<= 60 ms',
		met: isMet,
	};
}

/** What the notes of a project cost at a prompt, beside a message that is delivered there. */
async function benchNotes({ workspace, event, command, emptySpool }: Delivery, config: string): Promise<Row> {
	const atPrompt = `${event}-prompt`;
	const { tool_calls: _calls, ...payload } = JSON.parse(afterBatch(1024)) as Record<string, unknown>;
	writeFileSync(atPrompt, JSON.stringify({ ...payload, hook_event_name: 'UserPromptSubmit', prompt: 'Go on' }));
	const prompt = command.replace('PostToolBatch boundary', 'UserPromptSubmit turn');
	const notes = Array.from(
		{ length: 30 },
		(_, at) => `Note ${at}: the step needs the step before it, in each package.`,
	);
	await new ToldProject(workspace, config).note(notes);
	const marks = new ToldMarks(workspace.own.dataFolder);
	const mailbox = workspace.paths.mailbox(address.task, address.worker);
	const compiled = workspace.own.path(COMPILED);
	const queue = async () => {
		emptySpool();
		rmSync(mailbox, { recursive: true, force: true });
		await workspace.send(address, messageContent('Use plan B.'), BY_USER);
	};
	const times = await timeInShell(
		atPrompt,
		[
			{
				name: 'message',
				command: prompt,
				runs: 1,
				before: async () => {
					await queue();
					// It has been told.
					marks.forgetTold(SESSION, compiled);
					notesToTell(workspace, SESSION, undefined)?.wereTold();
				},
			},
			{
				name: 'both',
				command: prompt,
				runs: 1,
				before: async () => {
					await queue();
					marks.forgetTold(SESSION, compiled);
				},
			},
		],
		25,
	);
	const [message = 0, both = 0] = ['message', 'both'].map(name => times.get(name) ?? 0);
	if (marks.read(SESSION)?.told === '') throw new Error('no notes were told: the figure would be worthless');
	return {
		what: 'a message and the notes of a project at a prompt',
		value: milliseconds(both),
		against: `the message alone ${milliseconds(message)}`,
		ratio: both / message,
		goal: '<= 1.2x',
		met: both / message <= 1.2,
	};
}

/**
 * What this disk takes for the receipts alone, in milliseconds: each is a file, renamed. Where files are removed all the time, as in
 * some folders for temporary ones, making one takes ten times as long as elsewhere on the same disk.
 */
function timeToMake(count: number, folder: string): number {
	mkdirSync(folder);
	const start = performance.now();
	for (let n = 0; n < count; n++) {
		const file = join(folder, `${n}`);
		writeFileSync(`${file}.tmp`, 'x'.repeat(300));
		renameSync(`${file}.tmp`, file);
	}
	const took = performance.now() - start;
	rmSync(folder, { recursive: true });
	return took;
}

function afterBatch(bytes: number): string {
	const event = {
		session_id: SESSION,
		transcript_path: '/home/user/t.jsonl',
		cwd: '/home/user',
		permission_mode: 'default',
		hook_event_name: 'PostToolBatch',
		tool_calls: [],
		tool_name: 'Bash',
		tool_input: { command: '' },
		tool_use_id: 'toolu_286',
	};
	event.tool_input.command = 'x'.repeat(Math.max(0, bytes - JSON.stringify(event).length));
	return JSON.stringify(event);
}
