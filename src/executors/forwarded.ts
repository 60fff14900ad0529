import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';

/** The variables that the user has named, of this process. @throws NancyError `bad-usage` with those that it does not have */
export function forwarded(names: readonly string[] = []): Readonly<Record<string, string>> {
	const missing = names.filter(name => process.env[name] === undefined);
	if (missing.length > 0)
		throw new NancyError(
			'bad-usage',
			phrase`"forwardEnv" of your settings names ${missing.join(', ')}, which is not set here`,
		);
	return Object.fromEntries(names.map(name => [name, process.env[name] ?? '']));
}
