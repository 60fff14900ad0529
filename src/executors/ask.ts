import { spawn } from 'node:child_process';
import * as z from 'zod/mini';
import { errorText, hasCode, NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { withSafePath } from '../base/searchPath.ts';
import { visibleLine } from '../base/visible.ts';

/** Every line that a step of Nancy's prints there. A `.profile` may print others. */
const MARK = 'NANCY ';
/** Limit of one answer, in bytes. */
const LONGEST_ANSWER = 16 * 1024 * 1024;
/** Limit of the error output that is kept, in characters. */
const LONGEST_COMPLAINT = 2000;

/** What a shell ends with whose command is not there, or cannot be run (POSIX). */
const [NOT_FOUND, NOT_RUN] = [127, 126];

interface Asked {
	/** The answer in the marked line. Without that line nobody knows what the command did. */
	answer: unknown;
	/** The program's own words, if there is none. */
	why: string;
	/** It has not ended in its time. */
	isHung: boolean;
	/** A shell has not found or not run the command. */
	isRefused: boolean;
}

/** Runs a program that runs a command on a machine, and returns what the marked line of its output says. It has a time limit. */
export function ask(
	program: string,
	args: readonly string[],
	input: string,
	timeoutMs: number,
	env: NodeJS.ProcessEnv = process.env,
): Promise<Asked> {
	return new Promise(resolve => {
		const child = spawn(program, args, {
			stdio: ['pipe', 'pipe', 'pipe'],
			windowsHide: true,
			env: withSafePath(env),
		});
		let output = '';
		let complaint = '';
		child.stdout.setEncoding('utf8').on('data', (text: string) => {
			output += text;
			if (output.length > LONGEST_ANSWER) stop('its answer is too long');
		});
		child.stderr.setEncoding('utf8').on('data', (text: string) => {
			complaint = `${complaint}${text}`.slice(-LONGEST_COMPLAINT);
		});
		child.stdin.on('error', () => undefined); // it has ended without reading all of it
		child.stdin.end(input);
		let ended: string | undefined;
		let isHung = false;
		let isRefused = false;
		let isRead = false;
		const settle = () => {
			if (ended === undefined || !isRead) return;
			clearTimeout(timer);
			resolve({
				answer: markedLine(output),
				why: visibleLine(complaint.trim() || ended, 300),
				isHung,
				isRefused,
			});
		};
		const stop = (why: string) => {
			child.kill('SIGKILL');
			child.stdout.destroy();
			[ended, isRead] = [why, true];
			settle();
		};
		// Also of what has ended: a program that it leaves behind may hold its output open.
		const timer = setTimeout(() => {
			isHung = true;
			stop(`no answer in ${timeoutMs / 1000} s`);
		}, timeoutMs);
		child.once('error', error => stop(error.message));
		// A shared connection goes on in the background. It holds the error output open, so "close" would not come.
		child.once('exit', (code, signal) => {
			ended ??= `${program} ended with ${code ?? signal}`;
			isRefused = code === NOT_FOUND || code === NOT_RUN;
			settle();
		});
		child.stdout.once('end', () => {
			isRead = true;
			settle();
		});
	});
}

/** The content of the last whole marked line. */
export function markedLine(output: string): unknown {
	const lines = output.split('\n').slice(0, -1);
	const line = lines.findLast(each => each.startsWith(MARK));
	try {
		return line === undefined ? undefined : JSON.parse(line.slice(MARK.length));
	} catch {
		return undefined;
	}
}

/** What {@link markedLine} finds. */
export function marked(value: unknown): string {
	return `${MARK}${JSON.stringify(value)}`;
}

const Failed = z.object({ error: z.optional(z.string()), isTimeout: z.optional(z.boolean()) });

/** What a step says that has failed. */
export function failedStep(error: unknown): z.infer<typeof Failed> {
	return { error: errorText(error), ...(hasCode(error, 'timeout') && { isTimeout: true }) };
}

/**
 * @param place the machine, in words for its user
 * @throws NancyError with the words of a step that failed there. The code is `timeout` if the step may succeed later, as by a queue that
 * does not answer; else `io`
 */
export function refuseError(answer: unknown, place: string): unknown {
	const { error, isTimeout } = Failed.parse(answer);
	if (error === undefined) return answer;
	throw new NancyError(isTimeout ? 'timeout' : 'io', phrase`${place} says: ${visibleLine(error, 500)}`);
}
