import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatVersion, parseVersion } from '../../src/base/version.ts';
import { CAPABILITIES } from '../../src/core/driver/abilities.ts';
import type { Driver } from '../../src/core/driver/driver.ts';
import { headlessOf } from '../../src/core/driver/headlessOf.ts';
import { driverById, drivers } from '../../src/drivers/index.ts';
import type { Cell } from '../conformance/cell.ts';
import { cells } from '../conformance/cells.ts';
import { cellsOfFloor, floorVersions, shows } from '../conformance/floors.ts';
import { lackOf, limitOf } from '../conformance/judge.ts';
import { markdownOf } from '../conformance/markdown.ts';
import { untried } from '../conformance/untried.ts';
import { columnOf, ConformanceReport, type CellResult, type Column } from '../conformance/report.ts';
import type { AgentUnderTest } from '../support/agents/agentUnderTest.ts';
import { talkedAgents, talkedCells } from '../conformance/talked.ts';
import { agentsUnderTest } from '../support/agents/index.ts';

const docs = join(import.meta.dirname, '../../docs');
const report = ConformanceReport.parse(JSON.parse(readFileSync(join(docs, 'conformance.json'), 'utf8')));

const agentsWithDrivers = agentsUnderTest.map(agent => {
	const driver = driverById(agent.driver);
	if (!driver) throw new Error(`there is no driver ${agent.driver}`);
	return { id: agent.id, agent, driver };
});

/** What a cell says by itself stands in its source. */
const cellFolder = join(import.meta.dirname, '../conformance/cells');
const saidByCells = readdirSync(cellFolder)
	.map(file => readFileSync(join(cellFolder, file), 'utf8'))
	.join('\n');

describe('the table of abilities', () => {
	it('has a row for every cell, and each cell an id of its own', () => {
		expect(report.rows).toEqual(cells.map(({ id, title }) => ({ id, title })));
		expect(new Set(cells.map(({ id }) => id)).size).toBe(cells.length);
	});

	it('has the same of each agent that Nancy talks with over ACP', () => {
		expect(report.talked.rows).toEqual(talkedCells.map(({ id, title }) => ({ id, title })));
		expect(report.talked.columns.map(({ agent }) => agent)).toEqual(talkedAgents.map(({ id }) => id));
		for (const { agent, cells: tried } of report.talked.columns)
			expect(Object.keys(tried).toSorted(), agent).toEqual(talkedCells.map(({ id }) => id).toSorted());
	});

	it('says in words what the JSON says', () => {
		expect(readFileSync(join(docs, 'conformance.md'), 'utf8')).toBe(markdownOf(report, untried));
	});

	it('holds no claim of a driver that was not seen', () => {
		const failures = [...report.columns, ...report.talked.columns].flatMap(({ agent, version, cells: tried }) =>
			Object.entries(tried).flatMap(([id, { is }]) => (is === 'fails' ? [`${agent} ${version}: ${id}`] : [])),
		);
		expect(failures).toEqual([]);
	});

	it.each(agentsWithDrivers)('has every row of $id at its pinned version', ({ id }) => {
		const columns = columnsOf(id, 'pinned');
		expect(columns.map(rowsOf)).toEqual([cells.map(each => each.id).toSorted()]);
	});

	it.each(agentsWithDrivers)(
		'has the oldest version of $id and each that an ability begins with, and every row of it',
		({ id, driver }) => {
			const tried = columnsOf(id, 'floor').map(column => [column.version, rowsOf(column)]);
			const wanted = floorVersions(driver).map(version => [
				version,
				cellsOfFloor(cells, driver, version)
					.map(each => each.id)
					.toSorted(),
			]);
			expect(Object.fromEntries(tried)).toEqual(Object.fromEntries(wanted));
		},
	);

	it.each(agentsWithDrivers)(
		'has tried on the oldest version of $id every row whose abilities it has',
		({ id, driver }) => {
			const column = columnsOf(id, 'floor').find(
				({ version }) => version === formatVersion(driver.oldestVersion),
			);
			const possible = cells.filter(cell => lackOf(cell, driver, driver.oldestVersion) === undefined);
			expect(possible.flatMap(cell => (column?.cells[cell.id] ? [] : [cell.id]))).toEqual([]);
		},
	);

	it.each(agentsWithDrivers)('has seen each ability of $id on the version that it begins with', ({ id, driver }) => {
		const unseen = CAPABILITIES.filter(capability => {
			const floor = driver.floors[capability];
			if (floor === 'none') return false;
			const column = columnsOf(id, 'floor').find(({ version }) => version === formatVersion(floor));
			return !cells.some(cell => shows(cell, [capability]) && isSeen(column?.cells[cell.id]));
		});
		expect(unseen).toEqual([]);
	});

	it.each(agentsWithDrivers)('gives no reason for $id that its driver does not give now', ({ id, agent, driver }) => {
		const stale = report.columns
			.filter(column => column.agent === id)
			.flatMap(column => cells.flatMap(cell => staleIn(column, cell, agent, driver)));
		expect(stale).toEqual([]);
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

function columnsOf(id: string, is: Column['is']): Column[] {
	return report.columns.filter(column => column.agent === id && column.is === is);
}

function rowsOf(column: Column): string[] {
	return Object.keys(column.cells).toSorted();
}

function isSeen(result: CellResult | undefined): boolean {
	return result?.is === 'works' || result?.is === 'partial';
}

/** What is wrong with the reason in a column's cell, as the driver stands. */
function staleIn(column: Column, cell: Cell, agent: AgentUnderTest, driver: Driver): string[] {
	const result = column.cells[cell.id];
	const version = parseVersion(column.version);
	if (!result || !version) return [];
	const { is, because = '' } = result;
	const wrong = (what: string) => [`${column.version} (${column.is}) ${cell.id}: ${what}: ${is} ${because}`];
	const lack = lackOf(cell, driver, version);
	if (lack !== undefined) return is === 'not possible' && because === lack ? [] : wrong(`the driver says “${lack}”`);
	const limit = limitOf(cell, driver);
	if (limit !== undefined && is !== 'not possible' && !because.startsWith(limit))
		return wrong(`the driver says “${limit}”`);
	const others = ownReasons(agent, driver).reduce((text, reason) => text.replaceAll(reason, ''), because);
	return saidByCells.includes(others.trim()) ? [] : wrong('nobody says that');
}

/** The sentences that an agent's driver, and its description for the tests, give as reasons. */
function ownReasons({ compact, leaves, plugin }: AgentUnderTest, driver: Driver): string[] {
	const reasons = [
		...Object.values(driver.limits).map(String),
		headlessOf(driver).beside,
		...('untried' in compact ? [compact.untried] : []),
		...(leaves === 'nothing' ? [] : [leaves.because]),
		...(plugin === 'none' || plugin.hooks === 'run' ? [] : [plugin.hooks.because]),
		...(plugin === 'none' || !plugin.since ? [] : [plugin.since.because]),
	];
	return reasons.filter(reason => reason !== '');
}

describe('a page of the table', () => {
	const column = { agent: 'a', displayName: 'Agent', version: '1.2.3', is: 'newest' as const, date: '2026-11-21' };
	const rows = [
		{ id: 'one', title: 'One' },
		{ id: 'two', title: 'Two' },
		{ id: 'three', title: 'Three' },
	];

	it('numbers each reason once, and makes nothing of what a CLI printed', () => {
		const page = markdownOf(
			{
				version: 1,
				rows,
				talked: { rows: [], columns: [] },
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
			},
			[],
		);
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

	it('says of each cell of a CLI that nobody can try where it is from', () => {
		const cells = {
			one: { isPossible: true, because: undefined },
			two: { isPossible: true, because: 'Half.' },
			three: { isPossible: false, because: 'No queue.' },
		};
		const page = markdownOf(
			{ version: 1, rows, talked: { rows: [], columns: [] }, columns: [{ ...column, cells: {} }] },
			[{ displayName: 'Other', version: '1.0.0', from: 'source', cells }],
		);
		expect(page).toContain('Other cannot be installed where Nancy is made.');
		expect(page.split('\n').filter(line => /^[|\d]/.test(line))).toEqual([
			'|  | Agent<br>1.2.3 (newest) | Other<br>1.0.0 |',
			'| --- | --- | --- |',
			'| One | not tried | from its source, not tried |',
			'| Two | not tried | from its source, not tried [1](#notes) |',
			'| Three | not tried | – not possible (from its source, not tried) [2](#notes) |',
			'| *tried since* | 2026-11-21 | never |',
			'1. Half.',
			'2. No queue.',
		]);
	});

	it('claims nothing for an untried CLI of which no ability says that it is missing', () => {
		const missing = untried.map(({ cells: each }) =>
			['interrupted', 'memory-compacted', 'headless-denied'].map(id => each[id]?.isPossible),
		);
		expect(missing).toEqual([
			[true, false, true],
			[false, false, false],
		]);
	});
});

describe('a column', () => {
	const about = { agent: 'a', displayName: 'Agent', version: '1.2.3', is: 'pinned' as const };
	const known = { ...about, date: '2026-01-01', cells: { one: { is: 'works' as const, ms: 1 } } };
	const today = '2026-11-21';
	const rows = [{ id: 'one' }];

	it('gets no younger by a run for some of its cells', () => {
		expect(columnOf(about, known, rows, { isWhole: false, today })).toEqual(known);
		expect(columnOf(about, known, rows, { isWhole: true, today })).toEqual({ ...known, date: today });
	});

	it('holds no row that is no more', () => {
		expect(columnOf(about, known, [{ id: 'two' }], { isWhole: false, today })).toEqual({ ...known, cells: {} });
	});

	it('holds nothing that was seen of another version', () => {
		const begun = { ...about, date: today, cells: {} };
		expect(columnOf(about, { ...known, version: '1.2.2' }, rows, { isWhole: false, today })).toEqual(begun);
		expect(columnOf(about, undefined, rows, { isWhole: false, today })).toEqual(begun);
	});
});
