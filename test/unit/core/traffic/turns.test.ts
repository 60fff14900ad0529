import { appendFile, mkdir, rename, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { matchesFilter, readTraffic, TrafficFollower } from '../../../../src/core/traffic/store.ts';
import { trafficFiles } from '../../../../src/core/traffic/trafficFile.ts';
import type { Turn } from '../../../../src/core/traffic/node.ts';
import { TurnArranger } from '../../../../src/core/traffic/turns.ts';
import { NancyPaths } from '../../../../src/core/files/paths.ts';
import { SessionId } from '../../../../src/protocol/names.ts';
import { TrafficRecord } from '../../../../src/protocol/traffic.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';

let sequence = 0;
const at = () => new Date(1_700_000_000_000 + ++sequence * 1000).toISOString();

function event(kind: string, fields: Record<string, unknown> = {}): TrafficRecord {
	const event = { driver: 'fake', session: 's1', event: kind, kind, ...fields };
	return TrafficRecord.parse({
		version: 1,
		id: `r${sequence + 1}`,
		at: at(),
		type: 'event',
		event,
		payload: { kind },
	});
}

function delivery(name: string, toolUseId?: string): TrafficRecord {
	const note = {
		nancy: 'delivery',
		at: at(),
		driver: 'fake',
		session: 's1',
		event: name,
		task: 't',
		worker: 'worker',
		messages: ['m1'],
		rung: 'hook',
		effect: 'none',
		...(toolUseId && { toolUseId }),
	};
	return TrafficRecord.parse({
		version: 1,
		id: `r${sequence}`,
		at: note.at,
		type: 'delivery',
		task: 't',
		worker: 'worker',
		delivery: note,
	});
}

function turnsOf(records: readonly TrafficRecord[]): readonly Turn[] {
	const arranger = new TurnArranger(() => undefined);
	for (const record of records) arranger.add(record);
	return arranger.turns;
}

const shown = (records: TrafficRecord[]) =>
	turnsOf(records).map(turn => ({
		title: turn.title,
		nodes: turn.nodes.map(node => [node.event.kind, node.outcome, node.deliveries.length]),
	}));

describe('TurnArranger', () => {
	it('pairs the beginning of a tool with its end, and puts what was delivered to its event', () => {
		const call = { tool: 'Bash', toolUseId: 't1', turn: 'p1' };
		const records = [
			event('prompt', { turn: 'p1', summary: 'fix it' }),
			event('tool-start', call),
			delivery('tool-start', 't1'),
			event('tool-start', { ...call, toolUseId: 't2' }),
			event('tool-failed', { ...call, toolUseId: 't2' }),
			event('tool-end', { ...call, durationMs: 42 }),
			event('batch-end', { turn: 'p1' }),
			event('stop', { turn: 'p1' }),
			delivery('stop'),
			event('prompt', { turn: 'p2', summary: 'next' }),
		];
		expect(shown(records)).toEqual([
			{
				title: 'fix it',
				nodes: [
					['prompt', undefined, 0],
					['tool-start', 'ok', 1],
					['tool-start', 'failed', 0],
					['batch-end', undefined, 0],
					['stop', undefined, 1],
				],
			},
			{ title: 'next', nodes: [['prompt', undefined, 0]] },
		]);
		expect(turnsOf(records)[0]?.nodes.map(node => node.durationMs)).toEqual([
			undefined,
			42,
			1000,
			undefined,
			undefined,
		]);
	});

	it('believes the end of a tool that comes after the end of its batch', () => {
		const call = { tool: 'Bash', toolUseId: 'late' };
		for (const [kind, outcome] of [
			['tool-end', 'ok'],
			['tool-failed', 'failed'],
		] as const) {
			const records = [event('tool-start', call), event('batch-end'), event(kind, { ...call, durationMs: 7 })];
			expect(shown(records)[0]?.nodes).toEqual([
				['tool-start', outcome, 0],
				['batch-end', undefined, 0],
			]);
			expect(turnsOf(records)[0]?.nodes[0]?.durationMs).toBe(7);
		}
	});

	it('tells denied from interrupted from running', () => {
		const call = (id: string) => event('tool-start', { tool: 'Bash', toolUseId: id });
		expect(shown([call('a'), event('permission-asked', { tool: 'Bash' })])[0]?.nodes[0]?.[1]).toBe('waiting');
		expect(shown([call('a')])[0]?.nodes[0]?.[1]).toBe('running');
		expect(shown([call('a'), event('batch-end')])[0]?.nodes[0]?.[1]).toBe('denied');
		expect(shown([call('a'), event('prompt')])[0]?.nodes[0]?.[1]).toBe('interrupted');
		expect(shown([call('a'), event('permission-denied', { tool: 'Bash', toolUseId: 'a' })])[0]?.nodes[0]?.[1]).toBe(
			'denied',
		);
	});

	it('attaches a note that was collected before its event', () => {
		expect(shown([delivery('stop'), event('stop')])).toEqual([
			{ title: undefined, nodes: [['stop', undefined, 1]] },
		]);
	});

	it('filters by task, event and text', () => {
		const record = event('tool-start', { tool: 'Bash', summary: 'say "Hello"' });
		expect(matchesFilter(record, { text: 'say "hello' })).toBe(true);
		expect(matchesFilter(record, { text: 'bye' })).toBe(false);
		expect(matchesFilter(record, { event: 'tool-start' })).toBe(true);
		expect(matchesFilter(record, { event: 'stop' })).toBe(false);
		expect(matchesFilter(record, { task: 't' })).toBe(false);
		expect(matchesFilter(delivery('stop'), { task: 't', event: 'delivery' })).toBe(true);
	});
});

describe('a session on disk', () => {
	let folder: TempFolder;
	let paths: NancyPaths;
	const session = SessionId.parse('s1');
	const line = (record: TrafficRecord) => `${JSON.stringify(record)}\n`;

	beforeEach(async () => {
		folder = tempFolder();
		paths = new NancyPaths(folder.path);
		await mkdir(paths.traffic, { recursive: true });
	});
	afterEach(() => folder.remove());

	it('is read with a torn last line and lines of something else', async () => {
		const [one, two] = [event('prompt'), event('stop')];
		await writeFile(
			paths.trafficFile(session),
			`${line(one)}garbage\n\n{"version":2}\n${line(two)}{"version":1,"id":"torn`,
		);
		expect((await readTraffic(paths, session)).map(record => record.id)).toEqual([one.id, two.id]);
	});

	it('is followed across a torn line and a rotation', async () => {
		const [a, b, c, d] = [event('prompt'), event('tool-start'), event('tool-end'), event('stop')];
		const [older, current] = trafficFiles(paths, session);
		const follower = new TrafficFollower(paths, session);
		expect(await follower.next()).toEqual([]);
		await writeFile(current, line(a) + line(b).slice(0, 20));
		expect(await follower.next()).toEqual([a]);
		await appendFile(current, line(b).slice(20) + line(c));
		await rename(current, older);
		await writeFile(current, line(d));
		expect(await follower.next()).toEqual([b, c, d]);
		expect(await follower.next()).toEqual([]);
		expect((await readTraffic(paths, session)).map(record => record.id)).toEqual(
			[a, b, c, d].map(record => record.id),
		);
	});

	it('is begun near its end', async () => {
		const records = Array.from({ length: 100 }, () => event('tool-start', { filler: 'ü'.repeat(100) }));
		await writeFile(paths.trafficFile(session), records.map(line).join(''));
		const tail = await new TrafficFollower(paths, session, 2000).next();
		expect(tail.length).toBeGreaterThan(1);
		expect(tail).toEqual(records.slice(-tail.length));
	});
});
