import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { identify } from '../../../src/base/liveness.ts';
import type { HeadlessFormat } from '../../../src/core/driver/headless.ts';
import { Questions } from '../../../src/core/questions/questions.ts';
import { outcomeIn, settleAll } from '../../../src/core/questions/settle.ts';
import { DelegateAsks } from '../../../src/delegates/delegateAsks.ts';
import { runHeadless } from '../../../src/process/headlessRun.ts';
import { DelegateId } from '../../../src/protocol/delegate.ts';
import type { Question } from '../../../src/protocol/question.ts';
import { questionOf } from '../../support/questionOf.ts';
import { DelegateRoom } from '../../support/delegateRoom.ts';
import { eventually } from '../../support/eventually.ts';

const other = DelegateId.parse('20261121t101112123z-0a1b2c3d');

/** A desk, and what is told of one delegate's questions. */
async function watched() {
	const room = new DelegateRoom();
	const { record } = await room.queue();
	const desk = new Questions(room.workspace.own);
	await desk.prepare();
	const told: number[] = [];
	let alive = 0;
	const asks = new DelegateAsks(desk, record.id, count => told.push(count));
	return {
		room,
		id: record.id,
		desk,
		told,
		asks,
		begin: () => asks.begin(() => alive++),
		alive: () => alive,
		[Symbol.asyncDispose]: async () => {
			await asks.end();
			await room.folder.remove();
		},
	};
}

const answerTo = (question: Question) => ({
	version: 1 as const,
	question: question.id,
	digest: question.digest,
	effect: 'once' as const,
	by: 'vscode' as const,
	at: new Date().toISOString(),
});

it('a delegate that waits for an answer counts as alive, until it has the answer', async () => {
	await using watching = await watched();
	const { desk, id, told, alive } = watching;
	const question = questionOf(id);
	await desk.ask(question);
	await desk.ask(questionOf(other));
	watching.begin();
	await eventually('a second look', () => alive() > 1);
	expect(told).toEqual([1]);
	await desk.answer(answerTo(question));
	await eventually('the answer', () => told.length > 1);
	expect(told).toEqual([1, 0]);
});

it('a question whose process has ended is over, and does not keep its delegate alive', async () => {
	await using watching = await watched();
	const { desk, id, told } = watching;
	const child = spawn('true');
	const holder = identify(child.pid ?? 0);
	await once(child, 'close');
	const question = questionOf(id, holder);
	await desk.ask(question);
	watching.begin();
	await eventually('its end', () => desk.readOutcome(question.id));
	expect(await desk.readOutcome(question.id)).toMatchObject({ state: 'ended' });
	expect(told).toEqual([]);
	expect(watching.alive()).toBe(0);
});

it('a denial is no applied No if the process that waited was killed before it could hand the answer over', async () => {
	await using watching = await watched();
	const { desk, id, room } = watching;
	const child = spawn('sleep', ['300']);
	const question = questionOf(id, identify(child.pid ?? 0));
	await desk.ask(question);
	await desk.answer({ ...answerTo(question), effect: 'no' });
	child.kill('SIGKILL');
	await once(child, 'close');
	const { driver, session, tool, title: summary } = question;
	const at = new Date(Date.parse(question.askedAt) + 1000).toISOString();
	const event = { driver, session, kind: 'tool-failed', event: 'PostToolUseFailure', tool, summary };
	const { paths } = room.workspace;
	mkdirSync(paths.traffic, { recursive: true });
	const record = { version: 1, type: 'event', id: '1', at, event, payload: {} };
	writeFileSync(paths.trafficFile(session), `${JSON.stringify(record)}\n`);
	await settleAll(desk, { paths, drivers: [] });
	expect(await desk.readOutcome(question.id)).toMatchObject({ state: 'ended' });
});

it('reads the questions of all only after a change', async () => {
	const room = new DelegateRoom();
	const { record } = await room.queue();
	let looks = 0;
	let reads = 0;
	class CountingDesk extends Questions {
		override stamp() {
			looks++;
			return super.stamp();
		}
		override ofDelegate(id: DelegateId) {
			reads++;
			return super.ofDelegate(id);
		}
	}
	const desk = new CountingDesk(room.workspace.own);
	await desk.prepare();
	const told: number[] = [];
	const asks = new DelegateAsks(desk, record.id, count => told.push(count));
	asks.begin(() => undefined);
	await eventually('looks at a quiet desk', () => looks > 4);
	expect(reads).toBe(2);
	await desk.ask(questionOf(record.id));
	await eventually('the question', () => told.length > 0);
	expect(told).toEqual([1]);
	await asks.end();
	await room.folder.remove();
});

it('at the end of a delegate its questions end, and no others', async () => {
	await using watching = await watched();
	const { desk, id, told, asks } = watching;
	const [own, foreign] = [questionOf(id), questionOf(other)];
	await desk.ask(own);
	await desk.ask(foreign);
	watching.begin();
	await eventually('a look', () => told.length > 0);
	await asks.end();
	expect(told).toEqual([1, 0]);
	expect(await desk.readOutcome(own.id)).toMatchObject({ state: 'ended' });
	expect(await desk.readOutcome(foreign.id)).toBeUndefined();
	await expect(desk.answer(answerTo(own))).rejects.toMatchObject({ code: 'wrong-state' });
});

it('a silent agent is not ended while its caller counts the silence as output', async () => {
	const room = new DelegateRoom();
	const format: Pick<HeadlessFormat, 'reader'> = { reader: () => ({ read: () => [], end: () => [] }) };
	let ticks = 0;
	let timer: NodeJS.Timeout | undefined;
	const ending = await runHeadless(
		{ command: 'sleep', args: ['300'], cwd: room.folder.path, env: {}, stdin: '', mark: crypto.randomUUID() },
		format,
		{ wallMs: 300_000, idleMs: 2000 },
		{
			onStart: (_, countAsOutput) => {
				timer = setInterval(() => (++ticks > 30 ? clearInterval(timer) : countAsOutput()), 100);
			},
			onEvent: () => undefined,
			onNoise: () => undefined,
		},
		new AbortController().signal,
	);
	expect(ending).toEqual({ is: 'timeout', limit: 'idle' });
	expect(ticks).toBeGreaterThan(30);
	await room.folder.remove();
});

it.each([
	['batch-end', 'PostToolBatch', 'ended'],
	['stop', 'Stop', 'ended'],
	['tool-end', 'PostToolUse', 'yes-elsewhere'],
] as const)('what nobody has answered, and %s follows, was %s: %s', (kind, name, state) => {
	const question = questionOf(other);
	const at = new Date(Date.parse(question.askedAt) + 1000).toISOString();
	const { driver, session, tool, title: summary } = question;
	const event = { driver, session, kind, event: name, tool, summary };
	const asked = { question, answer: undefined, outcome: undefined };
	const records = [{ version: 1 as const, id: '1', type: 'event' as const, at, event, payload: {} }];
	expect(outcomeIn(asked, records)).toMatchObject({ state, evidence: name });
});
