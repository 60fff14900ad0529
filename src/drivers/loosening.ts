import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';

/**
 * Refuses an argument of the user's own that replaces the permission mode, or brings hooks and rules that nobody has seen. The mode is what
 * was asked for and is shown. An argument that names an additional tool, folder or setting passes.
 * @param loosening one word of the command line: the option alone, or with its value
 * @param widest the mode in which it is taken
 * @throws NancyError bad-usage
 */
export function refuseLoosening(extra: readonly string[], loosening: RegExp, widest: string): void {
	const taken = extra.find(word => loosening.test(word));
	if (taken === undefined) return;
	const [option = taken] = taken.split('=', 1);
	throw new NancyError('bad-usage', phrase`${option} would widen these permissions; it needs "${widest}"`);
}
