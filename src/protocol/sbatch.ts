import * as z from 'zod/mini';

/**
 * Long options that change what Nancy itself says to `sbatch`, or what its output means. `sbatch` takes every beginning of a name that is
 * clear, so those are refused too.
 */
const OWN = [
	'array',
	'chdir',
	'cluster',
	'clusters',
	'error',
	'export',
	'export-file',
	'get-user-env',
	'gid',
	'help',
	'hold',
	'input',
	'job-name',
	'open-mode',
	'output',
	'parsable',
	'requeue',
	'test-only',
	'uid',
	'usage',
	'version',
	'wait',
	'wrap',
];
/** Short options that may be given. All of them take a value: account, begin, constraint, cpus, GPUs, licenses, and so on. */
const SHORT = /^-[AbCcGLNnpqtwx]/;
const LONG = /^--([a-z][a-z0-9-]*)(?:=|$)/;

function isTaken(argument: string, before: string | undefined): boolean {
	// The value of a short option.
	if (before !== undefined && before.length === 2 && SHORT.test(before)) return !argument.startsWith('-');
	const name = LONG.exec(argument)?.[1];
	return name === undefined ? SHORT.test(argument) : !OWN.some(own => own.startsWith(name));
}

function areTaken(args: readonly string[]): boolean {
	let before: string | undefined;
	for (const argument of args) {
		if (!isTaken(argument, before)) return false;
		// A value is no option, whatever it looks like.
		before = before !== undefined && before.length === 2 && SHORT.test(before) ? undefined : argument;
	}
	return before === undefined || before.length !== 2;
}

/**
 * Arguments for `sbatch`: where a job runs, and with what. A long option has its value behind a `=`; a short one has it in the same word, or in
 * the next. Everything else would be taken for a script.
 */
export const SbatchArguments = z.array(z.string().check(z.regex(/^[^\p{Cc}]{1,500}$/u))).check(
	z.maxLength(50),
	z.refine(areTaken, {
		error: 'takes --name=value or -x value, and none of --array, --export, --job-name, --output, --wait, --wrap and the like, which Nancy gives',
	}),
);

/** Whether a time limit is among them. */
export function limitsTime(args: readonly string[]): boolean {
	return args.some(each => /^(?:-t|--tim?e?(?:=|$))/.test(each));
}
