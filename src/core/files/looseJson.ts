import { parse, printParseErrorCode, type ParseError } from 'jsonc-parser';

/**
 * JSON with comments and trailing commas, as several CLIs accept it.
 * @throws SyntaxError
 */
export function parseLooseJson(text: string): unknown {
	const errors: ParseError[] = [];
	const value: unknown = parse(text, errors, { allowTrailingComma: true });
	const [first] = errors;
	if (first) throw new SyntaxError(`${printParseErrorCode(first.error)} at ${first.offset}`);
	return value;
}
