import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run as step } from '../../fixtures/children/deployOwnOnce.mts';
import { killedAt } from '../../support/killedAt.ts';
import { SHARED } from '../../support/ownFilesDriver.ts';
import { killPoints, strideOr } from '../../support/rounds.ts';
import { tempFolder } from '../../support/tempFolder.ts';
import { treeOf } from '../../support/tree.ts';

const folder = tempFolder('nancy-own-killed-');
/** How many file calls lie between one kill and the next; with 2 every call passed when this was written. */
const STRIDE = strideOr(58);
const OLD = '0.1.0-aaaaaaaa';
const NEW = '0.2.0-bbbbbbbb';
const EXCLUDE = '# no end of line';

beforeAll(() => {
	for (const version of [OLD, NEW]) put(folder.file('nancy/runtime', version, 'skills/check/SKILL.md'), version);
});
afterAll(() => folder.remove());

describe('a deployment with files of its own that is killed', () => {
	it.concurrent.each([
		{ what: 'the first', settings: undefined, before: [], version: OLD, action: 'deploy' },
		{
			what: 'an update beside another driver',
			settings: '{"hooks":{"Stop":[] }}',
			before: ['deploy', 'deploy other'],
			version: NEW,
			action: 'deploy',
		},
		{
			what: 'clean-up beside another driver',
			settings: '{"hooks":{"Stop":[] }}',
			before: ['deploy', 'deploy other'],
			version: OLD,
			action: 'undeploy',
		},
		{ what: 'clean-up', settings: undefined, before: ['deploy'], version: OLD, action: 'undeploy' },
	])(
		'before any of its file calls is completed or undone byte for byte: $what',
		async ({ what, settings, before, version, action }) => {
			let kills = 0;
			for (const killAt of killPoints(STRIDE)) {
				const place = folder.file(what);
				rmSync(place, { recursive: true, force: true });
				put(join(place, '.git/info/exclude'), EXCLUDE);
				if (settings !== undefined) put(join(place, SHARED), settings);
				const untouched = treeOf(place);
				for (const each of before) await step(place, folder.path, OLD, each);

				const ended = await killedAt(killAt, 'deployOwnOnce', [place, folder.path, version, action]);

				// Done again, it is as if it had not been killed; and so is whatever is taken back at once.
				if (kills % 2 === 0) {
					await step(place, folder.path, version, action);
					const again = treeOf(place);
					await step(place, folder.path, version, action);
					expect(treeOf(place)).toEqual(again);
				}
				const warnings = [];
				for (const each of ['undeploy', 'undeploy other', 'clean up'])
					warnings.push(...(await step(place, folder.path, version, each)));
				expect({ killAt, warnings, tree: treeOf(place) }).toEqual({ killAt, warnings: [], tree: untouched });
				if (ended === 'finished') break;
				expect(ended).toBe('SIGKILL');
				kills++;
			}
			expect(kills).toBeGreaterThan(0);
		},
	);
});

function put(file: string, text: string): void {
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, text);
}
