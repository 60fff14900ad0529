// npm run conformance [-- --agent X] [-- --newest] [-- --floors] [-- words in cells' names…]: see scripts/conformance.mjs, which installs the CLIs.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod/mini';
import { driverById } from '../../src/drivers/index.ts';
import { agentsUnderTest } from '../support/agents/index.ts';
import { localAgent, pinnedAgent } from '../support/pinnedAgent.ts';
import { cells } from './cells.ts';
import { beginningWith, floorVersions, shows } from './floors.ts';
import { judge } from './judge.ts';
import type { Candidate } from './lab.ts';
import { markdownOf } from './markdown.ts';
import { untried } from './untried.ts';
import { columnOf, ConformanceReport, type CellResult, type Column } from './report.ts';

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
		/** The versions that abilities begin with, in place of the pinned one. They are installed. */
		floors: { type: 'boolean', default: false },
	},
});
const newest = z.record(z.string(), z.string()).parse(JSON.parse(values.newest));
const chosen = cells.filter(({ id }) => words.length === 0 || words.some(word => id.includes(word)));
if (chosen.length === 0)
	throw new Error(`no cell is called ${words.join(' or ')}: ${cells.map(({ id }) => id).join(', ')}`);

let isBroken = false;
for (const agent of agentsUnderTest) {
	if (values.agent && !values.agent.includes(agent.id)) continue;
	const driver = driverById(agent.driver);
	if (!driver) throw new Error(`there is no driver ${agent.driver}`);
	if (values.floors) {
		for (const version of floorVersions(driver)) {
			const abilities = beginningWith(driver, version);
			await fill(
				{ agent, driver, installed: localAgent(agent.id, version) },
				'floor',
				chosen.filter(cell => shows(cell, abilities)),
			);
		}
		continue;
	}
	const pinned = pinnedAgent(agent.id);
	const latest = newest[agent.id];
	await fill({ agent, driver, installed: pinned }, 'pinned');
	if (latest !== undefined && latest !== pinned.version)
		await fill({ agent, driver, installed: localAgent(agent.id, latest) }, 'newest');
}
process.exitCode = isBroken ? 1 : 0;

/** Tries the chosen cells on one CLI and writes what is known by then, so that a run that is broken off leaves its part. */
async function fill(candidate: Candidate, is: Column['is'], tried = chosen): Promise<void> {
	const { version } = candidate.installed;
	const { id } = candidate.agent;
	const { displayName } = candidate.driver;
	console.log(`\n== ${displayName} ${version}`);
	const known = columnsNow().find(
		each => each.agent === id && each.is === is && (is !== 'floor' || each.version === version),
	);
	const today = new Date().toISOString().slice(0, 10);
	const isWhole = chosen.length === cells.length;
	const column = columnOf({ agent: id, displayName, version, is }, known, { isWhole, today });
	const waiting = [...tried];
	const work = async () => {
		for (let cell = waiting.shift(); cell; cell = waiting.shift()) {
			const name = `${id}-${version}-${cell.id}`;
			const result = await judge(cell, candidate, details => keep(name, details));
			column.cells[cell.id] = result;
			isBroken ||= result.is === 'fails';
			console.log(lineOf(cell.id, result));
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, work));
	write(column);
}

/** Read anew each time: a run for another CLI may be under way. */
function columnsNow(): readonly Column[] {
	return existsSync(json) ? ConformanceReport.parse(JSON.parse(readFileSync(json, 'utf8'))).columns : [];
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
	const others = columnsNow().filter(each => !isSame(each) && isFloor(each));
	const byVersion = (a: Column, b: Column) => a.version.localeCompare(b.version, 'en', { numeric: true });
	const columns = [...others, column]
		.filter(each => rank(each) >= 0)
		.sort((a, b) => rank(a) - rank(b) || byVersion(a, b));
	const rows = cells.map(({ id, title }) => ({ id, title }));
	const report = ConformanceReport.parse({ version: 1, rows, columns });
	writeFileSync(json, `${JSON.stringify(report, undefined, '\t')}\n`);
	writeFileSync(json.replace(/json$/, 'md'), markdownOf(report, untried));
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
