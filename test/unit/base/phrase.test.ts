import { expect, it } from 'vitest';
import { NancyError, said } from '../../../src/base/errors.ts';
import { filled, Phrase, phrase } from '../../../src/base/phrase.ts';
import { phrasesIn } from '../../support/phrases.ts';

const german: Readonly<Record<string, string>> = {
	'{0} is not there: {1}': '{1}: {0} ist nicht da',
	'it was removed by {0}': 'von {0} entfernt',
};
const inGerman = (template: string, ...parts: string[]) => filled(german[template] ?? template, ...parts);

it('is an English text, also as a part of another, in an error and as JSON', () => {
	const inner = phrase`it was removed by ${'{1}'}`;
	const error = new NancyError('io', phrase`${'a.txt'} is not there: ${inner}`);
	expect(error.message).toBe('a.txt is not there: it was removed by {1}');
	expect(JSON.stringify({ reason: error.said })).toBe(`{"reason":"${error.message}"}`);
});

it('is said in another language with its parts, of which only phrases are translated', () => {
	const error = new NancyError(
		'io',
		phrase`${'it was removed by {0}'} is not there: ${phrase`it was removed by ${'{1}'}`}`,
	);
	const whole = said(error);
	expect(whole).toBeInstanceOf(Phrase);
	expect(whole instanceof Phrase && whole.in(inGerman)).toBe('von {1} entfernt: it was removed by {0} ist nicht da');
});

it('is found in a source text under the key that it has when it runs', () => {
	const name = 'x';
	const code = [
		'const a = phrase`one \\`line\\``;',
		'const b = phrase`two ${phrase`in ${f({ a: `}` })}`} and ${g("}")}',
		'\t\ton two lines`;',
	].join('\n');
	expect(phrasesIn(code)).toEqual(['one `line`', 'two {0} and {1} on two lines', 'in {0}']);
	const run = phrase`two ${name} and ${name}
		on two lines`;
	expect(run.template).toBe('two {0} and {1} on two lines');
	expect(String(run)).toBe('two x and x on two lines');
});
