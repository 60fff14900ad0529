import * as fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deploy, deploymentState } from '../../../../src/core/deployment/deploy.ts';
import { undeploy } from '../../../../src/core/deployment/undeploy.ts';
import { holdsExactly, withEntries, withoutEntries } from '../../../../src/core/deployment/settingsText.ts';
import { Workspace } from '../../../../src/core/workspace/workspace.ts';
import { claudeCode } from '../../../../src/drivers/claude-code/driver.ts';
import { dataIn, deployRequest } from '../../../support/deployRequest.ts';
import { casesOr } from '../../../support/rounds.ts';
import { isOurs, meaning, settingsDocument, withoutEmpty, withoutOurs } from '../../../support/settingsDocuments.ts';

const SETTINGS = '.claude/settings.local.json';

let folder: string;
let workspace: Workspace;
let settings: string;

const data = () => dataIn(folder);

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'nancy-deploy-'));
	workspace = new Workspace(join(folder, 'my project'));
	settings = join(workspace.folder, SETTINGS);
	await mkdir(workspace.folder);
	await mkdir(join(folder, 'runtime-skills', 'check-directives'), { recursive: true });
	await writeFile(
		join(folder, 'runtime-skills', 'check-directives', 'SKILL.md'),
		'---\nname: check-directives\n---\nhi\n',
	);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const request = (version = '0.1.0-aaaaaaaa') => deployRequest(folder, version, join(folder, 'runtime-skills'));

const given = async (text: string) => {
	await mkdir(join(workspace.folder, '.claude'), { recursive: true });
	await writeFile(settings, text);
};
const text = () => readFile(settings, 'utf8');
const entries = (version?: string) =>
	claudeCode
		.deployment({
			version: [2, 1, 329],
			launcher: request(version).runtime.launcher,
			workspaceFolder: workspace.folder,
			scope: 'workspace',
		})
		.edits.flatMap(edit => edit.entries);

describe('deploying into a workspace', () => {
	it.each([
		['blanks', '\n \r\n'],
		['a comment', '// mine'],
		['a mark', '\uFEFF\n'],
	])('takes a file of %s alone for an empty one, and gives it back', async (_, nothing) => {
		await given(nothing);
		await deploy(workspace, claudeCode, request());
		expect(await deploymentState(workspace, claudeCode, request())).toBe('ok');
		await undeploy(workspace, claudeCode, data());
		expect(await text()).toBe(nothing);
	});

	it('leaves nothing behind where nothing was', async () => {
		const { changed } = await deploy(workspace, claudeCode, request());
		expect(changed).toEqual([SETTINGS, '.claude/skills/check-directives']);
		expect(await deploymentState(workspace, claudeCode, request())).toBe('ok');

		await undeploy(workspace, claudeCode, data());
		expect(await readdir(workspace.folder)).toEqual(['.nancy']);
		expect(await deploymentState(workspace, claudeCode, request())).toBe('missing');
	});

	it('changes nothing the second time', async () => {
		await deploy(workspace, claudeCode, request());
		const once = await text();
		expect((await deploy(workspace, claudeCode, request())).changed).toEqual([]);
		expect(await text()).toBe(once);
	});

	it('gives a file back byte for byte, also after an update', async () => {
		const before = '\uFEFF{\r\n   // mine\r\n   "hooks": {"PreToolUse": [ {"hooks":[]} ,],},\r\n"x":1}';
		await given(before);
		const { warnings } = await deploy(workspace, claudeCode, request());
		expect(warnings.join()).toContain('may ignore the whole file');
		await deploy(workspace, claudeCode, request('0.2.0-bbbbbbbb'));
		expect(await text()).not.toContain('0.1.0-aaaaaaaa');

		await undeploy(workspace, claudeCode, data());
		expect(await text()).toBe(before);
	});

	it('keeps what somebody else wrote meanwhile', async () => {
		await given('{"permissions":{"allow":["Read"]}}\n');
		await deploy(workspace, claudeCode, request());
		const changed = parse(await text()) as { permissions: { allow: string[] } };
		changed.permissions.allow.push('Bash(ls)');
		await writeFile(settings, JSON.stringify(changed, null, 4));

		await deploy(workspace, claudeCode, request('0.2.0-bbbbbbbb'));
		expect(await deploymentState(workspace, claudeCode, request('0.2.0-bbbbbbbb'))).toBe('ok');
		await undeploy(workspace, claudeCode, data());
		expect(parse(await text())).toEqual({ permissions: { allow: ['Read', 'Bash(ls)'] } });
	});

	it('repairs what another tool wiped', async () => {
		await deploy(workspace, claudeCode, request());
		await writeFile(settings, '{"model":"opus"}');
		expect(await deploymentState(workspace, claudeCode, request())).toBe('missing');
		await deploy(workspace, claudeCode, request());
		expect(await deploymentState(workspace, claudeCode, request())).toBe('ok');
		await undeploy(workspace, claudeCode, data());
		expect(await text()).toBe('{"model":"opus"}');
	});

	it.each([
		['{"hooks": {', 'line 1, column'],
		['{\n\t"hooks": []\n}', 'line 2, column 11'],
		['{"hooks":{"Stop":{}}}', '"hooks.Stop", which must be an array'],
		['[]', 'must hold an object'],
	])('refuses %j, says where, and does not touch it', async (broken, where) => {
		await given(broken);
		const failure = await deploy(workspace, claudeCode, request()).then(
			() => undefined,
			(error: unknown) => error,
		);
		expect(failure).toMatchObject({ code: 'settings-broken', message: expect.stringContaining(where) });
		expect(await text()).toBe(broken);
	});

	it('writes through a symbolic link in the workspace and leaves the link', async () => {
		const elsewhere = join(workspace.folder, 'dotfiles.json');
		await mkdir(join(workspace.folder, '.claude'), { recursive: true });
		await writeFile(elsewhere, '{}');
		await symlink('../dotfiles.json', settings);
		await deploy(workspace, claudeCode, request());
		expect(await readFile(elsewhere, 'utf8')).toContain('nancy-hook');
		await undeploy(workspace, claudeCode, data());
		expect(await readFile(elsewhere, 'utf8')).toBe('{}');
	});

	it('keeps the file mode', async () => {
		await given('{}');
		await chmod(settings, 0o640);
		await deploy(workspace, claudeCode, request());
		const { stat } = await import('node:fs/promises');
		expect((await stat(settings)).mode & 0o777).toBe(0o640);
	});

	it('never overwrites a skill of the user, nor removes one that was changed', async () => {
		const mine = join(workspace.folder, '.claude/skills/check-directives/SKILL.md');
		await mkdir(join(mine, '..'), { recursive: true });
		await writeFile(mine, 'my own');
		expect((await deploy(workspace, claudeCode, request())).warnings.join()).toContain('check-directives');
		await undeploy(workspace, claudeCode, data());
		expect(await readFile(mine, 'utf8')).toBe('my own');

		await rm(join(workspace.folder, '.claude'), { recursive: true });
		await deploy(workspace, claudeCode, request());
		await writeFile(mine, 'edited');
		expect((await undeploy(workspace, claudeCode, data())).warnings.join()).toContain('changed by somebody');
		expect(await readFile(mine, 'utf8')).toBe('edited');
	});

	it('does not write while the CLI itself may be writing', async () => {
		await expect(deploy(workspace, claudeCode, { ...request(), isBusy: () => true })).rejects.toMatchObject({
			code: 'busy',
		});
		expect(await readdir(workspace.folder)).toEqual(['.nancy']);
	});

	it('takes turns with another window', async () => {
		const runs = ['0.1.0-aaaaaaaa', '0.2.0-bbbbbbbb', '0.3.0-cccccccc'].map(version =>
			deploy(workspace, claudeCode, request(version)),
		);
		await Promise.all(runs);
		await undeploy(workspace, claudeCode, data());
		expect(await readdir(workspace.folder)).toEqual(['.nancy']);
	});
});

describe('a settings file as text', () => {
	it('keeps everybody else’s values, holds ours once, and loses them again', () => {
		const ours = [
			{
				path: ['hooks', 'PreToolUse'],
				value: { hooks: [{ type: 'command', command: "'/x/nancy/runtime/1/nancy-hook' a" }] },
			},
			{
				path: ['hooks', 'Stop'],
				value: { hooks: [{ type: 'command', command: "'/x/nancy/runtime/1/nancy-hook' b" }] },
			},
			{
				path: ['hooks', 'Stop'],
				value: { matcher: 'x', hooks: [{ type: 'command', command: "'/x/nancy/runtime/1/nancy-hook' c" }] },
			},
		];
		fc.assert(
			fc.property(settingsDocument, before => {
				const after = withEntries('f', before, ours);
				expect(holdsExactly('f', after, ours, isOurs)).toBe(true);
				expect(withoutOurs(meaning(after))).toEqual(withoutOurs(meaning(before)));
				const restored = withoutEntries('f', after, isOurs);
				expect(withoutEmpty(meaning(restored))).toEqual(withoutEmpty(meaning(before)));
				expect(withoutEntries('f', before, isOurs)).toBe(before);
			}),
			{ numRuns: casesOr(500) },
		);
	});

	it('edits five megabytes', () => {
		const before = JSON.stringify(
			{ big: Array.from({ length: 50_000 }, (_, n) => ({ n, text: 'x'.repeat(80) })) },
			null,
			2,
		);
		expect(before.length).toBeGreaterThan(5_000_000);
		const after = withEntries('f', before, entries().slice(0, 3));
		expect(holdsExactly('f', after, entries().slice(0, 3), isOurs)).toBe(true);
	});
});
