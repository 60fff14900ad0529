import { statSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import { parseBudget, type Budget } from '../protocol/budget.ts';
import { IsolationChoice } from '../protocol/isolation.ts';
import type { Context } from './command.ts';

/** A duration in seconds from the command line. */
export function seconds(option: string, typed: string): number {
	const value = Number(typed);
	if (Number.isFinite(value) && value > 0 && value < 10_000_000) return value;
	throw new NancyError('bad-usage', `${option} needs a number of seconds, not "${typed}"`);
}

/** A budget from the command line. */
export function budgetOf(typed: string | undefined): Budget | undefined {
	const budget = typed === undefined ? undefined : parseBudget(typed);
	if (typed === undefined || budget) return budget;
	throw new NancyError('bad-usage', `--budget needs tokens or dollars, such as 200k or '$2.50', not "${typed}"`);
}

/** A sandbox from the command line. */
export function isolationOf(typed: string | undefined): IsolationChoice | undefined {
	const choice = z.optional(IsolationChoice).safeParse(typed);
	if (choice.success) return choice.data;
	throw new NancyError('bad-usage', `--isolate needs ${IsolationChoice.options.join(', ')}, not "${typed}"`);
}

/** @throws NancyError `bad-usage` where there is no such folder */
export function workingFolder(named: string | undefined, { cwd }: Context): string {
	const folder = resolve(cwd, named ?? '.');
	if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
	throw new NancyError('bad-usage', `there is no folder ${folder} to work in; name one with --working-dir`);
}

/** A swarm's name for a worker whose prompt is in this file. */
export function featureOf(promptFile: string | undefined): string | undefined {
	return promptFile === undefined ? undefined : basename(promptFile, extname(promptFile));
}

/** How long a run may take, in seconds, as typed. */
export function limitsOf(typed: { timeout?: string | undefined; 'idle-timeout'?: string | undefined }): {
	wallSeconds: number | undefined;
	idleSeconds: number | undefined;
} {
	const limit = (option: 'timeout' | 'idle-timeout') => {
		const value = typed[option];
		return value === undefined ? undefined : seconds(`--${option}`, value);
	};
	return { wallSeconds: limit('timeout'), idleSeconds: limit('idle-timeout') };
}
