import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deploy, deploymentState } from '../../../src/core/deployment/deploy.ts';
import { undeploy } from '../../../src/core/deployment/undeploy.ts';
import type { DeployRequest } from '../../../src/core/deployment/job.ts';
import { ownEntries } from '../../../src/core/deployment/ownEntries.ts';
import { DeploymentRecords } from '../../../src/core/deployment/records.ts';
import { oursAmong } from '../../../src/core/deployment/settingsText.ts';
import { launcherWithin } from '../../../src/core/deployment/launcher.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { drivers } from '../../../src/drivers/index.ts';
import { tempFolder } from '../../support/tempFolder.ts';
import { treeOf } from '../../support/tree.ts';

const launcher = '/home/me/nancy/runtime/0.1.0-a/nancy-hook';
const version = [9999, 0, 0] as const;
const planOf = (driver: (typeof drivers)[number], scope: 'launch' | 'workspace') =>
	driver.deployment({ version, launcher, workspaceFolder: '/w', scope });

describe.each(drivers.map(driver => ({ driver, name: driver.displayName })))('what $name deploys', ({ driver }) => {
	it('can be told from everybody else’s, also in another workspace folder', async () => {
		await using folder = tempFolder();
		const records = new DeploymentRecords(new Workspace(folder.path), '/home/me/nancy');
		for (const scope of ['launch', 'workspace'] as const) {
			const { edits, files } = planOf(driver, scope);
			for (const { file, entries } of edits) {
				const { isOwn } = await ownEntries(records, driver, file, '');
				for (const { value } of entries) {
					const text = JSON.stringify({ x: [value] });
					expect(oursAmong(file, text, isOwn)).toHaveLength(1);
					expect(oursAmong(file, text.replaceAll('; exit 0', '; evil; exit 0'), isOwn)).toEqual([]);
					expect(oursAmong(file, text.replaceAll('/home/me/', '/tmp/'), isOwn)).toEqual([]);
				}
			}
			for (const { content } of files) expect(launcherWithin(content)).toBe(launcher);
		}
	});

	it('for every session holds what a launch needs', () => {
		const all = planOf(driver, 'workspace').launchFiles.map(({ file }) => file);
		expect(all).toEqual(expect.arrayContaining(planOf(driver, 'launch').launchFiles.map(({ file }) => file)));
	});
});

it.each(['as offered', 'the other way round'])(
	'all drivers side by side leave a folder as it was, taken back %s',
	async way => {
		await using folder = tempFolder();
		const skills = folder.file('skills');
		mkdirSync(join(skills, 'check'), { recursive: true });
		writeFileSync(join(skills, 'check/SKILL.md'), 'hi');
		mkdirSync(folder.file('workspace'));
		const workspace = new Workspace(folder.file('workspace'));
		const before = treeOf(workspace.folder);
		const request: DeployRequest = {
			agentVersion: version,
			scope: 'workspace',
			runtime: { folder: '', launcher, bin: '', skills, version: '0.1.0-a', dataFolder: folder.file('nancy') },
		};
		for (const driver of drivers) await deploy(workspace, driver, request);
		for (const driver of drivers) expect(await deploymentState(workspace, driver, request)).toBe('ok');
		for (const driver of way === 'as offered' ? drivers : drivers.toReversed())
			expect((await undeploy(workspace, driver, request.runtime)).warnings).toEqual([]);
		expect(treeOf(workspace.folder)).toEqual(before);
	},
);
