import { expect, it } from 'vitest';
import { distinctLabels, type Named } from '../../../../src/ui/inbox/recipientLabels.ts';

function named(title: string, madeAt: string, more: Partial<Named> = {}): Named {
	return { title, madeAt, folder: undefined, ...more };
}

it('names a worker by its title, and by more only where that is needed', () => {
	expect(
		distinctLabels([named('Fix the login', '1'), named('Docs', '2'), named('Docs', '3', { folder: 'api' })]),
	).toEqual(['Fix the login', 'Docs', 'api · Docs']);
});

it('numbers workers of one name by age, so that a new one renames nobody', () => {
	expect(distinctLabels([named('Docs', '3'), named('Docs', '1'), named('Docs', '2')])).toEqual([
		'Docs (3)',
		'Docs',
		'Docs (2)',
	]);
});

it('gives nobody a number that is in the name of another', () => {
	expect(distinctLabels([named('Docs', '1'), named('Docs', '2'), named('Docs (2)', '3')])).toEqual([
		'Docs',
		'Docs (3)',
		'Docs (2)',
	]);
});
