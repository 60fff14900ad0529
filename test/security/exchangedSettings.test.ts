import type * as fs from 'node:fs';
import {
	cpSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import type * as promises from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deploy } from '../../src/core/deployment/deploy.ts';
import { undeploy } from '../../src/core/deployment/undeploy.ts';
import { CAN_HOLD } from '../../src/core/files/heldFolder.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { claudeCode } from '../../src/drivers/claude-code/driver.ts';
import { dataIn, deployRequest } from '../support/deployRequest.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';
import { treeOf } from '../support/tree.ts';

// An agent's program may exchange a folder of its CLI's settings by a link at any moment, also right before Nancy writes there.

/** Called with each path right before it is renamed to, renamed from, or removed. */
const before = vi.hoisted(() => ({ change: (_path: string): void => undefined }));

vi.mock('node:fs', async importOriginal => {
	const original = await importOriginal<typeof fs>();
	return {
		...original,
		renameSync: (from: string, to: string) => (
			before.change(from),
			before.change(to),
			original.renameSync(from, to)
		),
		rmSync: (file: string, options: object) => (before.change(file), original.rmSync(file, options)),
	};
});
vi.mock('node:fs/promises', async importOriginal => {
	const original = await importOriginal<typeof promises>();
	return {
		...original,
		rename: (from: string, to: string) => (before.change(from), before.change(to), original.rename(from, to)),
	};
});

let folder: TempFolder;
let workspace: Workspace;
beforeEach(() => {
	folder = tempFolder('nancy-exchanged-');
	workspace = new Workspace(folder.file('project'));
	const skill = join(folder.file('skills'), 'check', 'SKILL.md');
	mkdirSync(dirname(skill), { recursive: true });
	writeFileSync(skill, 'of Nancy');
});
afterEach(async () => {
	before.change = () => undefined;
	await folder.remove();
});

const request = (version: string) => deployRequest(folder.path, version, folder.file('skills'));
const deployed = () => deploy(workspace, claudeCode, request('0.1.0-aaaaaaaa'));
const cases = [
	['written', '.claude', 'settings.local.json', () => deploy(workspace, claudeCode, request('0.2.0-bbbbbbbb'))],
	['removed', '.claude', 'settings.local.json', () => undeploy(workspace, claudeCode, dataIn(folder.path))],
	['made', '.claude/skills', 'check', deployed],
	['removed', '.claude/skills', 'check', () => undeploy(workspace, claudeCode, dataIn(folder.path))],
] as const;

describe.runIf(CAN_HOLD)('a folder that is exchanged by a link', () => {
	it.each(cases)('leads nowhere when right before that something is %s in %s: %s', async (what, place, name, act) => {
		if (what !== 'made') await deployed();
		const [moved, outside] = [join(workspace.folder, place), folder.file('outside')];
		let atFirst: unknown;
		before.change = path => {
			if (basename(path) !== name || atFirst) return;
			// The same files wait outside: whoever goes there finds everything.
			cpSync(moved, outside, { recursive: true });
			atFirst = treeOf(outside);
			renameSync(moved, folder.file('project/away'));
			symlinkSync(outside, moved);
		};
		await act().catch(() => undefined);
		expect(atFirst).toBeDefined();
		expect(treeOf(outside)).toEqual(atFirst);
		expect(existsSync(folder.file('project/away', name))).toBe(what !== 'removed');
	});
});

it.each(['deploy', 'deploy again', 'undeploy'])(
	'skills come and go where the data folder is on another disk: %s',
	async step => {
		before.change = path => {
			if (/staging.(skill|old)-/.test(path)) throw Object.assign(new Error('another disk'), { code: 'EXDEV' });
		};
		await deployed();
		if (step === 'deploy again') {
			writeFileSync(folder.file('skills/check/SKILL.md'), 'newer');
			await deployed();
		}
		if (step === 'undeploy') await undeploy(workspace, claudeCode, dataIn(folder.path));
		const skill = join(workspace.folder, '.claude/skills/check/SKILL.md');
		const expected = { deploy: 'of Nancy', 'deploy again': 'newer', undeploy: undefined }[step];
		expect(existsSync(skill) ? readFileSync(skill, 'utf8') : undefined).toBe(expected);
		const left = existsSync(dirname(dirname(skill))) ? readdirSync(dirname(dirname(skill))) : [];
		expect(left).toEqual(expected === undefined ? [] : ['check']);
	},
);
