import * as fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	statfsSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cleanUp } from '../../../../src/core/deployment/cleanUp.ts';
import { deploy, deploymentState } from '../../../../src/core/deployment/deploy.ts';
import { undeploy } from '../../../../src/core/deployment/undeploy.ts';
import { DeploymentRecords } from '../../../../src/core/deployment/records.ts';
import type { SealedDeployments } from '../../../../src/protocol/deployment.ts';
import { sha256 } from '../../../../src/base/sha256.ts';
import { Workspace } from '../../../../src/core/workspace/workspace.ts';
import { claudeCode } from '../../../../src/drivers/claude-code/driver.ts';
import {
	meaning,
	settingsDocument,
	settingsValue,
	withoutEmpty,
	withoutOurs,
} from '../../../support/settingsDocuments.ts';
import { casesOr, someOf, strideOr } from '../../../support/rounds.ts';
import { changeSealedRecord } from '../../../support/sealedRecord.ts';
import { cannotMount, skippedUnless, withoutRoot } from '../../../support/skipped.ts';
import { treeOf } from '../../../support/tree.ts';
import { dataIn, deployRequest } from '../../../support/deployRequest.ts';
import { long } from '../../../support/long.ts';

const SETTINGS = '.claude/settings.local.json';
const OLD = '0.1.0-aaaaaaaa';
const NEW = '0.2.0-bbbbbbbb';
/** Files, records and copies of them; what edits do to the text of thousands is in deployment.test.ts. */
const CASES = casesOr(8);

let folder: string;
let workspace: Workspace;
let settings: string;

const records = () => new DeploymentRecords(workspace, data().dataFolder);
const data = () => dataIn(folder);

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'nancy-files-'));
	freshWorkspace();
	for (const version of [OLD, NEW]) {
		const skill = join(request(version).runtime.skills, 'check-directives');
		mkdirSync(skill, { recursive: true });
		writeFileSync(join(skill, 'SKILL.md'), `---\nversion: ${version}\n---\n`);
	}
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function freshWorkspace(text?: string): void {
	const root = join(folder, 'workspace');
	rmSync(root, { recursive: true, force: true });
	mkdirSync(root);
	workspace = new Workspace(root);
	settings = join(root, SETTINGS);
	if (text !== undefined) given(text);
}

function given(text: string | Uint8Array): void {
	mkdirSync(dirname(settings), { recursive: true });
	writeFileSync(settings, text);
}

const request = (version = OLD) => deployRequest(folder, version);

/** Skills are files of their own: leaving them out makes a thousand cases affordable. */
const withoutSkills = (version = OLD) => deployRequest(folder, version, join(folder, 'none'));

const text = () => readFileSync(settings, 'utf8');
const failure = (run: Promise<unknown>) =>
	run.then(
		() => 'none',
		(error: unknown) => error,
	);

describe('any settings file', () => {
	it('comes back byte for byte, means the same in between, and is deployed into once', async () => {
		await fc.assert(
			fc.asyncProperty(settingsDocument, async before => {
				freshWorkspace(before);
				await deploy(workspace, claudeCode, withoutSkills());
				const once = text();
				expect(withoutOurs(meaning(once))).toEqual(withoutOurs(meaning(before)));
				expect(once.startsWith('\uFEFF')).toBe(before.startsWith('\uFEFF'));
				if (before.length % 3 === 0) {
					expect((await deploy(workspace, claudeCode, withoutSkills())).changed).toEqual([]);
					expect(text()).toBe(once);
				}
				if (before.length % 3 === 1) {
					await deploy(workspace, claudeCode, withoutSkills(NEW));
					expect(text()).not.toContain(`${OLD}/nancy-hook' claude-code`);
					expect(await deploymentState(workspace, claudeCode, withoutSkills(NEW))).toBe('ok');
				}
				await undeploy(workspace, claudeCode, data());
				expect(treeOf(workspace.folder)).toEqual({
					'.claude': '/',
					[SETTINGS]: Buffer.from(before).toString('latin1'),
				});
			}),
			{ numRuns: CASES },
		);
	});

	it('keeps what somebody else wrote in between, whatever that is', async () => {
		await fc.assert(
			fc.asyncProperty(
				settingsValue,
				settingsValue,
				fc.constantFrom(0, 2, '\t'),
				async (before, meanwhile, indent) => {
					freshWorkspace(JSON.stringify(before));
					await deploy(workspace, claudeCode, withoutSkills());
					const deployed = meaning(text()) as { hooks: object };
					// As the CLI does: everything read, something changed, all of it written in its own format.
					writeFileSync(settings, JSON.stringify({ ...meanwhile, hooks: deployed.hooks }, null, indent));
					await undeploy(workspace, claudeCode, data());
					expect(withoutEmpty(meaning(text()))).toEqual(
						withoutEmpty({ ...meanwhile, hooks: (before as { hooks?: unknown }).hooks }),
					);
				},
			),
			{ numRuns: CASES, examples: [[{}, { '': [{ ['__proto__']: 0 }] }, 0]] },
		);
	});

	it('that is not one is left as it is', async () => {
		const noJson = fc.oneof(
			settingsDocument.map(source => source.slice(0, -2)),
			settingsDocument.map(source => `${source}]`),
			fc.string(),
			fc.constantFrom(
				'[]',
				'"hooks"',
				'1',
				'null',
				'{"hooks":[]}',
				'{"hooks":{"Stop":{}}}',
				'{"hooks":{"Stop":null}}',
			),
			fc.constantFrom('{"hooks":{},"hooks":{}}', '{"hooks":{"Stop":[],"Stop":[]}}', '['.repeat(100_000)),
			fc.constant(`{"deep":${'['.repeat(3000)}${']'.repeat(3000)}}`),
		);
		let refused = 0;
		await fc.assert(
			fc.asyncProperty(noJson, async before => {
				freshWorkspace(before);
				const error = await failure(deploy(workspace, claudeCode, withoutSkills()));
				if (error !== 'none') {
					refused++;
					expect(error).toMatchObject({
						code: 'settings-broken',
						message: expect.stringContaining(SETTINGS),
					});
					expect(text()).toBe(before);
				}
				await failure(undeploy(workspace, claudeCode, data()));
				expect(text()).toBe(before);
			}),
			{ numRuns: CASES },
		);
		expect(refused).toBeGreaterThan(CASES / 2);
	});
});

describe('a settings file', () => {
	it('of 5 MB is deployed into and restored', long, async () => {
		const big = JSON.stringify(
			{ big: Array.from({ length: 50_000 }, (_, n) => ({ n, text: 'x'.repeat(80) })) },
			null,
			2,
		);
		given(big);
		await deploy(workspace, claudeCode, request());
		await undeploy(workspace, claudeCode, data());
		expect(text() === big).toBe(true);
	});

	it.each([
		['that is not UTF-8', Uint8Array.of(0x7b, 0xff, 0x7d)],
		['in UTF-16', Buffer.from('\uFEFF{}', 'utf16le')],
	])('%s is refused and left as it is', async (_, bytes) => {
		given(bytes);
		expect(await failure(deploy(workspace, claudeCode, request()))).toMatchObject({ code: 'settings-broken' });
		expect(readFileSync(settings)).toEqual(Buffer.from(bytes));
	});

	it('keeps its permission bits, whatever the umask says', async () => {
		given('{}');
		chmodSync(settings, 0o666);
		await deploy(workspace, claudeCode, request());
		expect(statSync(settings).mode & 0o777).toBe(0o666);
		await undeploy(workspace, claudeCode, data());
		expect(statSync(settings).mode & 0o777).toBe(0o666);
	});

	it.each([
		['a link to nothing', () => symlinkSync('gone.json', settings)],
		['a folder', () => mkdirSync(settings)],
	])('that is %s is refused', async (_, make) => {
		mkdirSync(dirname(settings));
		make();
		const before = treeOf(workspace.folder);
		expect(await failure(deploy(workspace, claudeCode, request()))).toMatchObject({ code: 'settings-broken' });
		expect(treeOf(workspace.folder)).toEqual(before);
	});

	it.skipIf(withoutRoot)(`that is a link to somebody else’s file is refused${withoutRoot}`, async () => {
		const theirs = join(workspace.folder, 'theirs.json');
		mkdirSync(dirname(settings), { recursive: true });
		writeFileSync(theirs, '{}');
		execFileSync('chown', ['12345', theirs]);
		symlinkSync(theirs, settings);
		expect(await failure(deploy(workspace, claudeCode, request()))).toMatchObject({
			message: expect.stringContaining('is a link to a file of somebody else'),
		});
		expect(readFileSync(theirs, 'utf8')).toBe('{}');
	});

	it('keeps a permission rule that names the launcher', async () => {
		const rule = `Bash('${request().runtime.launcher}' claude-code Stop:*)`;
		given(JSON.stringify({ permissions: { allow: [rule] } }));
		await deploy(workspace, claudeCode, request());
		writeFileSync(settings, JSON.stringify(meaning(text())));
		await undeploy(workspace, claudeCode, data());
		expect(meaning(text())).toEqual({ permissions: { allow: [rule] } });
	});

	it('is written only as it was read: a rule added at the last moment stays', async () => {
		given('{"permissions":{"allow":[]}}');
		let asked = 0;
		const isBusy = () => {
			// Asked last right before the exchange, when everything is prepared.
			if (++asked === 2) writeFileSync(settings, '{"permissions":{"allow":["Bash(ls)"]}}');
			return false;
		};
		await deploy(workspace, claudeCode, { ...request(), isBusy });
		expect(asked).toBeGreaterThan(2);
		expect(text()).toMatch(/Bash\(ls\)[^]*nancy-hook/);
		await undeploy(workspace, claudeCode, data());
		expect(text()).toBe('{"permissions":{"allow":["Bash(ls)"]}}');
	});

	it('is not written once the agent asks, even when everything is prepared', async () => {
		given('{}');
		let asked = 0;
		const isBusy = () => ++asked > 1;
		expect(await failure(deploy(workspace, claudeCode, { ...request(), isBusy }))).toMatchObject({ code: 'busy' });
		expect(text()).toBe('{}');
	});
});

describe('clean-up', () => {
	it.each([
		['with its record', () => undefined],
		['without', () => rmSync(workspace.paths.root, { recursive: true })],
	])('does not write while the agent may be writing, %s', async (_, lose) => {
		await deploy(workspace, claudeCode, request());
		const deployed = text();
		lose();
		const asked: string[] = [];
		const isBusy = (agent: string) => asked.push(agent) > 0;
		expect(await failure(cleanUp(workspace, undefined, [claudeCode], { ...data(), isBusy }))).toMatchObject({
			code: 'busy',
		});
		expect(text()).toBe(deployed);
		expect(new Set(asked)).toEqual(new Set([claudeCode.id]));
		await cleanUp(workspace, undefined, [claudeCode], data());
		expect(existsSync(settings)).toBe(false);
	});
});

describe('a record', () => {
	const changeRecord = (change: (sealed: SealedDeployments) => unknown) =>
		changeSealedRecord(workspace.folder, data().dataFolder, change);

	it('that is gone with .nancy does not leave the hooks behind', async () => {
		given('{"model":"opus"}');
		await deploy(workspace, claudeCode, request());
		rmSync(workspace.paths.root, { recursive: true });
		const { changed } = await cleanUp(workspace, undefined, [claudeCode], data());
		expect(changed).toEqual([SETTINGS, '.claude/skills/check-directives']);
		expect(meaning(text())).toEqual({ model: 'opus' });
		expect(existsSync(workspace.paths.root)).toBe(false);
	});

	it.each(['../../outside.json', '/etc/outside.json', '.claude/../../outside.json'])(
		'cannot name a file outside the workspace (%s)',
		async file => {
			await deploy(workspace, claudeCode, request());
			changeRecord(({ deployments: [first], ...sealed }) => ({
				...sealed,
				deployments: [{ ...first, files: [{ file, entries: [] }] }],
			}));
			expect(await failure(undeploy(workspace, claudeCode, data()))).toMatchObject({ code: 'bad-file' });
		},
	);

	it('cannot make clean-up remove or overwrite a file without an entry of Nancy’s', async () => {
		await deploy(workspace, claudeCode, request());
		writeFileSync(settings, 'export PATH');
		changeRecord(sealed => ({
			...sealed,
			files: sealed.files.map(each => ({ ...each, sha256: sha256('export PATH') })),
		}));
		await failure(undeploy(workspace, claudeCode, data()));
		expect(text()).toBe('export PATH');
	});

	it('survives changes of config.json at the same time', async () => {
		const change = (percent: number) => workspace.updateConfig(config => ({ ...config, tokenThreshold: percent }));
		await Promise.all([change(50), deploy(workspace, claudeCode, request()), change(60), change(70)]);
		expect(await records().all()).toHaveLength(1);
		await undeploy(workspace, claudeCode, data());
		expect(treeOf(workspace.folder)).toEqual({});
	});
});

describe('a skill', () => {
	const mine = () => join(workspace.folder, '.claude/skills/check-directives');

	it('that the user has as well stays when Nancy goes', async () => {
		mkdirSync(mine(), { recursive: true });
		writeFileSync(join(mine(), 'SKILL.md'), `---\nversion: ${OLD}\n---\n`);
		const before = treeOf(workspace.folder);
		await deploy(workspace, claudeCode, request());
		await undeploy(workspace, claudeCode, data());
		expect(treeOf(workspace.folder)).toEqual(before);
	});

	it.each([
		['a link', () => symlinkSync('/nowhere', join(mine(), 'link'))],
		[
			'a file in a folder that is called like a cache',
			() => {
				mkdirSync(join(mine(), 'cache'));
				writeFileSync(join(mine(), 'cache', 'mine'), 'x');
			},
		],
	])('to which the user added %s stays', async (_, add) => {
		await deploy(workspace, claudeCode, request());
		add();
		const before = treeOf(mine());
		expect((await undeploy(workspace, claudeCode, data())).warnings.join()).toContain('it stays');
		expect(treeOf(mine())).toEqual(before);
	});

	it('that somebody removed makes a deployment incomplete', async () => {
		await deploy(workspace, claudeCode, request());
		rmSync(mine(), { recursive: true });
		expect(await deploymentState(workspace, claudeCode, request())).toBe('outdated');
		expect((await deploy(workspace, claudeCode, request())).changed).toEqual(['.claude/skills/check-directives']);
		expect(await deploymentState(workspace, claudeCode, request())).toBe('ok');
	});
});

const noDisk = cannotMount || skippedUnless(mounts(), 'needs to mount one');
describe.skipIf(noDisk)(`a disk${noDisk}`, () => {
	const disk = () => join(folder, 'workspace');
	const mount = (options: string) => execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', disk()]);
	const remount = (options: string) => execFileSync('mount', ['-o', `remount,${options}`, disk()]);
	afterEach(() => execFileSync('umount', [disk()]));

	it('that may not be written is said so, and what was there stays', async () => {
		mount('size=1m');
		given('{"a":1}');
		mkdirSync(workspace.paths.root);
		remount('ro');
		expect(await failure(deploy(workspace, claudeCode, request()))).toMatchObject({
			code: 'io',
			message: expect.stringContaining('Check who may write there'),
		});
		remount('rw');
		await deploy(workspace, claudeCode, request());
		remount('ro');
		const before = treeOf(workspace.folder);
		expect(await failure(undeploy(workspace, claudeCode, data()))).toMatchObject({ code: 'io' });
		expect(treeOf(workspace.folder)).toEqual(before);
		remount('rw');
		await undeploy(workspace, claudeCode, data());
		expect(treeOf(workspace.folder)).toEqual({ '.claude': '/', [SETTINGS]: '{"a":1}' });
	});

	it('that is full at any point loses nothing', async () => {
		const before = JSON.stringify({ a: 'x'.repeat(9000) });
		const outcomes = new Set<string>();
		mount('size=256k');
		const blocks = Array.from({ length: 30 }, (_, block) => 4 * block);
		for (const free of [...someOf(blocks, strideOr(3)), 120]) {
			freshOnDisk(before);
			const ballast = join(disk(), 'ballast');
			fill(ballast, free * 1024);
			const error = await failure(deploy(workspace, claudeCode, request()));
			outcomes.add(error === 'none' ? 'deployed' : (error as { code: string }).code);
			const isIntact =
				text() === before || (await deploymentState(workspace, claudeCode, request())) !== 'missing';
			expect({ free, isIntact }).toEqual({ free, isIntact: true });
			rmSync(ballast);
			await undeploy(workspace, claudeCode, data());
			expect({ free, same: text() === before }).toEqual({ free, same: true });
		}
		expect([...outcomes].sort()).toEqual(['deployed', 'io']);
	});

	function freshOnDisk(before: string): void {
		for (const name of ['.nancy', '.claude']) rmSync(join(disk(), name), { recursive: true, force: true });
		given(before);
	}

	/** Fills the disk up to so many bytes. */
	function fill(file: string, free: number): void {
		const { bavail, bsize } = statfsSync(disk());
		writeFileSync(file, Buffer.alloc(Math.max(0, bavail * bsize - free)));
	}
});

function mounts(): boolean {
	const trial = mkdtempSync(join(tmpdir(), 'nancy-mount-'));
	try {
		execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', trial], { stdio: 'ignore' });
		execFileSync('umount', [trial]);
		return true;
	} catch {
		return false; // a container without the right to
	} finally {
		rmSync(trial, { recursive: true });
	}
}
