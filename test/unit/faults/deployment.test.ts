import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, deploymentState } from '../../../src/core/deployment/deploy.ts';
import { undeploy } from '../../../src/core/deployment/undeploy.ts';
import { OwnFolder } from '../../../src/core/files/ownFolder.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { claudeCode } from '../../../src/drivers/claude-code/driver.ts';
import { killedAt } from '../../support/killedAt.ts';
import { killPoints, strideOr } from '../../support/rounds.ts';
import { tempFolder } from '../../support/tempFolder.ts';
import { treeOf } from '../../support/tree.ts';
import { dataIn, deployRequest } from '../../support/deployRequest.ts';

const folder = tempFolder('nancy-killed-');
/** How many file calls lie between one kill and the next: every call takes minutes. */
const STRIDE = strideOr(41);
let rounds = 0;
const OLD = '0.1.0-aaaaaaaa';
const NEW = '0.2.0-bbbbbbbb';

beforeAll(() => {
	for (const version of [OLD, NEW]) {
		const skill = folder.file('nancy/runtime', version, 'skills/check-directives');
		mkdirSync(skill, { recursive: true });
		writeFileSync(join(skill, 'SKILL.md'), `---\nversion: ${version}\n---\nhi\n`);
	}
});
afterAll(() => folder.remove());

const request = (version: string) => deployRequest(folder.path, version);

// Not what an edit and its reversal give: only the kept original can be the way back.
const SETTINGS =
	'{\n    "permissions": {"allow": ["Read"]}, // mine\n    "hooks": {"Stop": [] ,\n"PreToolUse":[{"hooks":[]}]}\n}';

describe('a deployment that is killed', () => {
	it.concurrent.each([
		{
			what: 'the first, where nothing was',
			settings: undefined,
			before: undefined,
			version: OLD,
			action: 'deploy',
		},
		{ what: 'the first, into a file', settings: SETTINGS, before: undefined, version: OLD, action: 'deploy' },
		{ what: 'an update', settings: SETTINGS, before: OLD, version: NEW, action: 'deploy' },
		{ what: 'clean-up', settings: SETTINGS, before: OLD, version: OLD, action: 'undeploy' },
		{ what: 'clean-up where nothing was', settings: undefined, before: OLD, version: OLD, action: 'undeploy' },
	])(
		'before any of its file calls is completed or undone byte for byte: $what',
		async ({ what, settings, before, version, action }) => {
			let kills = 0;
			for (const killAt of killPoints(STRIDE)) {
				const place = folder.file(what);
				rmSync(place, { recursive: true, force: true });
				mkdirSync(place);
				if (settings !== undefined) {
					mkdirSync(join(place, '.claude'));
					writeFileSync(join(place, '.claude/settings.local.json'), settings);
				}
				const untouched = treeOf(place);
				const workspace = new Workspace(place);
				if (before !== undefined) await deploy(workspace, claudeCode, request(before));

				const ended = await killedAt(killAt, 'deployOnce', [place, folder.path, version, action]);

				if (kills % 3 === 0) {
					await deploy(workspace, claudeCode, request(version));
					expect(await deploymentState(workspace, claudeCode, request(version))).toBe('ok');
					expect(existsSync(join(place, '.claude/skills/check-directives/SKILL.md'))).toBe(true);
				}
				const { warnings } = await undeploy(workspace, claudeCode, dataIn(folder.path));
				expect({ killAt, warnings, tree: treeOf(place) }).toEqual({ killAt, warnings: [], tree: untouched });
				// Nor is anything left in the user's data folder, but perhaps a lock that was never taken.
				const { folder: own } = new OwnFolder(dataIn(folder.path).dataFolder, place);
				expect({
					killAt,
					left: existsSync(own)
						? readdirSync(own, { recursive: true }).filter(name => !/\.tmp(?:$|\/)/.test(String(name)))
						: [],
				}).toEqual({ killAt, left: [] });
				if (ended === 'finished') break;
				expect(ended).toBe('SIGKILL');
				kills++;
			}
			expect(kills).toBeGreaterThan(0);
			rounds += kills;
		},
	);
});

afterAll(() => expect(rounds).toBeGreaterThan(250 / STRIDE));
