import { createScanner, parse, printParseErrorCode, type ParseError } from 'jsonc-parser';

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

/** JSON without its layout. What is no JSON stays, also comments: a CLI that knows none takes nothing of such a file. */
export function withoutLayout(text: string): string {
	const scanner = createScanner(text);
	const words: string[] = [];
	for (; scanner.getPosition() < text.length;) {
		scanner.scan();
		const word = text.slice(scanner.getTokenOffset(), scanner.getPosition());
		if (!/^(?:[ \t\n]|\r\n)*$/.test(word)) words.push(word);
	}
	return words.join('\n');
}
