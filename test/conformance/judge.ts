import { setTimeout as sleep } from 'node:timers/promises';
import { errorText } from '../../src/base/errors.ts';
import { formatVersion, type Version } from '../../src/base/version.ts';
import { can, type Capability } from '../../src/core/driver/abilities.ts';
import type { Driver } from '../../src/core/driver/driver.ts';
import { partly, type Cell, type Verdict } from './cell.ts';
import { conformanceLab, versionOf, type Candidate, type ConformanceLab } from './lab.ts';
import type { CellResult } from './report.ts';
import type { TalkedAgent, TalkedCell } from './talked.ts';

/** Longest time a cell may take, in milliseconds. */
const LIMIT_MS = 240_000;

/**
 * Tries one cell on one CLI and holds it against what the driver declares: what it claims and is not seen is a failure; what it
 * declares as missing is not possible, for the reason it gives, and if it works all the same the result says so.
 * @param onFailure is told what stood on the screens
 */
export async function judge(
	cell: Cell,
	candidate: Candidate,
	onFailure: (details: string) => void = () => undefined,
): Promise<CellResult> {
	const started = Date.now();
	const after = (verdict: Omit<CellResult, 'ms'>): CellResult => ({ ...verdict, ms: Date.now() - started });
	const because = lackOf(cell, candidate.driver, versionOf(candidate));
	const limit = limitOf(cell, candidate.driver);
	const lab = () => conformanceLab(candidate, cell.lab);
	if (because !== undefined) {
		const works = cell.triedAnyway && (await tried(cell, lab).then(isSeen, () => false));
		return after({ is: 'not possible', because, ...(works && { understated: true }) });
	}
	try {
		const verdict = await tried(cell, lab, onFailure);
		return after(limit === undefined || verdict.is === 'not possible' ? verdict : withLimit(verdict, limit));
	} catch (error) {
		return after({ is: 'fails', because: firstLine(errorText(error)) });
	}
}

/** Tries one cell on an agent that Nancy talks with. @param onFailure is told what stood on the screens */
export async function judgeTalked(
	cell: TalkedCell,
	agent: TalkedAgent,
	onFailure: (details: string) => void,
): Promise<CellResult> {
	const started = Date.now();
	const lack = agent.lacks?.[cell.id];
	if (lack !== undefined) return { is: 'not possible', because: lack, ms: 0 };
	const verdict = await tried(cell, () => agent.lab(cell.asks === true), onFailure).catch((error: unknown) => ({
		is: 'fails' as const,
		because: firstLine(errorText(error)),
	}));
	return { ...verdict, ms: Date.now() - started };
}

/** Why a cell is not possible on a version of a CLI, in the driver's words; undefined where the driver claims all that it needs. */
export function lackOf(cell: Cell, driver: Driver, version: Version): string | undefined {
	const lacking = cell.needs.find(capability => !can(driver, capability, version));
	return lacking && reasonFor(driver, lacking);
}

/** What a driver says to limit the ability that a cell is about. */
export function limitOf(cell: Cell, driver: Driver): string | undefined {
	const limit = cell.about && driver.limits[cell.about];
	return limit === undefined ? undefined : String(limit);
}

async function tried(
	cell: Pick<Cell, 'run'>,
	begin: () => Promise<ConformanceLab>,
	onFailure?: (details: string) => void,
): Promise<Verdict> {
	await using lab = await begin();
	const timer = new AbortController();
	const late = sleep(LIMIT_MS, undefined, { signal: timer.signal }).then(() => {
		throw new Error(`It was not over after ${LIMIT_MS / 1000} s`);
	});
	try {
		return await Promise.race([cell.run(lab), late]);
	} catch (error) {
		onFailure?.(await detailsOf(lab, error));
		throw error;
	} finally {
		late.catch(() => undefined); // it was over in time
		timer.abort();
	}
}

/** What the driver says of itself, and what was seen beyond that. */
function withLimit(verdict: Verdict, limit: string): Verdict {
	const isSaid = verdict.is === 'works' || (verdict.because !== undefined && limit.includes(verdict.because));
	return partly(isSaid ? limit : `${limit} ${verdict.because}`);
}

function isSeen(verdict: Verdict): boolean {
	return verdict.is !== 'not possible';
}

function reasonFor(driver: Driver, capability: Capability): string {
	const floor = driver.floors[capability];
	if (floor !== 'none') return `It can since version ${formatVersion(floor)}.`;
	return String(driver.limits[capability] ?? `${driver.displayName} has nothing for it.`);
}

/** What stood on the screens, what the model got, and what became of the messages. */
async function detailsOf(lab: ConformanceLab, error: unknown): Promise<string> {
	const screens = lab.screens().map(screen => `--- screen\n${screen}`);
	const requests = lab.requests().map((request, index) => {
		const turns = request.turns.map(
			turn => `${turn.speaker}: ${turn.text.slice(-600)} ⟨${turn.toolOutput.slice(-300)}⟩`,
		);
		return `--- request ${index + 1}\n${turns.join('\n')}`;
	});
	const { tasks } = await lab.nancy.tasks();
	const workers = (await Promise.all(tasks.map(({ name }) => lab.nancy.workers(name)))).flatMap(each => each.workers);
	const mail = await Promise.all(
		workers.map(async ({ task, name }) => {
			const { messages } = await lab.nancy.mailbox({ task, worker: name }).list();
			const told = messages.map(({ id, state, held, receipt }) => ({ id, state, held, receipt }));
			return `--- mailbox of ${task}/${name}\n${JSON.stringify(told, undefined, '\t')}`;
		}),
	);
	const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
	return [reason, ...mail, ...screens, ...requests].join('\n\n');
}

function firstLine(text: string): string {
	return text.split('\n', 1)[0] ?? '';
}
