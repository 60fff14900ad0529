import { expect, it } from 'vitest';
import { distinctLabels, type Named } from '../../../../src/ui/inbox/recipientLabels.ts';

function named(name: string, madeAt: string, folder?: string): Named {
	return { name, madeAt, folder };
}

it('names a worker by its own name, and by its folder where there are several', () => {
	expect(distinctLabels([named('Docs', '1', 'api'), named('Docs', '2', 'web')])).toEqual([
		'api · Docs',
		'web · Docs',
	]);
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
