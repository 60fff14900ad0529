import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installRuntime, sourcesIn } from '../../src/core/deployment/runtime.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { DriverId, SessionId, TaskName, WorkerName } from '../../src/protocol/names.ts';
import { timeInShell } from './shellLoop.ts';
import { median, milliseconds, type Row } from './table.ts';
import { addBoundWorker } from '../support/boundWorker.ts';
import { BY_USER, messageContent } from '../support/messageContent.ts';
import { taskRecord } from '../support/taskRecord.ts';

const root = join(import.meta.dirname, '../..');
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
		const address = { task: TaskName.parse('bench'), worker: WorkerName.parse('worker') };
		await workspace.prepare();
		const agent = DriverId.parse('claude-code');
		await workspace.createTask(taskRecord(address.task, agent));
		await addBoundWorker(workspace, address, { agent, session: SESSION });
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
					goal: '<= 2.5x',
					met: guard / sh <= 2.5,
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
		const event = join(folder, 'event-1.json');
		for (const count of [1, 50]) {
			const making: number[] = [];
			const queue = async () => {
				emptySpool();
				making.push(timeToMake(count, join(folder, 'made')));
				rmSync(workspace.paths.mailbox(address.task, address.worker), { recursive: true, force: true });
				for (let n = 0; n < count; n++)
					await workspace.send(address, messageContent(`Directive ${n}: use plan B.`), BY_USER);
			};
			const times = await timeInShell(
				event,
				[
					{ name: 'node', command: `'${process.execPath}' -e 0`, runs: 1 },
					{
						name: 'deliver',
						command: `${env} '${launcher}' claude-code PostToolBatch boundary '${folder}'`,
						runs: 1,
						before: queue,
					},
				],
				25,
			);
			const [node = 0, deliver = 0] = ['node', 'deliver'].map(name => times.get(name) ?? 0);
			const left = readdirSync(join(workspace.paths.mailbox(address.task, address.worker), 'inbox')).filter(
				name => name.endsWith('.md'),
			);
			if (left.length > 0)
				throw new Error(
					`${left.length} of ${count} messages were not delivered: the figure would be worthless`,
				);
			rows.push({
				what: `deliver ${count} message${count === 1 ? '' : 's'} by hook`,
				value: milliseconds(deliver),
				against: `node -e 0 ${milliseconds(node)}; so many files made ${milliseconds(median(making))}`,
				ratio: deliver / node,
				goal: '<= 60 ms',
				met: deliver <= 60,
			});
		}
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
	return rows;
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
