import { parse } from 'smol-toml';
import type * as z from 'zod/mini';
import { errorText, NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';

/** @throws NancyError `bad-file`, with the first line that a person has to repair */
export function tomlOf(file: string, text: string): Record<string, unknown> {
	try {
		return parse(text);
	} catch (error) {
		throw broken(file, errorText(error).split('\n')[0] ?? '', error);
	}
}

/** @throws NancyError `bad-file`, with the first key that is wrong */
export function checked<S extends z.ZodMiniType>(file: string, value: unknown, schema: S): z.infer<S> {
	const parsed = schema.safeParse(value);
	if (parsed.success) return parsed.data;
	const [issue] = parsed.error.issues;
	throw broken(file, `${issue?.path.join('.') || 'the top'}: ${issue?.message}`, parsed.error);
}

function broken(file: string, what: string, cause: unknown): NancyError {
	return new NancyError('bad-file', phrase`${file} cannot be read: ${what}. Repair it and try again.`, { cause });
}
