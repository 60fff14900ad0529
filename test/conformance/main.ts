// npm run conformance [-- --agent X] [-- --newest] [-- --floors] [-- --talked] [-- words in cells' names…]: see scripts/conformance.mjs, which installs the CLIs.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod/mini';
import { driverById } from '../../src/drivers/index.ts';
import { agentsUnderTest } from '../support/agents/index.ts';
import { localAgent, pinnedAgent } from '../support/pinnedAgent.ts';
import { cells } from './cells.ts';
import { cellsOfFloor, floorVersions } from './floors.ts';
import { judge, judgeTalked } from './judge.ts';
import type { Candidate } from './lab.ts';
import { markdownOf } from './markdown.ts';
import { untried } from './untried.ts';
import { columnOf, ConformanceReport, type CellResult, type Column } from './report.ts';
import { talkedAgents, talkedCells, type TalkedAgent } from './talked.ts';

const root = join(import.meta.dirname, '..', '..');
const json = join(root, 'docs', 'conformance.json');
const failures = join(root, 'out', 'conformance');

/** Cells of one CLI that are tried at once: they mostly wait. */
const AT_ONCE = 2;

const { values, positionals: words } = parseArgs({
	allowPositionals: true,
	options: {
		agent: { type: 'string', multiple: true },
		/** JSON: the newest version of each CLI, as it was installed. */
		newest: { type: 'string', default: '{}' },
		/** The oldest version and those that abilities begin with, in place of the pinned one. They are installed. */
		floors: { type: 'boolean', default: false },
		/** The table of agents that are talked with, alone. */
		talked: { type: 'boolean', default: false },
	},
});
const newest = z.record(z.string(), z.string()).parse(JSON.parse(values.newest));
const isChosen = ({ id }: { id: string }) => words.length === 0 || words.some(word => id.includes(word));
const chosen = values.talked ? [] : cells.filter(isChosen);
const talked = values.floors ? [] : talkedCells.filter(isChosen);
if (chosen.length + talked.length === 0)
	throw new Error(
		`no cell is called ${words.join(' or ')}: ${[...cells, ...talkedCells].map(({ id }) => id).join(', ')}`,
	);

let isBroken = false;
for (const agent of chosen.length === 0 ? [] : agentsUnderTest) {
	if (values.agent && !values.agent.includes(agent.id)) continue;
	const driver = driverById(agent.driver);
	if (!driver) throw new Error(`there is no driver ${agent.driver}`);
	if (values.floors) {
		for (const version of floorVersions(driver)) {
			const rows = cellsOfFloor(cells, driver, version);
			await fill({ agent, driver, installed: localAgent(agent.id, version) }, 'floor', rows);
		}
		continue;
	}
	const pinned = pinnedAgent(agent.id);
	const latest = newest[agent.id];
	await fill({ agent, driver, installed: pinned }, 'pinned');
	if (latest !== undefined && latest !== pinned.version)
		await fill({ agent, driver, installed: localAgent(agent.id, latest) }, 'newest');
}
for (const agent of talked.length === 0 ? [] : talkedAgents)
	if (!values.agent || values.agent.includes(agent.id)) await fillTalked(agent);
process.exitCode = isBroken ? 1 : 0;

/** Tries the chosen cells of a column on its CLI, and writes what is known by then: a run that is broken off leaves its part. */
async function fill(candidate: Candidate, is: Column['is'], rows = cells): Promise<void> {
	const { version } = candidate.installed;
	const { id } = candidate.agent;
	const { displayName } = candidate.driver;
	console.log(`\n== ${displayName} ${version}`);
	const known = reportNow().columns.find(
		each => each.agent === id && each.is === is && (is !== 'floor' || each.version === version),
	);
	const today = new Date().toISOString().slice(0, 10);
	const isWhole = chosen.length === cells.length;
	const column = columnOf({ agent: id, displayName, version, is }, known, rows, { isWhole, today });
	await fillColumn(column, rows.filter(isChosen), (cell, onFailure) => judge(cell, candidate, onFailure));
	write(column);
}

/** The same of an agent that is talked with. */
async function fillTalked(agent: TalkedAgent): Promise<void> {
	const { id, displayName } = agent;
	const { version } = agent.installed;
	console.log(`\n== ${displayName} ${version}, talked with`);
	const known = reportNow().talked.columns.find(each => each.agent === id);
	const today = new Date().toISOString().slice(0, 10);
	const isWhole = talked.length === talkedCells.length;
	const column = columnOf({ agent: id, displayName, version, is: 'pinned' }, known, talkedCells, { isWhole, today });
	await fillColumn(column, talked, (cell, onFailure) => judgeTalked(cell, agent, onFailure));
	const report = reportNow();
	const columns = talkedAgents.flatMap(each =>
		each.id === id ? [column] : report.talked.columns.filter(other => other.agent === each.id),
	);
	save({ ...report, talked: { rows: talkedCells.map(rowOf), columns } });
}

async function fillColumn<Tried extends { id: string }>(
	column: Column,
	tried: readonly Tried[],
	judged: (cell: Tried, onFailure: (details: string) => void) => Promise<CellResult>,
): Promise<void> {
	const waiting = [...tried];
	const work = async () => {
		for (let cell = waiting.shift(); cell; cell = waiting.shift()) {
			const name = `${column.agent}-${column.version}-${cell.id}`;
			const result = await judged(cell, details => keep(name, details));
			column.cells[cell.id] = result;
			isBroken ||= result.is === 'fails';
			console.log(lineOf(cell.id, result));
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, work));
}

function rowOf({ id, title }: { id: string; title: string }) {
	return { id, title };
}

/** Read anew each time: a run for another CLI may be under way. */
function reportNow(): ConformanceReport {
	return existsSync(json)
		? ConformanceReport.parse(JSON.parse(readFileSync(json, 'utf8')))
		: { version: 1, rows: [], columns: [], talked: { rows: [], columns: [] } };
}

function save(report: ConformanceReport): void {
	writeFileSync(json, `${JSON.stringify(report, undefined, '\t')}\n`);
	writeFileSync(json.replace(/json$/, 'md'), markdownOf(report, untried));
}

function write(column: Column): void {
	const rank = ({ agent, is }: Column) =>
		agentsUnderTest.findIndex(({ id }) => id === agent) * 3 + ['pinned', 'newest', 'floor'].indexOf(is);
	// A floor that no driver names any more goes.
	const isFloor = ({ agent, is, version }: Column) => {
		const driver = driverById(agentsUnderTest.find(({ id }) => id === agent)?.driver ?? '');
		return is !== 'floor' || (driver !== undefined && floorVersions(driver).includes(version));
	};
	const isSame = (each: Column) =>
		rank(each) === rank(column) && (column.is !== 'floor' || each.version === column.version);
	const others = reportNow().columns.filter(each => !isSame(each) && isFloor(each));
	const byVersion = (a: Column, b: Column) => a.version.localeCompare(b.version, 'en', { numeric: true });
	const columns = [...others, column]
		.filter(each => rank(each) >= 0)
		.sort((a, b) => rank(a) - rank(b) || byVersion(a, b));
	save({ ...reportNow(), rows: cells.map(rowOf), columns });
}

/** What a failing cell saw goes into a file: it is long. */
function keep(name: string, details: string): void {
	mkdirSync(failures, { recursive: true });
	writeFileSync(join(failures, `${name}.txt`), `${details}\n`);
}

function lineOf(id: string, { is, because, understated, ms }: CellResult): string {
	const seconds = `${(ms / 1000).toFixed(1)} s`.padStart(7);
	return [is.padEnd(12), seconds, id.padEnd(16), because ?? '', understated ? '(UNDERSTATED)' : '']
		.join('  ')
		.trimEnd();
}
