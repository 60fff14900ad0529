import { expect, it } from 'vitest';
import { NancyError, said } from '../../../src/base/errors.ts';
import { phrase } from '../../../src/base/phrase.ts';

/** As of a program that is loaded beside the window's own, for example that of the memory of projects. */
class ErrorOfAnother extends Error {
	override readonly name = 'NancyError';
	readonly code = 'no-project';
	constructor(readonly said: unknown) {
		super(String(said));
	}
}

it('what an error says is its phrase, also if another program has thrown it', () => {
	const words = phrase`there is no such project`;
	expect(said(new NancyError('no-project', words))).toBe(words);
	expect(said(new ErrorOfAnother(words))).toBe(words);
	expect(said(new Error('plain'))).toBe('plain');
});
