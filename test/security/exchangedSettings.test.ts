import {
	cpSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deploy } from '../../src/core/deployment/deploy.ts';
import { undeploy } from '../../src/core/deployment/undeploy.ts';
import { HeldFolder } from '../../src/core/files/heldFolder.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { claudeCode } from '../../src/drivers/claude-code/driver.ts';
import { dataIn, deployRequest } from '../support/deployRequest.ts';
import { cannotHold, skippedUnless } from '../support/skipped.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';
import { treeOf } from '../support/tree.ts';

let folder: TempFolder;
let workspace: Workspace;
let skill: string;
beforeEach(() => {
	folder = tempFolder('nancy-exchanged-');
	workspace = new Workspace(folder.file('project'));
	skill = join(folder.file('skills'), 'check', 'SKILL.md');
	mkdirSync(dirname(skill), { recursive: true });
	writeFileSync(skill, 'of Nancy');
});
afterEach(async () => {
	vi.restoreAllMocks();
	await folder.remove();
});

const VERSION = '0.1.0-aaaaaaaa';
const request = (version = VERSION) => deployRequest(folder.path, version, folder.file('skills'));
const deployed = () => deploy(workspace, claudeCode, request());
const takenBack = () => undeploy(workspace, claudeCode, dataIn(folder.path));

// An agent's program may exchange a folder of its CLI's settings by a link at any moment, also right before Nancy writes there.
describe.skipIf(cannotHold)(`a folder that is exchanged by a link leads nowhere${cannotHold}`, () => {
	it.each([
		['written', 'settings.local.json', () => deploy(workspace, claudeCode, request('0.2.0-bbbbbbbb'))],
		['removed', 'settings.local.json', takenBack],
		['made', 'check', deployed],
		['removed', 'check', takenBack],
	] as const)('right before something is %s there: %s', async (what, name, act) => {
		if (what !== 'made') await deployed();
		const isSkill = name === 'check';
		const moved = join(workspace.folder, isSkill ? '.claude/skills' : '.claude');
		const [away, outside] = [folder.file('project/away'), folder.file('outside')];
		let atFirst: unknown;
		const exchange = () => {
			if (atFirst) return;
			// The same files wait outside: whoever goes there finds everything.
			cpSync(moved, outside, { recursive: true });
			atFirst = treeOf(outside);
			renameSync(moved, away);
			symlinkSync(outside, moved);
		};
		if (isSkill) afterHolding('skills', exchange);
		else beforeComparing(exchange);
		await act().catch(() => undefined);
		expect(atFirst).toBeDefined();
		expect(treeOf(outside)).toEqual(atFirst);
		expect(existsSync(join(away, name))).toBe(what !== 'removed');
	});
});

function afterHolding(name: string, exchange: () => void): void {
	const below = HeldFolder.openBelow.bind(HeldFolder);
	vi.spyOn(HeldFolder, 'openBelow').mockImplementation((root, path, make) => {
		const held = below(root, path, make);
		if (basename(path) === name) exchange();
		return held;
	});
}

/** The last look at a settings file: whether it is as it was read. */
function beforeComparing(exchange: () => void): void {
	const compare = Buffer.compare.bind(Buffer);
	vi.spyOn(Buffer, 'compare').mockImplementation((one, other) => {
		exchange();
		return compare(one, other);
	});
}

const OTHER_DISK = '/dev/shm';
const hasOtherDisk = existsSync(OTHER_DISK) && statSync(OTHER_DISK).dev !== statSync(tmpdir()).dev;
const noOtherDisk = skippedUnless(hasOtherDisk, 'there is none');
it.skipIf(noOtherDisk)(`skills come and go where the data folder is on another disk${noOtherDisk}`, async () => {
	await using disk = tempFolder(relative(tmpdir(), join(OTHER_DISK, 'nancy-disk-')));
	const there = deployRequest(disk.path, VERSION, folder.file('skills'));
	const skills = join(workspace.folder, '.claude/skills');
	for (const text of ['of Nancy', 'newer']) {
		writeFileSync(skill, text);
		await deploy(workspace, claudeCode, there);
		expect(readFileSync(join(skills, 'check/SKILL.md'), 'utf8')).toBe(text);
		expect(readdirSync(skills)).toEqual(['check']);
	}
	expect((await undeploy(workspace, claudeCode, dataIn(disk.path))).warnings).toEqual([]);
	expect(existsSync(skills)).toBe(false);
});
