import { parse, printParseErrorCode, type ParseError } from 'jsonc-parser';

/**
 * JSON as several CLIs take it, with comments and trailing commas.
 * @throws SyntaxError
 */
export function parseLooseJson(text: string): unknown {
	const errors: ParseError[] = [];
	const value: unknown = parse(text, errors, { allowTrailingComma: true });
	const [first] = errors;
	if (first) throw new SyntaxError(`${printParseErrorCode(first.error)} at ${first.offset}`);
	return value;
}
