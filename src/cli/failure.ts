import type * as z from 'zod/mini';
import { NancyError, type NancyErrorCode } from '../base/errors.ts';
import type { CommandDescription } from './description.ts';

/** Exit codes of `nancy`, as docs/cli.md and `nancy --help` list them. */
export const ExitCode = {
	ok: 0,
	failed: 1,
	usage: 2,
	notFound: 3,
	timeout: 4,
	notTrusted: 5,
	tooLate: 6,
	cancelled: 130,
} as const;

export const exitCodeMeanings: readonly (readonly [code: number, meaning: string])[] = [
	[ExitCode.ok, 'done'],
	[ExitCode.failed, 'it failed; stderr says why and what to do'],
	[ExitCode.usage, 'the command line, a name or the message is not valid'],
	[ExitCode.notFound, 'no such workspace, task, worker, message or agent program'],
	[ExitCode.timeout, 'wait: nothing happened in time; run: it took too long'],
	[ExitCode.notTrusted, 'the caller may not do this'],
	[ExitCode.tooLate, 'things are not as the command needs them: running already, read already, exists already'],
	[ExitCode.cancelled, 'run: it was cancelled'],
];

const exitCodeByError: Readonly<Record<NancyErrorCode, number>> = {
	'bad-name': ExitCode.usage,
	'bad-message': ExitCode.usage,
	'bad-usage': ExitCode.usage,
	'bad-file': ExitCode.failed,
	'not-a-workspace': ExitCode.notFound,
	'no-task': ExitCode.notFound,
	'no-project': ExitCode.notFound,
	'no-message': ExitCode.notFound,
	'no-question': ExitCode.notFound,
	'no-agent': ExitCode.notFound,
	'agent-too-old': ExitCode.failed,
	'settings-broken': ExitCode.failed,
	'settings-changed': ExitCode.failed,
	git: ExitCode.failed,
	io: ExitCode.failed,
	timeout: ExitCode.timeout,
	'not-trusted': ExitCode.notTrusted,
	'task-exists': ExitCode.tooLate,
	'not-queued': ExitCode.tooLate,
	busy: ExitCode.tooLate,
	starting: ExitCode.tooLate,
	'wrong-state': ExitCode.tooLate,
};

const exitCodes: ReadonlyMap<string, number> = new Map(Object.entries(exitCodeByError));

/** The exit code for an error with this code of a `NancyError`. */
export function exitCodeFor(code: string): number {
	return exitCodes.get(code) ?? ExitCode.failed;
}

/** Says which argument is wrong, or missing, and what it may be. */
export function usageError(
	description: CommandDescription,
	issue: z.core.$ZodIssue | undefined,
	isMissing: boolean,
): NancyError {
	const name = String(issue?.path[0] ?? '');
	const see = `nancy ${description.name} --help shows how`;
	const positional = description.positionals.find(candidate => candidate.name === name);
	const shown = positional ? positional.label : `--${name}`;
	const option = description.options[name];
	const help = positional?.help ?? option?.expects ?? option?.help ?? '';
	const wrong = isMissing ? 'is missing' : 'is not valid';
	return new NancyError('bad-usage', `${shown} ${wrong}: ${(issue && allowedBy(issue)) ?? help}; ${see}`);
}

/** What the schema itself says that a value may be. */
function allowedBy(issue: z.core.$ZodIssue): string | undefined {
	switch (issue.code) {
		case 'invalid_value':
			return `use ${list(issue.values.map(String))}`;
		case 'too_small':
			return 'it may not be empty';
		case 'too_big':
			return `use at most ${issue.maximum} characters`;
		default:
			return undefined;
	}
}

function list(values: readonly string[]): string {
	const last = values.at(-1) ?? '';
	return values.length < 2 ? last : `${values.slice(0, -1).join(', ')} or ${last}`;
}
