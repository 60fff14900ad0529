import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { visibleLine } from '../base/visible.ts';
import type { Cluster } from '../protocol/executorId.ts';
import { callEngine, programOf, type Called } from './engine.ts';

/**
 * The API server's word that nothing was done, and that a repeat would fare no better (apimachinery, `StatusReason`). `kubectl` has words of its own
 * for what is invalid (cmd/util/helpers.go), and names no reason for what a webhook denies. A conflict passes.
 */
const REFUSED =
	/Error from server \((?:AlreadyExists|BadRequest|Forbidden|Gone|Invalid|MethodNotAllowed|NotFound|RequestEntityTooLarge)\)|^The (?:\S+ "[^"]*"|request) is invalid|admission webhook .* denied the request|Error in configuration: context|error: (?:context|no context|error (?:parsing|validating)|unable to (?:decode|recognize))/m;

/**
 * The user's own `kubectl`, with their contexts and log-ins. Context and namespace are always named: the current ones change, and a job in
 * another namespace would count as gone. No call waits without a limit.
 */
export class Kubectl {
	/** Before the words of every call. */
	readonly options: readonly string[];
	/** In words for its user. */
	readonly place: string;

	constructor({ context, namespace }: Cluster) {
		this.options = [`--context=${context}`, `--namespace=${namespace ?? 'default'}`];
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

	private failed({ code, complaint, errors }: Omit<Called, 'output'>): NancyError {
		// A namespace may warn of each pod, at length.
		const said = errors
			.split('\n')
			.filter(line => !line.startsWith('Warning:'))
			.join('\n')
			.trim();
		const words = visibleLine(said, 400) || complaint;
		return code !== undefined && REFUSED.test(said)
			? new NancyError('io', phrase`${this.place} refuses it: ${words}`)
			: new NancyError('timeout', phrase`${this.place} does not answer: ${words}`);
	}
}

/** What Nancy asks of a cluster. */
const NEEDED = [
	['create', 'jobs'],
	['list', 'jobs'],
	['delete', 'jobs'],
	['get', 'pods'],
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
