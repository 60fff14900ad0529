import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { LOST } from '../git/gitFailure.ts';
import { ask } from './ask.ts';
import type { Kubectl } from './kubectl.ts';
import { CONTAINER } from './podManifest.ts';
import { remoteWords, stepWords } from './remoteWords.ts';
import type { GitThere, Way } from './way.ts';

/** What `kubectl` itself ends with: for all but the exit code of the program there. */
const FAILED = 1;

/** A pod as a machine, reached by `kubectl exec`. Its image says what the PATH is, so no shell is asked for it. */
export class Pod implements Way {
	constructor(
		private readonly kubectl: Kubectl,
		private readonly name: string,
	) {}

	get place(): string {
		return `${this.name} in ${this.kubectl.place}`;
	}

	/** As {@link Way.gitCommand} of `ssh`: git's own words are cut off by the `#`, and no hook runs. */
	gitCommand(program: 'receive-pack' | 'upload-pack', { git, repository }: GitThere): string {
		const words = this.exec([git, '-c', 'core.hooksPath=/dev/null', program, repository]);
		return `${remoteWords(['kubectl', ...words])} || { [ $? != ${FAILED} ] || echo '${LOST}' >&2; false; } #`;
	}

	async ask(words: readonly string[], input: string, timeoutMs: number): Promise<unknown> {
		// A shell says by its exit code that there is no such program. The runtime says it in words of its own.
		const inShell = ['sh', '-c', 'exec "$@"', 'nancy', ...words];
		const { answer, isRefused, why } = await ask('kubectl', this.exec(inShell), input, timeoutMs);
		if (answer !== undefined) return answer;
		if (isRefused) throw new NancyError('io', phrase`${this.place} cannot run Nancy: ${why}`);
		throw new NancyError('timeout', phrase`${this.place} cannot be reached by kubectl: ${why}`);
	}

	step(version: string, name: string, input: unknown, timeoutMs: number): Promise<unknown> {
		return this.ask(stepWords(version, name), JSON.stringify(input), timeoutMs);
	}

	private exec(words: readonly string[]): string[] {
		return [...this.kubectl.options, 'exec', '--stdin', `--container=${CONTAINER}`, this.name, '--', ...words];
	}
}
