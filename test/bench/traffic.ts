import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkspaceModel } from '../../src/core/live/model.ts';
import { Collector } from '../../src/core/live/collector.ts';
import { redactText } from '../../src/core/traffic/redact.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { SessionId, TaskName, WorkerName } from '../../src/protocol/names.ts';
import { addBoundWorker } from '../support/boundWorker.ts';
import { fakeDriver } from '../support/fakeDriver.ts';
import { beginnings } from '../support/secretBeginnings.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { collectedIn } from './collected.ts';
import { median, milliseconds, quantile, type Row } from './table.ts';
import { taskRecord } from '../support/taskRecord.ts';

const SESSIONS = 100;
const EVENTS = 1000;

/** Everything that hooks spool arrives once, and reaches those who show it soon. */
export async function benchTraffic(): Promise<Row[]> {
	return [await collecting(), await showing(), redacting(), redactingTheSlowest()];
}

async function collecting(): Promise<Row> {
	await using folder = tempFolder();
	const workspace = new Workspace(folder.path);
	await workspace.prepare();
	for (let number = 0; number < EVENTS; number++) {
		const spooled = Array.from({ length: SESSIONS }, (_, session) => spool(workspace, `s${session}`, number));
		await Promise.all(spooled);
	}
	const collector = new Collector(workspace, [fakeDriver]);
	const begun = performance.now();
	await collector.collect();
	const seconds = (performance.now() - begun) / 1000;
	await collector.close();
	const { ids, lines } = await collectedIn(workspace);
	const total = SESSIONS * EVENTS;
	return {
		what: `collect ${SESSIONS} sessions × ${EVENTS} events`,
		value: `${seconds.toFixed(1)} s, ${Math.round(total / seconds)} events/s`,
		against: `${total - ids} dropped, ${lines - ids} twice`,
		goal: 'none dropped',
		met: ids === total && lines === total,
	};
}

/** 20 tasks with 3 workers each; what one of them does is to be seen. */
async function showing(): Promise<Row> {
	await using folder = tempFolder();
	const workspace = new Workspace(folder.path);
	const agent = fakeDriver.id;
	for (let task = 0; task < 20; task++) {
		const name = TaskName.parse(`t${task}`);
		await workspace.createTask(taskRecord(name, agent));
		for (let number = 1; number <= 3; number++) {
			const worker = WorkerName.parse(number === 1 ? 'worker' : `worker-${number}`);
			const session = SessionId.parse(`s${task}-${number}`);
			await addBoundWorker(workspace, { task: name, worker }, { agent, session });
		}
	}
	const model = new WorkspaceModel(workspace, [fakeDriver]);
	await model.refresh();
	await sleep(1000);
	const times: number[] = [];
	for (let number = 0; number < 60; number++) {
		await sleep(80);
		const heard = new Promise<void>(resolve => {
			const listening = model.onDidChange(() => {
				const workers = model.overview().tasks.flatMap(task => task.workers);
				if (!workers.some(worker => worker.state.summary === `n${number}`)) return;
				listening.dispose();
				resolve();
			});
		});
		const begun = performance.now();
		await spool(workspace, 's3-2', number);
		// The model's own timers keep no process alive.
		const alive = setInterval(() => undefined, 1000);
		await heard;
		clearInterval(alive);
		times.push(performance.now() - begun);
	}
	await model.close();
	return {
		what: 'spool to sidebar (60 workers)',
		value: `p50 ${milliseconds(median(times))}, p95 ${milliseconds(quantile(times, 0.95))}`,
		against: '',
		goal: 'p50 ≤ 50 ms',
		met: median(times) <= 50,
	};
}

/** What a tool printed, a megabyte of it: code, logs, lists of packages. */
function redacting(): Row {
	const root = join(import.meta.dirname, '../..');
	const kinds = ['package-lock.json', 'src/core/mailbox/mailbox.ts', 'docs/architecture.md'].map(file =>
		readFileSync(join(root, file), 'utf8').slice(0, 40_000),
	);
	const text = kinds.join('\n').repeat(20).slice(0, 1_000_000);
	const times = Array.from({ length: 15 }, () => processorTime(() => redactText(text)));
	const least = times.map(() => processorTime(() => text.replace(/[a-z]+(?=[0-9])/g, '')));
	return {
		what: 'redact 1 MB, processor time',
		value: milliseconds(median(times)),
		against: `one plain expression ${milliseconds(median(least))}`,
		ratio: median(times) / median(least),
		goal: '≤ 20 ms',
		met: median(times) <= 20,
	};
}

/** Of beginnings of secrets that never end, a text takes as long as its eight parts. Were the work squared, it would take eight times as long. */
function redactingTheSlowest(): Row {
	const ratios = beginnings.map(beginning => {
		const part = beginning.repeat(Math.ceil(100_000 / beginning.length));
		const times = Array.from({ length: 3 }, () => ({
			parts: processorTime(() => Array.from({ length: 8 }, () => redactText(part))),
			whole: processorTime(() => redactText(part.repeat(8))),
		}));
		// A core that others share has to load its caches anew.
		const least = (of: 'parts' | 'whole') => Math.min(...times.map(each => each[of]));
		return { beginning, ratio: least('whole') / least('parts') };
	});
	const worst = ratios.reduce((one, other) => (one.ratio > other.ratio ? one : other));
	return {
		what: 'redact 800 KB of the beginnings of secrets',
		value: `worst ${JSON.stringify(worst.beginning)}`,
		against: 'its eight parts',
		ratio: worst.ratio,
		goal: '< 4x',
		met: worst.ratio < 4,
	};
}

/** In milliseconds; other work on the machine does not count. */
function processorTime(work: () => void): number {
	const before = process.cpuUsage();
	work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}

function spool(workspace: Workspace, session: string, number: number): Promise<void> {
	const event = { session, kind: 'tool-start', tool: 'Bash', toolUseId: `t${number}`, summary: `n${number}` };
	const payload = { ...event, tool_input: { command: 'echo hello; '.repeat(40) } };
	return writeFile(join(workspace.paths.spool, `fake~PreToolUse~${session}-${number}.json`), JSON.stringify(payload));
}
