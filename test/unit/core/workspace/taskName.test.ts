import { describe, expect, it } from 'vitest';
import { taskNameFrom } from '../../../../src/core/workspace/taskName.ts';

describe('a task name', () => {
	it.each([
		['Fix the login!', 'fix-the-login'],
		['Ümläut & Straße', 'umlaut-strasse'],
		['Réparer l’accès', 'reparer-l-acces'],
		['GROẞ', 'gross'],
		['v1...2', 'v1.2'],
		['漢字', undefined],
	])('of %s is %s', (title, name) => {
		expect(taskNameFrom(title)).toBe(name);
	});
});
