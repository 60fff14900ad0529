import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deploy } from '../../../../src/core/deployment/deploy.ts';
import { undeploy } from '../../../../src/core/deployment/undeploy.ts';
import type { DeployRequest } from '../../../../src/core/deployment/job.ts';
import { DeploymentKeeper } from '../../../../src/core/deployment/keeper.ts';
import { DeploymentRecords } from '../../../../src/core/deployment/records.ts';
import { Workspace } from '../../../../src/core/workspace/workspace.ts';
import { ownFilesDriver, SHARED } from '../../../support/ownFilesDriver.ts';
import { claudeCode } from '../../../../src/drivers/claude-code/driver.ts';
import { dataIn, deployRequest } from '../../../support/deployRequest.ts';

const NEVER = 2_000_000_000;
let folder: string;
let workspace: Workspace;
let settings: string;
let isBusy = false;
let repaired: string[];
let failed: unknown[];

const data = () => dataIn(folder);

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'nancy-keeper-'));
	workspace = new Workspace(folder);
	settings = join(folder, '.claude/settings.local.json');
	isBusy = false;
	repaired = [];
	failed = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const request = (version = '1-aaaaaaaa'): DeployRequest => ({
	...deployRequest(folder, version, join(folder, 'none')),
	isBusy: () => isBusy,
});

const keeper = (wanted: () => DeployRequest | undefined = request) => {
	const made = new DeploymentKeeper(
		workspace,
		[claudeCode],
		data().dataFolder,
		() => Promise.resolve(wanted()),
		NEVER,
	);
	made.onDidRepair(({ changed }) => repaired.push(...changed));
	made.onDidFail(error => failed.push(error));
	return made;
};

describe('DeploymentKeeper', () => {
	it('puts back what another tool wiped, and keeps what that tool wrote', async () => {
		await deploy(workspace, claudeCode, request());
		const kept = keeper();
		await kept.look();
		expect(repaired).toEqual([]);

		await writeFile(settings, '{"permissions":{"allow":["Bash(ls)"]}}');
		await kept.look();
		expect(repaired).toEqual(['.claude/settings.local.json']);
		expect(await readFile(settings, 'utf8')).toMatch(/Bash\(ls\)[\s\S]*nancy-hook/);
		kept.dispose();
	});

	it('waits while the agent itself may be writing', async () => {
		await deploy(workspace, claudeCode, request());
		await writeFile(settings, '{}');
		isBusy = true;
		const kept = keeper();
		await kept.look();
		expect(await readFile(settings, 'utf8')).toBe('{}');
		isBusy = false;
		await kept.look();
		expect(repaired).toHaveLength(1);
		kept.dispose();
	});

	it('brings an update, and leaves alone what no task needs', async () => {
		await deploy(workspace, claudeCode, request());
		const idle = keeper(() => undefined);
		await writeFile(settings, '{}');
		await idle.look();
		expect(repaired).toEqual([]);
		const kept = keeper(() => request('2-bbbbbbbb'));
		await kept.look();
		expect(await readFile(settings, 'utf8')).toContain('2-bbbbbbbb');
		for (const each of [idle, kept]) each.dispose();
	});

	/** A runtime of another Nancy, which is really there. */
	const installed = async (version: string): Promise<DeployRequest> => {
		const { runtime, ...rest } = request(version);
		const home = join(folder, 'nancy/runtime', version);
		await mkdir(home, { recursive: true });
		await writeFile(join(home, 'nancy-hook'), '#!/bin/sh\n', { mode: 0o755 });
		return { ...rest, runtime: { ...runtime, folder: home, launcher: join(home, 'nancy-hook') } };
	};

	it('takes no turns with the keeper of another Nancy: the later version stays', async () => {
		const [older, newer, sameAge] = await Promise.all(
			['0.1.0-aaaaaaaa', '0.2.0-bbbbbbbb', '0.2.0-cccccccc'].map(installed),
		);
		if (!older || !newer || !sameAge) throw new Error('none');
		await deploy(workspace, claudeCode, older);
		const keepers = [older, newer, sameAge].map(each => keeper(() => each));
		for (let round = 0; round < 3; round++) for (const each of keepers) await each.look();
		expect(repaired).toEqual(['.claude/settings.local.json']);
		expect(await readFile(settings, 'utf8')).toContain('0.2.0-bbbbbbbb');

		await writeFile(settings, '{}');
		for (let round = 0; round < 3; round++) for (const each of keepers) await each.look();
		expect(repaired.length).toBeLessThanOrEqual(3);
		expect(await readFile(settings, 'utf8')).toContain('/0.2.0-');
		for (const each of keepers) each.dispose();
	});

	it('does not trust a later version whose program is gone, or whose entries are not whole', async () => {
		const [older, newer] = await Promise.all(['0.1.0-aaaaaaaa', '0.2.0-bbbbbbbb'].map(installed));
		if (!older || !newer) throw new Error('none');
		await deploy(workspace, claudeCode, newer);
		await rm(newer.runtime.launcher);
		const kept = keeper(() => older);
		await kept.look();
		expect(await readFile(settings, 'utf8')).toContain('0.1.0-aaaaaaaa');

		await installed('0.2.0-bbbbbbbb');
		await deploy(workspace, claudeCode, newer);
		const { hooks } = JSON.parse(await readFile(settings, 'utf8'));
		const { Stop, PreToolUse, SessionStart } = hooks;
		await writeFile(settings, JSON.stringify({ hooks: { Stop, PreToolUse, SessionStart } }));
		await kept.look();
		expect(await readFile(settings, 'utf8')).toContain('0.1.0-aaaaaaaa');
		kept.dispose();
	});

	it('tries again what another Nancy or a full disk kept it from, and tells of it once', async () => {
		await deploy(workspace, claudeCode, request());
		await writeFile(settings, '{}');
		let asked = 0;
		// Not busy when the keeper asks, but when the file would be written.
		const kept = keeper(() => ({ ...request(), isBusy: () => ++asked % 2 === 0 && asked < 6 }));
		await kept.look();
		await kept.look();
		expect(failed).toMatchObject([{ code: 'busy' }]);
		expect(repaired).toEqual([]);
		for (let round = 0; round < 3; round++) await kept.look();
		expect(repaired).toEqual(['.claude/settings.local.json']);
		kept.dispose();
	});

	it('puts back skills that somebody removed, and writes for another version of the agent', async () => {
		const skills = join(folder, 'source');
		await mkdir(join(skills, 'check'), { recursive: true });
		await writeFile(join(skills, 'check', 'SKILL.md'), 'hi');
		let agentVersion: DeployRequest['agentVersion'] = [2, 1, 118];
		const wanted = (): DeployRequest => {
			const { runtime, ...rest } = request();
			return { ...rest, agentVersion, runtime: { ...runtime, skills } };
		};
		await deploy(workspace, claudeCode, wanted());
		const kept = keeper(wanted);
		await kept.look();
		await rm(join(folder, '.claude/skills/check'), { recursive: true });
		await kept.look();
		expect(repaired).toEqual(['.claude/skills/check']);
		agentVersion = [2, 1, 329];
		await kept.look();
		expect(await readFile(settings, 'utf8')).toContain('FileChanged');
		kept.dispose();
	});

	it('puts back files of Nancy’s own, for those sessions that they were for', async () => {
		const alpha = ownFilesDriver('alpha');
		const launch = (): DeployRequest => ({ ...request(), scope: 'launch' });
		await deploy(workspace, alpha, request());
		const kept = new DeploymentKeeper(
			workspace,
			[alpha],
			data().dataFolder,
			() => Promise.resolve(launch()),
			NEVER,
		);
		kept.onDidRepair(({ changed }) => repaired.push(...changed));
		await kept.look();
		const hooks = join(new DeploymentRecords(workspace, data().dataFolder).launchFolder(alpha.id), 'hooks.json');
		for (const file of [join(folder, '.alpha'), join(folder, SHARED), hooks]) {
			await rm(file, { recursive: true });
			await kept.look();
		}
		expect(repaired).toEqual(['.alpha/plugin/nancy.js', SHARED, hooks]);
		await writeFile(join(folder, '.alpha/plugin/nancy.js'), 'mine');
		for (let round = 0; round < 3; round++) await kept.look();
		expect(repaired).toHaveLength(3);
		kept.dispose();
	});

	it('does not bring back what was cleaned up', async () => {
		await deploy(workspace, claudeCode, request());
		const kept = keeper();
		await undeploy(workspace, claudeCode, data());
		await kept.look();
		expect(repaired).toEqual([]);
		kept.dispose();
	});

	it('tells once of a file that cannot be read, and repairs it when it can', async () => {
		await deploy(workspace, claudeCode, request());
		await mkdir(join(folder, '.claude'), { recursive: true });
		await writeFile(settings, '{"hooks": ');
		const kept = keeper();
		await kept.look();
		await kept.look();
		expect(failed).toMatchObject([{ code: 'settings-broken' }]);
		await writeFile(settings, '{ }');
		await kept.look();
		expect(repaired).toHaveLength(1);
		kept.dispose();
	});
});
