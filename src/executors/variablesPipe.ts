import { execFile } from 'node:child_process';
import { constants, lstatSync, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { VariableName } from '../protocol/podFields.ts';
import type { JobFiles } from './jobFiles.ts';

/** For so long a job waits for the variables of its agent, in milliseconds. Who watches it looks every few seconds. */
export const WAIT_MS = 10 * 60_000;
/** In UTF-16 units. */
const LONGEST = 1024 * 1024;

/** The variables of an agent, by their names. */
export const Variables = z.record(VariableName, z.string());
export type Variables = z.infer<typeof Variables>;

/** Whether the job says that it waits for its variables: see {@link variablesFromPipe}. Its agent can say so too. */
export function isWaiting(files: JobFiles): boolean {
	return lstatSync(files.variablesPipe, { throwIfNoEntry: false })?.isFIFO() === true;
}

/** The text for the pipe of a job. */
export function pipedVariables(variables: Variables): string {
	return `${JSON.stringify(variables)}\n`;
}

/**
 * In the process that runs a job: waits for the variables of its agent. They come through a pipe, so they are on no disk.
 * @throws NancyError `timeout` if nobody brings them; `bad-file` if what comes is none
 */
export async function variablesFromPipe(files: JobFiles, signal: AbortSignal): Promise<Variables> {
	const { variablesPipe: file } = files;
	await rm(file, { force: true });
	await promisify(execFile)('mkfifo', ['-m', '600', file]);
	// Open for both: otherwise it would wait here, and end with the first one that writes.
	const pipe = new Socket({ fd: openSync(file, constants.O_RDWR | constants.O_NONBLOCK), writable: false });
	const over = new AbortController();
	const end = () => over.abort();
	const limit = setTimeout(end, WAIT_MS);
	signal.addEventListener('abort', end);
	if (signal.aborted) end();
	try {
		return variablesIn(await lineFrom(pipe, over.signal));
	} finally {
		clearTimeout(limit);
		signal.removeEventListener('abort', end);
		// First: a writer that comes in between would find nobody who reads.
		await rm(file, { force: true });
		pipe.destroy();
	}
}

/** The error quotes nothing of the text, which may be half a secret. */
function variablesIn(text: string): Variables {
	try {
		return Variables.parse(JSON.parse(text));
	} catch {
		throw new NancyError('bad-file', phrase`what came as the variables of "forwardEnv" is none`);
	}
}

function lineFrom(pipe: Socket, waiting: AbortSignal): Promise<string> {
	return new Promise((resolve, reject) => {
		let text = '';
		const fail = (why: NancyError) => reject(why);
		const over = () =>
			fail(new NancyError('timeout', phrase`the variables of "forwardEnv" have not come in ten minutes`));
		if (waiting.aborted) return over();
		waiting.addEventListener('abort', over, { once: true });
		pipe.setEncoding('utf8').on('error', error => reject(error));
		pipe.on('data', (part: string) => {
			text += part;
			if (text.length > LONGEST)
				fail(new NancyError('bad-file', phrase`the variables of "forwardEnv" are too long`));
			const end = text.indexOf('\n');
			if (end >= 0) resolve(text.slice(0, end));
		});
	});
}
