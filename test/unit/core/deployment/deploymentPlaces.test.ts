import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cleanUp } from '../../../../src/core/deployment/cleanUp.ts';
import { deploy, deploymentState } from '../../../../src/core/deployment/deploy.ts';
import { undeploy } from '../../../../src/core/deployment/undeploy.ts';
import { contentHash } from '../../../../src/core/deployment/contentHash.ts';
import { DeploymentRecords } from '../../../../src/core/deployment/records.ts';
import { Workspace } from '../../../../src/core/workspace/workspace.ts';
import { Deployment } from '../../../../src/protocol/deployment.ts';
import { dataIn, deployRequest } from '../../../support/deployRequest.ts';
import { ownFilesDriver, SHARED } from '../../../support/ownFilesDriver.ts';
import { changeSealedRecord, writeSealedRecord } from '../../../support/sealedRecord.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';
import { treeOf } from '../../../support/tree.ts';

const VERSION = '0.1.0-aaaaaaaa';
const alpha = ownFilesDriver('alpha');
const PLUGIN = '.alpha/plugin/nancy.js';

let folder: TempFolder;
let workspace: Workspace;

const records = () => new DeploymentRecords(workspace, data().dataFolder);
const data = () => dataIn(folder.path);

beforeEach(async () => {
	folder = tempFolder('nancy-places-');
	workspace = new Workspace(folder.file('workspace'));
	put(folder.file('nancy/runtime', VERSION, 'skills/check/SKILL.md'), VERSION);
	put(folder.file('nancy/runtime', VERSION, 'nancy-hook'), '#!/bin/sh\n', 0o755);
	put(folder.file('elsewhere/dot.rc'), 'mine');
	put(folder.file('elsewhere/skills/own/SKILL.md'), 'mine');
	mkdirSync(folder.file('elsewhere/empty'));
	await workspace.prepare();
});
afterEach(() => folder.remove());

function put(file: string, text: string, mode = 0o644): void {
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, text, { mode });
}

const at = (file: string) => join(workspace.folder, file);
const elsewhere = () => treeOf(folder.file('elsewhere'));
const request = () => ({ ...deployRequest(folder.path, VERSION), scope: 'launch' as const });
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const failure = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);

/** A record of what stood here once: what stands here now may be somebody else's, links included. */
function bringRecord(facts: Partial<Deployment>, driver = alpha.id): void {
	const record = Deployment.parse({
		driver,
		scope: 'launch',
		hookVersion: '0.0.9-cccccccc',
		events: [],
		deployedAt: new Date().toISOString(),
		files: [],
		ownFiles: [],
		launchFiles: [],
		skills: [],
		folders: [],
		...facts,
	});
	writeSealedRecord(workspace.folder, data().dataFolder, { deployments: [record] });
}

const removals = [
	['a start', async () => (await deploy(workspace, alpha, request())).warnings],
	['clean-up', async () => (await cleanUp(workspace, undefined, [alpha], data())).warnings],
] as const;

describe.each(removals)('a record that came along: %s', (_, run) => {
	it.each(['.agents', '.alpha'])('removes nothing that a link leads to outside of the workspace (%s)', async link => {
		symlinkSync('../elsewhere', at('out'));
		symlinkSync('../elsewhere', at(link));
		const skill = await contentHash(folder.file('elsewhere/skills/own'));
		put(folder.file('elsewhere/plugin/nancy.js'), 'mine');
		bringRecord({
			ownFiles: [
				{ file: 'out/dot.rc', sha256: hashOf('mine') },
				{ file: PLUGIN, sha256: hashOf('mine') },
			],
			skills: [
				{ folder: 'out/skills/own', sha256: skill },
				{ folder: '.agents/skills/own', sha256: skill },
			],
			folders: ['out/empty', '.agents/empty', '.agents/skills'],
		});
		const before = elsewhere();
		const said = await run().catch((error: unknown) => [String(error)]);
		expect(said.join('\n')).toContain(` ${link}, which is a link that leads out of the workspace folder`);
		expect(elsewhere()).toEqual(before);
	});

	it('takes no entry out of a file that a link of its own leads to', async () => {
		const theirs = JSON.stringify({ hooks: { Stop: [{ command: `'${request().runtime.launcher}' alpha Stop` }] } });
		put(folder.file('elsewhere/settings.json'), theirs);
		symlinkSync('../elsewhere/settings.json', at('linked.json'));
		bringRecord({ files: [{ file: 'linked.json', entries: [] }] });
		const before = elsewhere();
		expect((await run()).join('\n')).toContain('linked.json is a link that leads out of the workspace folder');
		expect(elsewhere()).toEqual(before);
	});

	it('takes nothing out of a settings file that has become a link out of the workspace', async () => {
		await deploy(workspace, alpha, { ...request(), scope: 'workspace' });
		renameSync(at(SHARED), folder.file('elsewhere/settings.json'));
		symlinkSync(folder.file('elsewhere/settings.json'), at(SHARED));
		const before = elsewhere();
		const { warnings, kept } = await cleanUp(workspace, undefined, [alpha], data());
		expect(warnings).toContain(`${SHARED} is a link that leads out of the workspace folder; it stays.`);
		expect(kept).toEqual([SHARED]);
		expect(elsewhere()).toEqual(before);
	});

	it('removes only what stands where the driver writes', async () => {
		put(at('.git/HEAD'), 'ref: x');
		put(at('src/main.ts'), 'mine');
		put(at('docs/SKILL.md'), 'mine');
		mkdirSync(at('cache'));
		put(at(PLUGIN), 'ours');
		put(at('.agents/skills/old/SKILL.md'), 'ours');
		bringRecord({
			ownFiles: [
				{ file: '.git/HEAD', sha256: hashOf('ref: x') },
				{ file: 'src/main.ts', sha256: hashOf('mine') },
				{ file: PLUGIN, sha256: hashOf('ours') },
			],
			skills: [
				{ folder: 'docs', sha256: await contentHash(at('docs')) },
				{ folder: '.agents/skills/old', sha256: await contentHash(at('.agents/skills/old')) },
			],
			folders: ['cache', '.alpha', '.alpha/plugin'],
		});
		const warnings = (await run()).join('\n');
		for (const place of ['.git/HEAD', 'src/main.ts', 'docs']) {
			expect(warnings).toContain(`${place} is not where Nancy writes for alpha; it stays.`);
			expect(existsSync(at(place))).toBe(true);
		}
		expect(existsSync(at('cache'))).toBe(true);
		expect(existsSync(at('docs/SKILL.md'))).toBe(true);
		// The driver's own places are cleared as ever.
		expect(existsSync(at('.alpha'))).toBe(false);
		expect(existsSync(at('.agents/skills/old'))).toBe(false);
	});
});

describe('a linked folder', () => {
	it.each(['.tool', '.alpha', '.agents', '.agents/skills'])(
		'%s that leads away is not written through',
		async link => {
			mkdirSync(dirname(at(link)), { recursive: true });
			symlinkSync(folder.file('elsewhere'), at(link));
			const before = elsewhere();
			const refusal = await failure(deploy(workspace, alpha, { ...request(), scope: 'workspace' }));
			expect(refusal).toMatchObject({
				code: 'settings-broken',
				message: expect.stringContaining(`is reached through ${link}, which is a link that leads out`),
			});
			expect(elsewhere()).toEqual(before);
			// Nothing is half done either.
			expect(await records().all()).toEqual([]);
			for (const place of ['.tool', '.alpha', '.agents'].filter(each => !link.startsWith(each)))
				expect(existsSync(at(place))).toBe(false);
		},
	);

	it.each([
		['to nothing', '../gone', 'a link to nothing'],
		['into git’s own folder', '.git/x', 'a link into git'],
		['to itself', '.alpha', 'a link to nothing'],
	])('that leads %s is refused', async (_, target, words) => {
		mkdirSync(at('.git/x'), { recursive: true });
		symlinkSync(target, at('.alpha'));
		expect(await failure(deploy(workspace, alpha, { ...request(), scope: 'workspace' }))).toMatchObject({
			code: 'settings-broken',
			message: expect.stringContaining(words),
		});
		expect(treeOf(at('.git'))).toEqual({ x: '/' });
	});

	it.each([
		['.tool', () => put(at('.tool'), 'mine')],
		['.agents', () => put(at('.agents'), 'mine')],
		['.agents/skills', () => put(at('.agents/skills'), 'mine')],
		[
			'.tool',
			() => {
				put(at('mine.txt'), 'mine');
				symlinkSync('mine.txt', at('.tool'));
			},
		],
	])('or a file in its place is refused with what to do, and keeps no clean-up (%s)', async (place, putFile) => {
		putFile();
		const asked = { ...request(), scope: 'workspace' as const };
		const refusal = {
			code: 'settings-broken',
			message: expect.stringMatching(
				new RegExp(`through ${place}, which is a (link to a )?file. Put a folder there`),
			),
		};
		expect(await failure(deploy(workspace, alpha, asked))).toMatchObject(refusal);
		expect(await failure(deploymentState(workspace, alpha, asked))).toMatchObject(
			place.startsWith('.agents') ? {} : refusal,
		);
		expect(await cleanUp(workspace, undefined, [alpha], data())).toMatchObject({
			changed: [],
			warnings: [],
			kept: [],
		});
	});

	it('that has become a file since keeps nothing: there is nothing behind it', async () => {
		await deploy(workspace, alpha, { ...request(), scope: 'workspace' });
		rmSync(at('.tool'), { recursive: true });
		put(at('.tool'), 'mine');
		expect(await cleanUp(workspace, undefined, [alpha], data())).toMatchObject({ warnings: [], kept: [] });
		expect(await records().all()).toEqual([]);
		expect(readFileSync(at('.tool'), 'utf8')).toBe('mine');
	});

	it('that stays in the workspace serves, and all is as it was after clean-up', async () => {
		mkdirSync(at('config/tool'), { recursive: true });
		symlinkSync('config/tool', at('.tool'));
		const before = treeOf(at('config'));
		await deploy(workspace, alpha, { ...request(), scope: 'workspace' });
		expect(readFileSync(at('config/tool/settings.json'), 'utf8')).toContain('nancy-hook');
		expect((await undeploy(workspace, alpha, data())).warnings).toEqual([]);
		expect(treeOf(at('config'))).toEqual(before);
	});

	it('that came after the deployment keeps clean-up from what it leads to; with the folders back, all is taken back', async () => {
		put(at(SHARED), '{\n\t// mine\n\t"theme": "dark",\n}\n');
		const original = treeOf(workspace.folder);
		await deploy(workspace, alpha, { ...request(), scope: 'workspace' });
		const linked = ['.tool', '.alpha', '.agents'];
		for (const place of linked) {
			renameSync(at(place), folder.file('elsewhere', place));
			symlinkSync(folder.file('elsewhere', place), at(place));
		}
		const before = elsewhere();
		for (let attempt = 0; attempt < 2; attempt++) {
			const { warnings, kept } = await cleanUp(workspace, undefined, [alpha], data());
			for (const place of [SHARED, PLUGIN, '.agents/skills/check']) {
				expect(warnings.join('\n')).toContain(`${place} is reached through`);
				expect(kept).toContain(place);
			}
			expect(elsewhere()).toEqual(before);
		}
		for (const place of linked) {
			rmSync(at(place));
			renameSync(folder.file('elsewhere', place), at(place));
		}
		expect(await cleanUp(workspace, undefined, [alpha], data())).toMatchObject({ warnings: [], kept: [] });
		expect(await records().all()).toEqual([]);
		expect(treeOf(workspace.folder)).toEqual(original);
	});

	it('keeps what an earlier version has deployed behind it in the record, and nobody takes that for a fault', async () => {
		put(folder.file('elsewhere/plugin/nancy.js'), 'ours');
		await deploy(workspace, alpha, request());
		const ownFiles = [{ file: PLUGIN, sha256: hashOf('ours') }];
		changeSealedRecord(workspace.folder, data().dataFolder, sealed => ({
			...sealed,
			deployments: sealed.deployments.map(each => ({ ...each, ownFiles })),
		}));
		symlinkSync('../elsewhere', at('.alpha'));
		expect((await deploy(workspace, alpha, request())).warnings.join()).toContain(`${PLUGIN} is reached through`);
		expect(await records().all()).toMatchObject([{ ownFiles }]);
		expect(await deploymentState(workspace, alpha, request())).toBe('ok');
		rmSync(at('.alpha'));
		renameSync(folder.file('elsewhere'), at('.alpha'));
		expect((await deploy(workspace, alpha, request())).changed).toEqual([PLUGIN]);
	});
});
