import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cleanUp, deployedIn } from '../../../../src/core/deployment/cleanUp.ts';
import { deploy, deploymentState, obstacles } from '../../../../src/core/deployment/deploy.ts';
import { undeploy } from '../../../../src/core/deployment/undeploy.ts';
import type { DeployRequest } from '../../../../src/core/deployment/job.ts';
import type { DeploymentPlan } from '../../../../src/core/driver/deploymentPlan.ts';
import type { Driver } from '../../../../src/core/driver/driver.ts';
import { DeploymentRecords } from '../../../../src/core/deployment/records.ts';
import { Workspace } from '../../../../src/core/workspace/workspace.ts';
import { dataIn, deployRequest } from '../../../support/deployRequest.ts';
import { ownFilesDriver, SHARED } from '../../../support/ownFilesDriver.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';
import { treeOf } from '../../../support/tree.ts';

const OLD = '0.1.0-aaaaaaaa';
const NEW = '0.2.0-bbbbbbbb';
const alpha = ownFilesDriver('alpha');
const beta = ownFilesDriver('beta');
const TRUST = 'Trust the folder.';
const PLUGIN = '.alpha/plugin/nancy.js';

let folder: TempFolder;
let workspace: Workspace;

const records = () => new DeploymentRecords(workspace, data().dataFolder);
const data = () => dataIn(folder.path);

beforeEach(() => {
	folder = tempFolder('nancy-own-');
	mkdirSync(folder.file('workspace'));
	workspace = new Workspace(folder.file('workspace'));
	for (const version of [OLD, NEW]) {
		put(folder.file('nancy/runtime', version, 'skills/check/SKILL.md'), version);
		put(folder.file('nancy/runtime', version, 'nancy-hook'), '#!/bin/sh\n', 0o755);
	}
});
afterEach(() => folder.remove());

function put(file: string, text: string, mode = 0o644): void {
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, text, { mode });
}

const request = (scope: DeployRequest['scope'] = 'workspace', version = OLD): DeployRequest => ({
	...deployRequest(folder.path, version),
	agentVersion: [1, 0, 0],
	scope,
});

/** As where somebody removed them, or an earlier version of Nancy has deployed. */
const loseRecords = () => {
	rmSync(workspace.paths.root, { recursive: true });
	rmSync(join(data().dataFolder, 'workspaces'), { recursive: true });
};
const at = (file: string) => join(workspace.folder, file);
const read = (file: string) => readFileSync(at(file), 'utf8');
const launched = (driver: Driver, file: string) => join(records().launchFolder(driver.id), file);
const planned = (driver: Driver, plan: Partial<DeploymentPlan>): Driver => ({
	...driver,
	deployment: asked => ({ ...driver.deployment(asked), ...plan }),
});

describe('a start', () => {
	it('writes nothing but skills into the agent’s places, and what the launch points to into the user’s data folder', async () => {
		await deploy(workspace, alpha, request('launch'));
		expect(Object.keys(treeOf(workspace.folder))).toEqual([
			'.agents',
			'.agents/skills',
			'.agents/skills/check',
			'.agents/skills/check/SKILL.md',
		]);
		expect(readFileSync(launched(alpha, 'hooks.json'), 'utf8')).toContain(`${OLD}/nancy-hook`);
		expect(await deploymentState(workspace, alpha, request('launch'))).toBe('ok');
		expect(await deploymentState(workspace, alpha, request('workspace'))).toBe('outdated');
		expect((await deploy(workspace, alpha, request('launch'))).changed).toEqual([]);
	});

	it('tells what the agent wants of its user once, and again when something was written anew', async () => {
		const asking = planned(alpha, { warnings: [TRUST] });
		const told = async (scope: DeployRequest['scope'], version = OLD) =>
			(await deploy(workspace, asking, request(scope, version))).warnings;
		expect(await told('launch')).toEqual([TRUST]);
		expect(await told('launch')).toEqual([]);
		expect(await told('launch', NEW)).toEqual([TRUST]);
		for (const _time of ['once', 'again']) expect(await told('workspace', NEW)).toEqual([TRUST]);
		expect(await told('launch', NEW)).toEqual([]);
	});

	it('never takes away what Set Up did', async () => {
		await deploy(workspace, alpha, request('launch'));
		expect((await deploy(workspace, alpha, request('workspace'))).warnings).toEqual([TRUST]);
		expect((await deploy(workspace, alpha, request('launch', NEW))).warnings).toEqual([]);
		expect(read(SHARED)).toContain(`${NEW}/nancy-hook`);
		expect(read(PLUGIN)).toContain(NEW);
		expect(await records().all()).toMatchObject([{ scope: 'workspace', hookVersion: NEW }]);
		rmSync(at(PLUGIN));
		expect(await deploymentState(workspace, alpha, request('launch', NEW))).toBe('outdated');
	});

	it('leaves a record also where nothing is to be written', async () => {
		const bare = planned({ ...alpha, skillsFolder: undefined }, { launchFiles: [] });
		await deploy(workspace, bare, request('launch'));
		expect(await records().all()).toMatchObject([{ driver: 'alpha', agentVersion: '1.0.0' }]);
		expect(await deploymentState(workspace, bare, request('launch'))).toBe('ok');
	});
});

describe('launch files', () => {
	it('of a start that was killed before its record are taken away', async () => {
		mkdirSync(records().launchFolder(alpha.id), { recursive: true });
		writeFileSync(launched(alpha, 'hooks.json'), '{}');
		const { changed } = await undeploy(workspace, alpha, data());
		expect(changed).toEqual([records().launchFolder(alpha.id)]);
		expect(existsSync(records().launchFolder(alpha.id))).toBe(false);
	});

	it('are exactly what is wanted: rewritten when different, others removed', async () => {
		await deploy(workspace, alpha, request('launch'));
		writeFileSync(launched(alpha, 'hooks.json'), '{}');
		put(launched(alpha, 'old/stale.json'), '{}');
		symlinkSync('/etc/passwd', launched(alpha, 'link.json'));
		expect(await deploymentState(workspace, alpha, request('launch'))).toBe('outdated');

		const { changed } = await deploy(workspace, alpha, request('launch'));
		expect([...changed].sort()).toEqual(
			['hooks.json', 'link.json', 'old/stale.json'].map(file => launched(alpha, file)),
		);
		expect(readFileSync(launched(alpha, 'hooks.json'), 'utf8')).toContain('alpha Start');
		expect(await deploymentState(workspace, alpha, request('launch'))).toBe('ok');
		await undeploy(workspace, alpha, data());
		expect(existsSync(workspace.paths.launches)).toBe(false);
	});

	it('of another Nancy of a later version are left alone while they are whole', async () => {
		await deploy(workspace, alpha, request('launch', NEW));
		expect(await deploymentState(workspace, alpha, request('launch', NEW))).toBe('ok');
		expect(await deploymentState(workspace, alpha, request('launch', OLD))).toBe('ok');
		writeFileSync(launched(alpha, 'hooks.json'), '{}');
		expect(await deploymentState(workspace, alpha, request('launch', OLD))).toBe('outdated');
	});
});

describe('a file of Nancy’s own', () => {
	it('is gone with its folders after clean-up, also after an update', async () => {
		put(at('.alpha/mine.json'), '{}');
		const before = treeOf(workspace.folder);
		await deploy(workspace, alpha, request());
		await deploy(workspace, alpha, request('launch', NEW));
		expect((await undeploy(workspace, alpha, data())).warnings).toEqual([]);
		expect(treeOf(workspace.folder)).toEqual(before);
	});

	it.each([
		['a file', () => put(at(PLUGIN), 'mine')],
		[
			'a link',
			() => (
				put(at('x.js'), 'mine'),
				mkdirSync(dirname(at(PLUGIN)), { recursive: true }),
				symlinkSync('../../x.js', at(PLUGIN))
			),
		],
		['a folder', () => mkdirSync(at(PLUGIN), { recursive: true })],
		['a file in place of its folder', () => put(at('.alpha/plugin'), 'mine')],
	])('leaves %s of somebody else’s alone, and says so', async (_what, given) => {
		given();
		const before = treeOf(workspace.folder);
		const { warnings } = await deploy(workspace, alpha, request());
		expect(warnings).toEqual([
			TRUST,
			expect.stringMatching(/^\.alpha\/plugin\/nancy\.js is not Nancy's .* Move it away/),
		]);
		expect(await obstacles(workspace, alpha, request())).toEqual(warnings.slice(1));
		expect(await deploymentState(workspace, alpha, request())).toBe('ok');
		await undeploy(workspace, alpha, data());
		expect(treeOf(workspace.folder)).toEqual(before);
	});

	it('that somebody changed is neither written nor removed', async () => {
		await deploy(workspace, alpha, request());
		writeFileSync(at(PLUGIN), `${read(PLUGIN)}// mine\n`);
		const changed = read(PLUGIN);
		expect((await deploy(workspace, alpha, request('launch', NEW))).warnings).toHaveLength(1);
		expect(read(PLUGIN)).toBe(changed);
		expect((await undeploy(workspace, alpha, data())).warnings).toEqual([
			`${PLUGIN} was changed by somebody; it stays.`,
		]);
		expect(treeOf(workspace.folder)).toMatchObject({ [PLUGIN]: changed });
		// Nor by a second clean-up, which has no record of it any more.
		expect((await cleanUp(workspace, undefined, [alpha], data())).changed).toEqual([]);
		expect(read(PLUGIN)).toBe(changed);
	});

	it('is known by its launcher when the records are gone', async () => {
		await deploy(workspace, alpha, request());
		loseRecords();
		expect(await deployedIn(workspace, [alpha], data().dataFolder)).toEqual([alpha.id]);
		const { changed, warnings } = await cleanUp(workspace, undefined, [alpha], data());
		expect([...changed].sort()).toEqual([PLUGIN, SHARED]);
		expect(warnings).toEqual([]);
		expect(existsSync(workspace.paths.root)).toBe(false);

		put(at(PLUGIN), `spawn("${request().runtime.launcher}")`);
		await deploy(workspace, alpha, request('workspace', NEW));
		expect(read(PLUGIN)).toContain(NEW);
	});

	it('takes its skills with it when the records are gone, and names those that somebody changed', async () => {
		for (const skill of ['check', 'changed', 'mine']) put(join(request().runtime.skills, skill, 'SKILL.md'), OLD);
		for (const skill of ['check', 'changed']) put(join(request().runtime.skills, skill, '.gitignore'), '*\n');
		await deploy(workspace, alpha, request());
		put(at('.agents/skills/changed/SKILL.md'), 'changed');
		put(at('.agents/skills/mine/SKILL.md'), 'mine');
		loseRecords();
		const { changed, warnings } = await cleanUp(workspace, undefined, [alpha], data());
		expect([...changed].sort()).toEqual(['.agents/skills/check', PLUGIN, SHARED]);
		expect(warnings).toEqual([expect.stringContaining('.agents/skills/changed')]);
		expect(treeOf(at('.agents'))).not.toHaveProperty('skills/check');
		expect(read('.agents/skills/mine/SKILL.md')).toBe('mine');
		expect(existsSync(workspace.paths.root)).toBe(false);
	});

	it('that a later version does not want any more goes, as an edit does', async () => {
		const before = '{ "hooks": {"Stop": [] } }';
		put(at(SHARED), before);
		await deploy(workspace, alpha, request());
		const later = { ...planned(alpha, { files: [], edits: [] }), earlierPlaces: [PLUGIN] };
		expect(await deploymentState(workspace, later, request())).not.toBe('ok');
		await deploy(workspace, later, request('workspace', NEW));
		expect(read(SHARED)).toBe(before);
		expect(existsSync(at('.alpha'))).toBe(false);
		expect(await deploymentState(workspace, later, request('workspace', NEW))).toBe('ok');
	});
});

describe('two drivers', () => {
	const ORIGINALS = [undefined, '{}', '{\r\n "hooks": {"Stop": [] ,\r\n"Start":[{"hooks":[]}],},// mine\r\n}'];
	const steps = [
		['alpha', 'beta'],
		['beta', 'alpha'],
	];

	it.each(ORIGINALS.flatMap(original => steps.flatMap(first => steps.map(last => ({ original, first, last })))))(
		'in any order leave all as it was: $original, set up $first, cleaned up $last',
		async ({ original, first, last }) => {
			if (original !== undefined) put(at(SHARED), original);
			const before = treeOf(workspace.folder);
			const drivers = [alpha, beta];
			const named = (names: string[]) => names.flatMap(name => drivers.filter(({ id }) => id === name));
			for (const driver of named(first)) await deploy(workspace, driver, request());
			for (const driver of named(first)) {
				expect(await deploymentState(workspace, driver, request())).toBe('ok');
				expect((await deploy(workspace, driver, request())).changed).toEqual([]);
			}
			// An update of one of them; the other is at work with the older version's lines.
			await deploy(workspace, alpha, request('workspace', NEW));
			for (const name of ['alpha', 'beta']) expect(read(SHARED).split(`' ${name} Stop`)).toHaveLength(2);

			const [one, other] = named(last);
			if (!one || !other) throw new Error('none');
			expect((await undeploy(workspace, one, data())).warnings).toEqual([]);
			const version = other === alpha ? NEW : OLD;
			expect(read('.agents/skills/check/SKILL.md')).toBe(NEW);
			expect(read(SHARED)).not.toContain(`' ${one.id} Stop`);
			expect(read(SHARED)).toContain(`${version}/nancy-hook' ${other.id} Stop`);
			expect((await undeploy(workspace, other, data())).warnings).toEqual([]);
			expect(treeOf(workspace.folder)).toEqual(before);
		},
	);

	it('keep what somebody else wrote into the file meanwhile, also into the other’s entry', async () => {
		await deploy(workspace, alpha, request());
		const settings = JSON.parse(read(SHARED));
		settings.hooks.Stop[0].hooks.push({ command: 'mine' });
		settings.model = 'm';
		writeFileSync(at(SHARED), JSON.stringify(settings));
		await deploy(workspace, beta, request());
		expect(read(SHARED).split('mine')).toHaveLength(2);
		expect(await deploymentState(workspace, alpha, request())).not.toBe('missing');
		await undeploy(workspace, alpha, data());
		expect(read(SHARED)).toContain('beta Stop');
		await undeploy(workspace, beta, data());
		expect(JSON.parse(read(SHARED))).toEqual({ hooks: { Stop: [{ hooks: [{ command: 'mine' }] }] }, model: 'm' });
	});

	it('of which there is no record go all the same', async () => {
		await deploy(workspace, alpha, request());
		await deploy(workspace, beta, request());
		loseRecords();
		await cleanUp(workspace, undefined, [alpha, beta], data());
		expect(Object.keys(treeOf(workspace.folder)).filter(file => /nancy|settings/.test(file))).toEqual([]);
		expect(existsSync(workspace.paths.root)).toBe(false);
	});

	it('share a skill: it is no one’s change, and stays until the last goes', async () => {
		await deploy(workspace, alpha, request());
		expect((await deploy(workspace, beta, request())).warnings).toEqual([TRUST]);
		await deploy(workspace, beta, request('workspace', NEW));
		expect(await deploymentState(workspace, alpha, request('workspace', NEW))).toBe('outdated');
		expect((await deploy(workspace, alpha, request('workspace', NEW))).changed).not.toContain(
			'.agents/skills/check',
		);
		expect((await records().all()).map(({ skills }) => skills.length)).toEqual([1, 1]);
		await undeploy(workspace, beta, data());
		expect(read('.agents/skills/check/SKILL.md')).toBe(NEW);
		expect((await undeploy(workspace, alpha, data())).changed).toContain('.agents/skills/check');
	});
});
