import { generated } from './generated.mjs';
import { run } from './run.mjs';

/** A checker that looked at nothing must not pass: `looked` reads from its output how many files it saw. */
const CHECKS = [
	{
		// With the errors of TypeScript's compiler: it reads all files for the rules anyway.
		name: 'oxlint',
		args: ['--type-aware', '--type-check', '--deny-warnings'],
		fix: ['--fix'],
		looked: output => /on (\d+) files? with/.exec(output)?.[1],
	},
	{
		name: 'oxfmt',
		args: ['--check'],
		fixInstead: ['--write', '.'],
		looked: output => /on (\d+) files?/.exec(output)?.[1],
	},
	{
		name: 'knip',
		args: ['--no-config-hints', '--performance'],
		looked: output => /^getImportsAndExports\s+(\d+)/m.exec(output)?.[1],
		hide: /^\n?Name +size[^]*/m,
	},
];

/**
 * Runs all checkers and prints one line for each.
 * @param {{ fix: boolean, print?: (text: string) => void }} options
 * @returns {Promise<boolean>} whether all are content
 */
export async function check({ fix, print = console.log }) {
	const verdicts = [await judgeGenerated(fix, print)];
	for (const checker of CHECKS) verdicts.push(await judge(checker, fix, print));
	return verdicts.every(Boolean);
}

/** Before the formatter, which then sees what was written. */
async function judgeGenerated(fix, print) {
	const started = Date.now();
	const { looked, stale } = await generated({ fix });
	const good = fix || stale.length === 0;
	const cure = good ? '' : `${stale.join(', ')} differ from the drivers; run npm run check -- --fix; `;
	print(`${good ? 'ok  ' : 'FAIL'} generated: ${cure}${looked} files, ${Date.now() - started} ms`);
	return good;
}

async function judge({ name, args, fix, fixInstead, looked, hide }, fixing, print) {
	const started = Date.now();
	const withFix = fixInstead ?? [...args, ...(fix ?? [])];
	const { code, output } = await run(name, fixing ? withFix : args, { quiet: true, yields: true });
	const files = Number(looked(output) ?? 0);
	const good = code === 0 && (files > 0 || fixing);
	if (!good) print((hide ? output.replaceAll(new RegExp(hide, 'gm'), '') : output).trim());
	const reason = code === 0 ? 'looked at no file' : 'failed';
	print(`${good ? 'ok  ' : 'FAIL'} ${name}: ${good ? '' : `${reason}, `}${files} files, ${Date.now() - started} ms`);
	return good;
}
