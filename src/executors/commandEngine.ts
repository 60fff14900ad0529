import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { visibleLine } from '../base/visible.ts';
import { redactValue } from '../core/traffic/redact.ts';
import { wordsFor, type QueueCommands } from '../protocol/queueCommands.ts';
import { callEngine, JobName, programOf, type Engine, type QueuedJob } from './engine.ts';

/** Sites keep the answer of such a command for a while, so that the engine is seldom asked. In milliseconds. */
const LISTING_MS = 30_000;

/**
 * Any queue, by three commands that the user names. No shell reads their words.
 * - `submit` gets the script on its standard input. It ends with 0 if it has taken the job.
 * - `look` prints a line for each job: its name, `queued`, `running` or `ended`, and perhaps a reason. A job without a line is not in the queue.
 * - `cancel` takes a job out, whether or not it runs. It ends with 0 also for a job that is not there, or `look` does not list it then.
 */
export function commandEngine({ submit, look, cancel }: QueueCommands): Engine {
	const noAnswer = (complaint: string) => new NancyError('timeout', phrase`the queue does not answer: ${complaint}`);
	const jobs = async () => {
		const { code, output, complaint } = await callEngine(look, environment());
		if (code !== 0) throw noAnswer(complaint);
		return output.split('\n').flatMap(line => jobIn(line) ?? []);
	};
	return {
		title: 'the queue',
		key: createHash('sha256').update(JSON.stringify(look)).digest('hex').slice(0, 16),
		listingMs: LISTING_MS,
		missing() {
			const missing = [submit, look, cancel].flatMap(([program = '']) => (programOf(program) ? [] : [program]));
			return missing.length === 0 ? undefined : `a login shell there finds no ${missing.join(', ')}`;
		},
		jobs,
		async submit({ name, script }) {
			const { code, complaint } = await callEngine(wordsFor(submit, name), environment(), script);
			if (code === undefined) throw noAnswer(complaint);
			return code === 0 ? undefined : complaint;
		},
		async cancel(name) {
			const { code, complaint } = await callEngine(wordsFor(cancel, name), environment());
			if (code === 0) return;
			const isThere = ({ name: each, is }: QueuedJob) => each === name && is !== 'ended';
			if (code === undefined || (await jobs()).some(isThere)) throw noAnswer(complaint);
		},
	};
}

const State = z.enum(['queued', 'running', 'ended']);

/**
 * @returns `undefined` for a line that is not of a job of Nancy's
 * @throws NancyError `timeout` for a job in a state that is none: nobody knows whether it is there
 */
function jobIn(line: string): QueuedJob | undefined {
	const [name, state, ...reason] = line.trim().split(/\s+/);
	if (!JobName.safeParse(name).success || name === undefined) return undefined;
	const { data: is } = State.safeParse(state);
	if (is === undefined)
		throw new NancyError(
			'timeout',
			phrase`the queue says ${visibleLine(state ?? '')} of a job, which is none of queued, running and ended`,
		);
	const says = visibleLine(reason.join(' '), 200);
	return { name, is, says: says === '' && is !== 'ended' ? is : says };
}

/**
 * Many engines keep the environment of a submission on a disk, and give it to the job. So variables with secrets stay out. Nancy's own would make
 * an agent of the job's runner: see core/asker/asker.
 */
function environment(): NodeJS.ProcessEnv {
	const isKept = ([name, value = '']: [string, string | undefined]) =>
		name === 'PATH' || (!name.startsWith('NANCY_') && redactValue(name, value) === value);
	return Object.fromEntries(Object.entries(process.env).filter(isKept));
}
