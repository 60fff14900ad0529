import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deploy, undeploy } from '../../../src/core/deployment/deploy.ts';
import type { DeployRequest } from '../../../src/core/deployment/job.ts';
import { DeploymentKeeper } from '../../../src/core/deployment/keeper.ts';
import { Workspace } from '../../../src/core/workspace.ts';
import { claudeCode } from '../../../src/drivers/claude-code/driver.ts';

const NEVER = 2_000_000_000;
let folder: string;
let workspace: Workspace;
let settings: string;
let isBusy = false;
let repaired: string[];
let failed: unknown[];

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
	agentVersion: [2, 1, 329],
	runtime: {
		folder: `/opt/nancy/runtime/${version}`,
		launcher: `/opt/nancy/runtime/${version}/nancy-hook`,
		bin: '',
		skills: join(folder, 'none'),
		version,
	},
	isBusy: () => isBusy,
});

const keeper = (wanted: () => DeployRequest | undefined = request) => {
	const made = new DeploymentKeeper(workspace, [claudeCode], () => Promise.resolve(wanted()), NEVER);
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

	it('does not bring back what was cleaned up', async () => {
		await deploy(workspace, claudeCode, request());
		const kept = keeper();
		await undeploy(workspace, claudeCode.id);
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
