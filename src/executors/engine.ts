import { spawn } from 'node:child_process';
import { isAbsolute } from 'node:path';
import * as z from 'zod/mini';
import { errorText } from '../base/errors.ts';
import { isAgents, isExecutable, onPath } from '../base/searchPath.ts';
import { visibleLine } from '../base/visible.ts';
import { signal } from '../process/signal.ts';
import { DelegateId } from '../protocol/delegate.ts';

/** The name of a job of Nancy's in a queue. */
export const JobName = z.templateLiteral(['nancy-', DelegateId]);

/** A job of a queue, as its engine says: a hint. */
export const QueuedJob = z.object({
	name: z.string(),
	is: z.enum(['queued', 'running', 'ended']),
	/** Why it is in this state, such as `Resources`. Empty for one that has ended well. */
	says: z.string(),
	/** It waits for ever, unless an administrator changes the cluster. */
	isHopeless: z.optional(z.boolean()),
});
export type QueuedJob = z.infer<typeof QueuedJob>;

/** What is submitted. */
export interface Submission {
	name: string;
	script: string;
	/** The job's own, on the machine that submits. */
	folder: string;
	/** What its shell prints goes to the end of this file. */
	output: string;
	wallSeconds: number;
}

/** What has jobs wait for a place, on a machine that submits to it. Every call has a time limit. */
export interface Engine {
	/** In words for its user. */
	readonly title: string;
	/** Engines with the same one know the same jobs. */
	readonly key: string;
	/** For so long after it was submitted, {@link jobs} may not have a job, in milliseconds. */
	readonly listingMs: number;
	/** Why nothing can be submitted from this machine. */
	missing(): string | undefined;
	/**
	 * All jobs of the user, and those that have just ended.
	 * @throws NancyError `timeout` if it does not answer
	 */
	jobs(): Promise<QueuedJob[]>;
	/**
	 * @returns why it was refused, if it is not among {@link jobs} after {@link listingMs}; `undefined` if it was accepted
	 * @throws NancyError `timeout` if nobody knows
	 */
	submit(submission: Submission): Promise<string | undefined>;
	/**
	 * Takes all jobs of a name out, also those that run. It says nothing of a job that it does not know.
	 * @throws NancyError `timeout` if it does not answer
	 */
	cancel(name: string): Promise<void>;
	/**
	 * Asks a job that runs to end, and leaves it the time. Absent for an engine that cannot.
	 * @throws NancyError as {@link cancel}
	 */
	tell?(name: string): Promise<void>;
	/**
	 * Writes a text into a pipe of a job that runs, on its machine. Absent for an engine that cannot.
	 * @throws NancyError as {@link cancel}
	 */
	pipe?(name: string, file: string, text: string): Promise<void>;
}

/** For one command, in milliseconds. Slurm's own limit for an answer of its controller is ten seconds by default. */
const COMMAND_MS = 25_000;
/** In UTF-16 units. */
const LONGEST_OUTPUT = 16 * 1024 * 1024;
const LONGEST_ERRORS = 8000;
/** For the rest of its output, once a command has ended, in milliseconds. A job that it has begun may hold its output open. */
const REST_MS = 2000;

export interface Called {
	/** `undefined` if nobody knows what it has done. */
	code: number | undefined;
	output: string;
	/** Its own words, or what has happened to it. */
	complaint: string;
	/** The end of its error output, as it is. */
	errors: string;
}

/** An executable file by its name or its absolute path. */
export function programOf(name: string): string | undefined {
	if (!isAbsolute(name)) return onPath(name, process.env);
	return isExecutable(name) && !isAgents(name) ? name : undefined;
}

/** Runs one command of an engine. What it starts is killed with it at the time limit, unless that leads a group of its own. */
export function callEngine(words: readonly string[], env: NodeJS.ProcessEnv, input = ''): Promise<Called> {
	const [name = '', ...args] = words;
	const program = programOf(name);
	if (program === undefined)
		return Promise.resolve({
			code: undefined,
			output: '',
			complaint: `a login shell finds no ${name}`,
			errors: '',
		});
	return new Promise(resolve => {
		const child = spawn(program, args, { env, detached: true, windowsHide: true });
		let [output, errors] = ['', ''];
		const settle = (code: number | undefined, otherwise: string) => {
			clearTimeout(limit);
			child.stdout.destroy();
			child.stderr.destroy();
			resolve({ code, output, complaint: visibleLine(errors.trim() || otherwise, 400), errors });
		};
		const kill = (why: string) => {
			if (child.pid !== undefined) signal(-child.pid, 'SIGKILL');
			settle(undefined, why);
		};
		const limit = setTimeout(() => kill(`no answer of ${name} in ${COMMAND_MS / 1000} s`), COMMAND_MS);
		child.stdout.setEncoding('utf8').on('data', (text: string) => {
			output += text;
			if (output.length > LONGEST_OUTPUT) kill(`the answer of ${name} is too long`);
		});
		child.stderr.setEncoding('utf8').on('data', (text: string) => {
			errors = `${errors}${text}`.slice(-LONGEST_ERRORS);
		});
		child.stdin.on('error', () => undefined); // it has ended without reading all of it
		child.stdin.end(input);
		child.once('error', error => settle(undefined, errorText(error)));
		child.once('exit', (code, by) => {
			const end = () => settle(code ?? undefined, `${name} ended with ${code ?? by}`);
			clearTimeout(limit);
			const rest = setTimeout(end, REST_MS);
			child.once('close', () => {
				clearTimeout(rest);
				end();
			});
		});
	});
}
