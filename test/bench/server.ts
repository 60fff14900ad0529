import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { DriverId, FIRST_WORKER, SessionId, TaskName } from '../../src/protocol/names.ts';
import { addBoundWorker } from '../support/boundWorker.ts';
import { eventually, HANG_MS } from '../support/eventually.ts';
import { seedQuestion } from '../support/seedQuestion.ts';
import { spool } from '../support/seedWorkspace.ts';
import { taskRecord } from '../support/taskRecord.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { collectedIn } from './collected.ts';
import { percent, processorMs } from './processMeters.ts';
import { dataIn, serveDesk } from './serveDesk.ts';
import { median, milliseconds, quantile, type Row } from './table.ts';

const TASKS = 20;
const FEW_PAGES = 20;
/** The server has had its first looks. */
const SETTLES_MS = 5000;
const IDLE_MS = 20_000;
const MANY_PAGES = 1000;
const EVENTS_A_SECOND = 100;
const SECONDS = 10;

/** The desk's server as packaged: what it takes while nothing happens, and whether a thousand pages get all that does. */
export async function benchServer(): Promise<Row[]> {
	await using folder = tempFolder();
	const workspace = new Workspace(folder.file('project'), dataIn(folder));
	await workspace.prepare();
	for (let task = 0; task < TASKS; task++) await addTask(workspace, task);
	await seedQuestion(workspace);
	await using desk = await serveDesk(folder, workspace);
	const pass = await desk.pair();
	const pages: LoadPage[] = [];
	const steps: Steps = new Map();
	const openUntil = async (count: number) => {
		while (pages.length < count) {
			const page = new LoadPage(desk.port, desk.origin, steps);
			await page.enter(pass);
			pages.push(page);
		}
	};
	try {
		const unused = await idle(desk.pid);
		await openUntil(FEW_PAGES);
		const used = await idle(desk.pid);
		await openUntil(MANY_PAGES);
		return [idleRow(used, unused), ...(await load(workspace, desk.pid, pages, steps))];
	} finally {
		for (const page of pages) page.socket.terminate();
	}
}

async function addTask(workspace: Workspace, number: number): Promise<void> {
	const agent = DriverId.parse('claude-code');
	const task = TaskName.parse(`task-${number}`);
	await workspace.createTask(taskRecord(task, agent));
	const session = SessionId.parse(sessionOf(number));
	await addBoundWorker(workspace, { task, worker: FIRST_WORKER }, { agent, session });
}

function sessionOf(event: number): string {
	return `session-${event % TASKS}`;
}

/** Processor time within {@link IDLE_MS}. */
async function idle(pid: number): Promise<number> {
	await sleep(SETTLES_MS);
	const before = processorMs(pid);
	await sleep(IDLE_MS);
	return processorMs(pid) - before;
}

function idleRow(used: number, unused: number): Row {
	return {
		what: `the desk’s server with ${FEW_PAGES} pages, while nothing happens`,
		value: `${percent(used, IDLE_MS)} of a core`,
		against: `without a page ${percent(unused, IDLE_MS)}`,
		ratio: used / unused,
		goal: '<= 0.5 %',
		met: used <= IDLE_MS * 0.005,
	};
}

/** All pages look while agents are at work. A page that has missed a step, or got the whole state in its place, counts as one dropped. */
async function load(workspace: Workspace, pid: number, pages: readonly LoadPage[], steps: Steps): Promise<Row[]> {
	const total = EVENTS_A_SECOND * SECONDS;
	const sentAt: number[] = [];
	const before = processorMs(pid);
	const begun = performance.now();
	while (sentAt.length < total) {
		while (sentAt.length < Math.min(total, ((performance.now() - begun) / 1000) * EVENTS_A_SECOND)) {
			const number = sentAt.length;
			const call = { tool_name: 'Bash', tool_input: { command: `echo n${number}.` }, tool_use_id: `t${number}` };
			spool(workspace, sessionOf(number), 'PreToolUse', call, String(number));
			sentAt.push(performance.now());
		}
		await sleep(5);
	}
	const isReached = () => {
		const [seq = Infinity] = [...steps].find(([, { newest }]) => newest === total - 1) ?? [];
		return pages.every(page => page.seq >= seq);
	};
	await eventually('the last event on every page', isReached, { timeoutMs: 3 * HANG_MS });
	const took = performance.now() - begun;
	const used = processorMs(pid) - before;
	const dropped = pages.reduce((sum, page) => sum + page.dropped, 0);
	const { ids, lines } = await eventually('all events collected', async () => {
		const found = await collectedIn(workspace);
		return found.ids === total ? found : undefined;
	});
	const delays = delaysOf(steps, sentAt);
	return [
		{
			what: `${pages.length} pages, ${EVENTS_A_SECOND} events a second: steps that a page did not get`,
			value: `${dropped} of ${pages.length * steps.size}`,
			against: `${total - ids} events dropped, ${lines - ids} twice`,
			goal: 'none dropped',
			met: dropped === 0 && ids === total && lines === total,
		},
		{
			what: 'the same: an event, until the last page has it',
			value: `p50 ${milliseconds(median(delays))}, p95 ${milliseconds(quantile(delays, 0.95))}`,
			against: `the server took ${percent(used, took)} of a core`,
			goal: 'none set',
		},
	];
}

/** Of each step with a newer event than those before it. */
function delaysOf(steps: Steps, sentAt: readonly number[]): number[] {
	let known = -1;
	return [...steps]
		.toSorted(([a], [b]) => a - b)
		.flatMap(([, { newest, at }]) => {
			const sent = newest > known ? sentAt[newest] : undefined;
			known = Math.max(known, newest);
			return sent === undefined ? [] : [at - sent];
		});
}

/** Of all pages, by number: the newest event in a step, and when the last page so far had it. */
type Steps = Map<number, { readonly newest: number; at: number }>;

/** A page that only counts. One that reads every message would need more of the processor than the server. */
class LoadPage {
	readonly socket: WebSocket;
	seq = 0;
	dropped = 0;
	private entered: () => void = () => undefined;

	constructor(
		port: number,
		origin: string,
		private readonly steps: Steps,
	) {
		this.socket = new WebSocket(`ws://127.0.0.1:${port}/api/v1/live`, { headers: { origin } });
		this.socket.on('message', (data: Buffer) => this.take(data));
	}

	async enter({ device, token }: { device: string; token: string }): Promise<void> {
		const isIn = new Promise<void>(resolve => (this.entered = resolve));
		await once(this.socket, 'open');
		this.socket.send(JSON.stringify({ v: 1, type: 'hello', device, challenge: 'c'.repeat(22) }));
		this.socket.send(JSON.stringify({ v: 1, type: 'token', token }));
		await isIn;
	}

	private take(data: Buffer): void {
		const [, type, digits] =
			/^\{"v":1,"type":"(patch|state)","seq":(\d+)/.exec(data.toString('latin1', 0, 60)) ?? [];
		if (digits === undefined) return;
		const seq = Number(digits);
		if (type === 'patch') {
			this.dropped += seq - this.seq - 1;
			this.note(seq, data);
		} else {
			// The whole state in the place of a step.
			if (this.seq > 0) this.dropped++;
			this.entered();
		}
		this.seq = seq;
	}

	private note(seq: number, data: Buffer): void {
		const step = this.steps.get(seq) ?? { newest: newestIn(data.toString('utf8')), at: 0 };
		step.at = performance.now();
		this.steps.set(seq, step);
	}
}

/** -1 for none. */
function newestIn(text: string): number {
	return Math.max(-1, ...[...text.matchAll(/echo n(\d+)\./g)].map(([, number]) => Number(number)));
}
