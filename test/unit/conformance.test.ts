import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { headlessOf } from '../../src/core/driver/headlessOf.ts';
import { drivers } from '../../src/drivers/index.ts';
import { cells } from '../conformance/cells.ts';
import { markdownOf } from '../conformance/markdown.ts';
import { columnOf, ConformanceReport } from '../conformance/report.ts';

const docs = join(import.meta.dirname, '../../docs');
const report = ConformanceReport.parse(JSON.parse(readFileSync(join(docs, 'conformance.json'), 'utf8')));

describe('the table of abilities', () => {
	it('has a row for every cell, and each cell an id of its own', () => {
		expect(report.rows).toEqual(cells.map(({ id, title }) => ({ id, title })));
		expect(new Set(cells.map(({ id }) => id)).size).toBe(cells.length);
	});

	it('says in words what the JSON says', () => {
		expect(readFileSync(join(docs, 'conformance.md'), 'utf8')).toBe(markdownOf(report));
	});

	it('holds no claim of a driver that was not seen', () => {
		const failures = report.columns.flatMap(({ agent, version, cells: tried }) =>
			Object.entries(tried).flatMap(([id, { is }]) => (is === 'fails' ? [`${agent} ${version}: ${id}`] : [])),
		);
		expect(failures).toEqual([]);
	});

	it('says of each agent what holds beside its permission modes, where it says how they hold', () => {
		for (const { agent, is, cells: tried } of report.columns) {
			// An older version may not have the ability.
			if (is === 'floor') continue;
			const driver = drivers.find(({ id }) => id.startsWith(agent));
			expect(tried['headless-denied']?.because ?? '', agent).toContain(driver && headlessOf(driver).beside);
		}
	});
});

describe('a page of the table', () => {
	const column = { agent: 'a', displayName: 'Agent', version: '1.2.3', is: 'newest' as const, date: '2026-11-21' };
	const rows = [
		{ id: 'one', title: 'One' },
		{ id: 'two', title: 'Two' },
		{ id: 'three', title: 'Three' },
	];

	it('numbers each reason once, and makes nothing of what a CLI printed', () => {
		const page = markdownOf({
			version: 1,
			rows,
			columns: [
				{
					...column,
					cells: {
						one: { is: 'partial', because: 'It shows\n<b> | `badge`.', ms: 1 },
						two: { is: 'not possible', because: 'No queue.', understated: true, ms: 1 },
					},
				},
				{
					...column,
					is: 'pinned',
					cells: { one: { is: 'works', ms: 1 }, three: { is: 'fails', because: 'No queue.', ms: 1 } },
				},
			],
		});
		expect(page.split('\n').filter(line => /^[|\d]/.test(line))).toEqual([
			'|  | Agent<br>1.2.3 (newest) | Agent<br>1.2.3 |',
			'| --- | --- | --- |',
			'| One | *partial* [1](#notes) | works |',
			'| Two | – not possible [2](#notes) | not tried |',
			'| Three | not tried | **fails** [3](#notes) |',
			'| *tried since* | 2026-11-21 | 2026-11-21 |',
			'1. It shows b badge .',
			'2. No queue. It was seen all the same: the driver says less than is true.',
			'3. No queue.',
		]);
	});
});

describe('a column', () => {
	const about = { agent: 'a', displayName: 'Agent', version: '1.2.3', is: 'pinned' as const };
	const known = { ...about, date: '2026-01-01', cells: { one: { is: 'works' as const, ms: 1 } } };
	const today = '2026-11-21';

	it('gets no younger by a run for some of its cells', () => {
		expect(columnOf(about, known, { isWhole: false, today })).toEqual(known);
		expect(columnOf(about, known, { isWhole: true, today })).toEqual({ ...known, date: today });
	});

	it('holds nothing that was seen of another version', () => {
		const begun = { ...about, date: today, cells: {} };
		expect(columnOf(about, { ...known, version: '1.2.2' }, { isWhole: false, today })).toEqual(begun);
		expect(columnOf(about, undefined, { isWhole: false, today })).toEqual(begun);
	});
});
