import { expect, it } from 'vitest';
import { NancyError, said } from '../../../src/base/errors.ts';
import { filled, Named, Phrase, phrase } from '../../../src/base/phrase.ts';
import { DelegateId } from '../../../src/protocol/delegate.ts';
import { DriverId, TaskName, WorkerName } from '../../../src/protocol/names.ts';
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

it('names a task in English by its name, and elsewhere as a person calls it', () => {
	const named = phrase`${phrase`it was removed by ${new Named('task', 'login')}`}; stop it: ${'nancy stop login'}`;
	expect(String(named)).toBe('it was removed by login; stop it: nancy stop login');
	expect(named.in(inGerman, ({ is, name }) => `${is} „${name}“`)).toBe(
		'von task „login“ entfernt; stop it: nancy stop login',
	);
});

it('has no name as a part that a person should not have to read', () => {
	const task = TaskName.parse('login');
	// @ts-expect-error: a task is a part by `theTask`
	expect(String(phrase`${task} runs`)).toBe('login runs');
	// @ts-expect-error: a worker is a part by `theWorker`
	expect(String(phrase`${task}/${WorkerName.parse('worker')} runs`)).toBe('login/worker runs');
	// @ts-expect-error: a delegate is a part by `theDelegate`
	expect(String(phrase`${DelegateId.parse('d1')} runs`)).toBe('d1 runs');
	// @ts-expect-error: an agent is a part by `theAgent`, or by the name that its driver says
	expect(String(phrase`${DriverId.parse('fake')} runs`)).toBe('fake runs');
	expect(String(phrase`stop it: ${`nancy stop ${task}`}`)).toBe('stop it: nancy stop login');
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
