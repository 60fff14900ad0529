import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import type { Driver } from '../../core/driver/driver.ts';
import type { Extractor } from '../../core/driver/extractor.ts';
import type { NoNotes } from '../../protocol/memoryNames.ts';
import { knownDriver } from './agents.ts';

/**
 * How an agent is asked for notes. No other agent takes its place: another vendor gets nothing of a task unasked.
 * @throws NancyError `bad-usage` for one that cannot be asked
 */
export function extractorFor(agent: string): { driver: Driver; extractor: Extractor } {
	const driver = knownDriver(agent);
	const { extractor, displayName } = driver;
	if (extractor !== 'none') return { driver, extractor };
	throw new NancyError(
		'bad-usage',
		phrase`${displayName} cannot be asked for notes; name another agent as extraction.agent in config.toml`,
	);
}

/** Why nobody is asked for the notes of an agent's task; `undefined` if somebody is. @param named the user's `extraction.agent` */
export function whyNoNotes(named: string | undefined, { extractor }: Driver): NoNotes | undefined {
	return named !== undefined || extractor !== 'none' ? undefined : 'no-extractor';
}
