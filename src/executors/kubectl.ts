import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import type { Cluster } from '../protocol/executorId.ts';
import { callEngine, programOf } from './engine.ts';

/** The API server's word that nothing was done, and that a repeat would fare no better (apimachinery, `StatusReason`). */
const REFUSED =
	/Error from server \((?:AlreadyExists|BadRequest|Conflict|Forbidden|Gone|Invalid|MethodNotAllowed|NotFound|RequestEntityTooLarge)\)|Error in configuration: context|error: (?:context|no context|error (?:parsing|validating)|unable to (?:decode|recognize))/;

/** The user's own `kubectl`, with their contexts and log-ins. The context is always named: the current one changes. No call waits without a limit. */
export class Kubectl {
	/** Before the words of every call. */
	readonly options: readonly string[];
	/** In words for its user. */
	readonly place: string;

	constructor({ context, namespace }: Cluster) {
		this.options = [`--context=${context}`, ...(namespace === undefined ? [] : [`--namespace=${namespace}`])];
		this.place = namespace === undefined ? context : `${namespace} of ${context}`;
	}

	/** Whether this user may do it there. @throws NancyError as {@link call} */
	async may(verb: string, resource: string): Promise<boolean> {
		const { output, ...called } = await this.run(['auth', 'can-i', verb, resource]);
		const [, answer] = /^(yes|no)\b/m.exec(output) ?? [];
		if (answer === undefined) throw this.failed(called);
		return answer === 'yes';
	}

	/**
	 * Returns what it prints.
	 * @throws NancyError `io` with the words of a refusal; `timeout` if nobody knows what was done
	 */
	async call(words: readonly string[], input = ''): Promise<string> {
		const { output, ...called } = await this.run(words, input);
		if (called.code === 0) return output;
		throw this.failed(called);
	}

	private run(words: readonly string[], input = '') {
		if (programOf('kubectl') === undefined) throw new NancyError('io', phrase`kubectl is not on the PATH`);
		return callEngine(['kubectl', ...this.options, '--request-timeout=20s', ...words], process.env, input);
	}

	private failed({ code, complaint }: { code: number | undefined; complaint: string }): NancyError {
		return code !== undefined && REFUSED.test(complaint)
			? new NancyError('io', phrase`${this.place} refuses it: ${complaint}`)
			: new NancyError('timeout', phrase`${this.place} does not answer: ${complaint}`);
	}
}

/** What Nancy asks of a cluster. */
const NEEDED = [
	['create', 'jobs'],
	['list', 'jobs'],
	['delete', 'jobs'],
	['list', 'pods'],
	['delete', 'pods'],
	['create', 'pods/exec'],
] as const;

/**
 * What this user may not do in a cluster, such as `create jobs`, of what Nancy needs. Changes nothing there.
 * @throws NancyError as {@link Kubectl.call}
 */
export async function forbiddenIn(cluster: Cluster): Promise<string[]> {
	const kubectl = new Kubectl(cluster);
	const asked = await Promise.all(
		NEEDED.map(async ([verb, resource]) => ((await kubectl.may(verb, resource)) ? [] : `${verb} ${resource}`)),
	);
	return asked.flat();
}
