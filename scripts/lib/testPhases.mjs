import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { agentIds } from '../../test/support/pinnedAgent.ts';
import { buildForAll } from '../../test/support/programs.ts';
import { root } from './bootstrap.mjs';
import { build } from './bundles.mjs';
import { check } from './check.mjs';
import { useFastTemp } from './fastTemp.mjs';
import { installAgent } from './installAgent.mjs';
import { installChromium } from './installChromium.mjs';
import { installTools } from './installPackages.mjs';
import { installVscodeServer } from './installVscodeServer.mjs';
import { packageAll } from './packageExtension.mjs';
import { run } from './run.mjs';
import { untilStopped } from './untilStopped.mjs';

const results = join(root, 'out', 'results');
/** Where a phase leaves what was on the screen when a test failed. */
export const failures = join(root, 'out', 'failures');

/** In characters. The assertion and the line come first. */
const LONGEST_REASON = 2000;

/**
 * In the order in which they run. `needs`: what must be installed; `also`: runs too when one of these is asked for; `beside`:
 * begins with that phase, in turn with others that do, and may last longer, for it mostly waits.
 * `run` gets which tests are asked for and how programs are started; it returns totals, or a boolean where there are no tests to count.
 */
const PHASES = [
	{ name: 'build', needs: [], run: buildAll, also: ['unit', 'agent', 'host'] },
	{
		name: 'check',
		needs: [],
		run: (_, { onOutput }) => check({ fix: false, print: onOutput && (text => onOutput(`${text}\n`)) }),
		beside: 'build',
	},
	// Those beside it also wait for clocks, and would end last.
	{
		name: 'unit',
		needs: ['tools'],
		run: (which, how) => vitest('unit*', which, { ...how, yields: true }),
	},
	{
		name: 'host',
		needs: process.env.NANCY_TEST_VSCODE ? [] : ['server', 'chromium'],
		run: hostTests,
		beside: 'unit',
	},
	{ name: 'agent', needs: [...agentIds, 'tools'], run: (which, how) => vitest('agent', which, how), beside: 'unit' },
	// It builds anew what the host tests run.
	{ name: 'package', needs: [], run: () => packageAll().then(() => true), also: ['e2e'], beside: 'unit' },
	{
		name: 'e2e',
		needs: ['server', 'chromium', 'tools', 'claude-code', 'codex', 'qwen'],
		run: (which, how) => vitest('e2e', which, how),
		beside: 'unit',
	},
];

const INSTALLERS = {
	...Object.fromEntries(agentIds.map(id => [id, () => installAgent(id)])),
	server: installVscodeServer,
	chromium: installChromium,
	tools: installTools,
};

/**
 * @param {string[]} args names of phases, then words that select files
 * @param {'long || first' | '!long'} tests those of vitest with these tags: see test/support/long
 * @returns {Promise<{ failed: number, isStopped: boolean }>} how many tests failed, and whether it was told to stop before its end
 */
export async function runPhases(args, tests = '!long') {
	const named = PHASES.filter(phase => args.includes(phase.name));
	const words = args.filter(word => !PHASES.some(phase => phase.name === word));
	const asked = named.length > 0 ? named : PHASES;
	const chosen = PHASES.filter(
		phase => asked.includes(phase) || phase.also?.some(name => asked.some(one => one.name === name)),
	);
	await rm(failures, { recursive: true, force: true });
	await mkdir(results, { recursive: true });

	const started = Date.now();
	const outcomes = [];
	const putBack = useFastTemp();
	try {
		const isStopped = await untilStopped(async stopped => {
			const installing = startInstallers(new Set(chosen.flatMap(phase => phase.needs)));
			const start = (phase, onOutput) =>
				runPhase(phase, installing, { words, tests }, { signal: stopped, onOutput });
			outcomes.push(...(await runGroups(sideBySide(chosen), start, stopped)));
		});
		return { failed: isStopped ? 0 : report(outcomes, Date.now() - started), isStopped };
	} finally {
		putBack();
	}
}

/** The phases in groups that run at the same time. */
function sideBySide(chosen) {
	const groups = [];
	for (const phase of chosen) {
		const beside = groups.find(group => group[0].name === phase.beside);
		if (beside) beside.push(phase);
		else groups.push([phase]);
	}
	return groups;
}

/** The first phase of each group shows what it does while it does it; those beside it take turns and are shown whole, at the end. */
async function runGroups(groups, start, stopped) {
	const outcomes = [];
	const beside = [];
	for (const [first, ...others] of groups) {
		if (stopped.aborted) break;
		let turn = Promise.resolve();
		for (const phase of others) {
			const texts = [];
			turn = turn.then(async () => {
				const outcome = stopped.aborted ? undefined : await start(phase, text => texts.push(text));
				return { outcome, texts };
			});
			beside.push(turn);
		}
		const names = others.map(({ name }) => name).join(', ');
		console.log(`\n== ${first.name}${names && ` (beside it, shown later: ${names})`}`);
		outcomes.push(await start(first));
	}
	for (const { outcome, texts } of await Promise.all(beside)) {
		if (!outcome) break;
		console.log(`\n== ${outcome.name}\n${texts.join('')}`);
		outcomes.push(outcome);
	}
	return outcomes;
}

/** They start together and early, and finish while phases run that do not need them. */
function startInstallers(needed) {
	const installing = {};
	for (const name of needed) {
		const started = Date.now();
		installing[name] = INSTALLERS[name]().then(where => {
			const seconds = Math.round((Date.now() - started) / 1000);
			if (seconds > 0) console.log(`(installed ${name} in ${seconds} s)`);
			return where;
		});
		// Awaited where it is needed; until then a failure is nobody's unhandled rejection.
		installing[name].catch(() => undefined);
	}
	return installing;
}

async function runPhase(phase, installing, which, how) {
	const { name } = phase;
	const started = Date.now();
	try {
		for (const need of phase.needs) {
			const where = await installing[need];
			if (need === 'chromium') process.env.CHROMIUM = where;
		}
		const outcome = await phase.run(which, how);
		const totals = typeof outcome === 'boolean' ? { passed: 0, failed: outcome ? 0 : 1 } : outcome;
		const counts = typeof outcome !== 'boolean';
		const empty = counts && totals.passed + totals.failed === 0;
		return { name, ...totals, counts, empty, ms: Date.now() - started };
	} catch (error) {
		if (!how.signal.aborted) console.error(`${name}:`, error);
		return { name, passed: 0, failed: 1, counts: false, empty: false, ms: Date.now() - started };
	}
}

/** Failures come last, so that they stand in what is kept of a long log. */
function report(outcomes, ms) {
	for (const { name, reasons = [] } of outcomes) {
		for (const reason of reasons) console.log(`\n== failed in ${name}: ${reason.slice(0, LONGEST_REASON)}`);
	}
	console.log('\n== times');
	for (const { name, ms, passed, failed, counts, empty } of outcomes) {
		const tests = counts ? `${passed} passed, ${failed} failed` : failed > 0 ? 'FAILED' : 'ok';
		console.log(`${name.padEnd(8)} ${(ms / 1000).toFixed(1).padStart(6)} s  ${empty ? 'RAN NO TEST' : tests}`);
	}
	const sum = key => outcomes.reduce((total, outcome) => total + outcome[key], 0);
	const failed = sum('failed') + outcomes.filter(outcome => outcome.empty).length;
	console.log(`\n${sum('passed')} passed, ${failed} failed in ${Math.round(ms / 1000)} s`);
	return failed;
}

/** Also the programs that tests start, as a package has them: two phases need them. */
async function buildAll() {
	const folder = join(root, 'out', 'programs');
	await rm(folder, { recursive: true, force: true });
	await Promise.all([build({ minify: false }), buildForAll(folder)]);
	return true;
}

async function vitest(project, { words, tests }, how) {
	const file = join(results, `${project.replace('*', '')}.json`);
	await rm(file, { force: true });
	const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
	const { code } = await run(
		'vitest',
		['run', '--project', project, `--tagsFilter=${tests}`, ...reporters, ...words],
		how,
	);
	if (!existsSync(file)) return { passed: 0, failed: 1 };
	const {
		numPassedTests: passed,
		numFailedTests,
		numFailedTestSuites,
		testResults,
	} = JSON.parse(readFileSync(file, 'utf8'));
	// A file that does not load, or an error outside any test, fails no test but must not pass.
	const outside = code !== 0 && numFailedTests === 0 && (passed > 0 || numFailedTestSuites > 0) ? 1 : 0;
	return { passed, failed: numFailedTests + outside, reasons: testResults.flatMap(reasonsIn) };
}

/** What failed in one file, and why. */
function reasonsIn({ name, message, assertionResults }) {
	const file = relative(root, name);
	const failed = assertionResults.filter(({ status }) => status === 'failed');
	const reasons = failed.map(test => [`${file}: ${test.fullName}`, ...test.failureMessages].join('\n'));
	return failed.length === 0 && message ? [`${file}\n${message}`] : reasons;
}

async function hostTests({ words }, how) {
	const file = join(results, 'host.json');
	await rm(file, { force: true });
	const { code } = await run('node', [join('test', 'host', 'run.ts'), ...words], how);
	if (!existsSync(file)) return { passed: 0, failed: 1 };
	const { passed, failed } = JSON.parse(readFileSync(file, 'utf8'));
	return { passed, failed: code !== 0 && failed === 0 ? 1 : failed };
}
