import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { ask, failedStep } from './ask.ts';
import { remoteRoot } from './jobFiles.ts';
import { inLoginShell, remoteWords, stepWords } from './remoteWords.ts';
import type { GitThere, Way } from './way.ts';

/** The steps of executors/there. */
export type Steps = Readonly<Record<string, (input: unknown, program: string) => Promise<object>>>;

const LATE = Symbol('late');

/** This machine, where it is a login host of a cluster itself. */
export class Here implements Way {
	readonly place = 'this machine';

	/** @param steps to be taken in this process: a `nancy` below the runner of a delegate is an agent's, and may take none */
	constructor(private readonly steps?: Steps) {}

	async ask(words: readonly string[], input: string, timeoutMs: number): Promise<unknown> {
		const env = { SHELL: '/bin/sh', ...process.env };
		const { answer, why } = await ask('/bin/sh', ['-c', inLoginShell(words)], input, timeoutMs, env);
		if (answer !== undefined) return answer;
		throw new NancyError('io', phrase`no shell answers here: ${why}`);
	}

	async step(version: string, name: string, input: unknown, timeoutMs: number): Promise<unknown> {
		if (!this.steps) return this.ask(stepWords(version, name), JSON.stringify(input), timeoutMs);
		const program = join(remoteRoot(), 'nancy', 'runtime', version, 'nancy.js');
		const taken = this.steps[name]?.(input, program).catch(failedStep);
		// A home folder on another machine may hang.
		const late = sleep(timeoutMs, LATE, { ref: false });
		const answer = await Promise.race([taken, late]);
		if (answer !== LATE) return answer;
		throw new NancyError('timeout', phrase`no answer of this machine in ${timeoutMs / 1000} s`);
	}

	/** Git's own words for host and command are cut off by the `#`, and no hook runs, as for `ssh`. */
	gitCommand(program: 'receive-pack' | 'upload-pack', { git, repository }: GitThere): string {
		return `${remoteWords([git, '-c', 'core.hooksPath=/dev/null', program, repository])} #`;
	}
}
