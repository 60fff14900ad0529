import { existsSync, mkdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ringLater } from '../../../src/hook/ringLater.ts';
import { eventually } from '../../support/eventually.ts';
import { tempFolder } from '../../support/tempFolder.ts';

it('rings if a message waits, whatever else is in the inbox, and follows no link in the place of the bell', async () => {
	await using folder = tempFolder("it's late $(x) ");
	const file = (name: string) => folder.file(name);
	for (const each of ['inbox', 'empty']) mkdirSync(file(each));
	symlinkSync(file('nowhere'), file('inbox/a.md'));
	writeFileSync(file('inbox/b.md'), 'A message.');
	for (const each of ['bell', 'quiet', 'theirs']) {
		writeFileSync(file(each), '');
		utimesSync(file(each), 1, 1);
	}
	symlinkSync(file('theirs'), file('linked'));

	await Promise.all([
		ringLater(file('bell'), file('inbox')),
		ringLater(file('quiet'), file('empty')),
		ringLater(file('linked'), file('inbox')),
		ringLater(file('gone'), file('inbox')),
	]);

	const isRung = (name: string) => statSync(file(name)).mtimeMs > 1000;
	await eventually('it rings', () => isRung('bell'));
	expect([isRung('quiet'), isRung('theirs'), existsSync(file('gone'))]).toEqual([false, false, false]);
});
