import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, realpath, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'jsonc-parser';
import { writeFileAtomic } from '../../base/atomicFile.ts';
import { hasErrno, NancyError } from '../../base/errors.ts';
import { uniqueHex } from '../../base/unique.ts';
import { formatVersion, type Version } from '../../base/version.ts';
import type { DeployedFile, Deployment } from '../../protocol/records.ts';
import type { DeploymentPlan, Driver, SettingsEdit } from '../driver.ts';
import { contentHash, LAUNCHER_PATTERN, type Runtime } from '../runtime.ts';
import type { Workspace } from '../workspace.ts';
import { deploymentLock } from './lock.ts';
import { holdsExactly, isPlainJson, withEntries, withoutEntries } from './settingsText.ts';
import { folderNames } from '../../base/listing.ts';

export interface DeployRequest {
	runtime: Runtime;
	agentVersion: Version;
	/** True while a permission answer is in flight: the CLI itself rewrites its settings file then. */
	isBusy?: () => boolean;
}

export interface DeployResult {
	/** Files and folders written, relative to the workspace folder. Empty when all was as it should be. */
	changed: readonly string[];
	/** What the user should know, in sentences. */
	warnings: readonly string[];
}

export type DeploymentState = 'ok' | 'missing' | 'outdated';

const isOurs = (value: string): boolean => LAUNCHER_PATTERN.test(value);

/**
 * Writes a driver's hooks and skills into the workspace; safe to repeat. What was there before is kept below
 * `.nancy/deployed/` and noted in config.json first, so that a kill at any line leaves something {@link undeploy} can undo.
 */
export async function deploy(workspace: Workspace, driver: Driver, request: DeployRequest): Promise<DeployResult> {
	await workspace.prepare();
	return deploymentLock(workspace, async () => {
		const plan = planFor(workspace, driver, request);
		const warnings = [...plan.warnings];
		const changed: string[] = [];
		for (const edit of plan.edits) {
			if (await deployFile(workspace, driver, request, plan, edit)) changed.push(edit.file);
			const text = await readText(join(workspace.folder, edit.file));
			if (text !== undefined && !isPlainJson(text)) {
				warnings.push(
					`${edit.file} has comments or trailing commas; ${driver.displayName} may ignore the whole file.`,
				);
			}
		}
		if (driver.skillsFolder !== undefined) {
			const skills = await deploySkills(workspace, driver, request, plan, driver.skillsFolder);
			changed.push(...skills.changed);
			warnings.push(...skills.warnings);
		}
		return { changed, warnings };
	});
}

/** Whether the workspace has what {@link deploy} would write. Throws `settings-broken` for a file nobody can read. */
export async function deploymentState(
	workspace: Workspace,
	driver: Driver,
	request: DeployRequest,
): Promise<DeploymentState> {
	const plan = planFor(workspace, driver, request);
	const record = await recordOf(workspace, driver);
	let isSame = record?.hookVersion === request.runtime.version;
	let isThere = false;
	for (const { file, entries } of plan.edits) {
		const text = (await readText(join(workspace.folder, file))) ?? '';
		isSame &&= holdsExactly(file, text, entries, isOurs);
		isThere ||= withoutEntries(file, text, isOurs) !== text;
	}
	return isSame ? 'ok' : isThere ? 'outdated' : 'missing';
}

/**
 * Takes back everything that was deployed for one agent. A file that nobody changed since is again what it was, byte for byte;
 * of any other, only Nancy's own entries go. Returns what was done, and what was kept and why.
 */
export async function undeploy(workspace: Workspace, driver: Driver['id']): Promise<DeployResult> {
	return deploymentLock(workspace, async () => {
		const record = (await workspace.config()).deployments.find(each => each.driver === driver);
		if (!record) return { changed: [], warnings: [] };
		const changed: string[] = [];
		const warnings: string[] = [];
		for (const file of record.files) if (await restoreFile(workspace, file)) changed.push(file.file);
		for (const { folder, sha256 } of record.skills) {
			const target = join(workspace.folder, folder);
			if (!(await exists(target))) continue;
			if ((await contentHash(target)) !== sha256) warnings.push(`${folder} was changed by somebody; it stays.`);
			else {
				await removeFolder(target);
				changed.push(folder);
			}
		}
		for (const folder of record.folders) await removeIfEmpty(join(workspace.folder, folder));
		await workspace.updateConfig(config => ({
			...config,
			deployments: config.deployments.filter(each => each.driver !== driver),
		}));
		for (const { original } of record.files)
			if (original) await rm(join(workspace.paths.originals, original), { force: true });
		await removeIfEmpty(workspace.paths.originals);
		return { changed, warnings };
	});
}

function planFor(workspace: Workspace, driver: Driver, { runtime, agentVersion }: DeployRequest): DeploymentPlan {
	return driver.deployment({ version: agentVersion, launcher: runtime.launcher, workspaceFolder: workspace.folder });
}

async function recordOf(workspace: Workspace, driver: Driver): Promise<Deployment | undefined> {
	return (await workspace.config()).deployments.find(each => each.driver === driver.id);
}

/** Five times somebody else wrote the file between reading and writing it. */
const TRIES = 5;

async function deployFile(
	workspace: Workspace,
	driver: Driver,
	request: DeployRequest,
	plan: DeploymentPlan,
	edit: SettingsEdit,
): Promise<boolean> {
	for (let attempt = 0; attempt < TRIES; attempt++) {
		if (request.isBusy?.())
			throw new NancyError('busy', `${edit.file} is being written by ${driver.displayName}; try again`);
		const target = await throughLink(join(workspace.folder, edit.file));
		const before = await readBytes(target);
		const record = await recordOf(workspace, driver);
		const known = record?.files.find(file => file.file === edit.file);
		const text = before?.toString('utf8') ?? '';
		if (before && !Buffer.from(text, 'utf8').equals(before)) {
			throw new NancyError(
				'settings-broken',
				`${edit.file} is not UTF-8. Repair it and try again; Nancy has not touched it.`,
			);
		}
		const isUpToDate = known !== undefined && record?.hookVersion === request.runtime.version;
		if (isUpToDate && holdsExactly(edit.file, text, edit.entries, isOurs)) return false;
		const original = await originalOf(workspace, known, before, edit.file);
		const after = withEntries(edit.file, original?.toString('utf8') ?? '', edit.entries);
		requireSameMeaning(edit.file, original?.toString('utf8') ?? '', after);
		await note(workspace, driver, request, plan, edit.file, original, after);
		if (!isSameBytes(before, await readBytes(target))) continue;
		if (after !== text) await writeFileAtomic(target, after, { mode: (await modeOf(target)) ?? 0o644, sync: true });
		return after !== text;
	}
	throw new NancyError('settings-changed', `${edit.file} keeps changing; close what writes it and try again`);
}

/** The file as it would be without Nancy: what was kept when nobody wrote it since, else the present one less our entries. */
async function originalOf(
	workspace: Workspace,
	known: DeployedFile | undefined,
	before: Buffer | undefined,
	file: string,
): Promise<Buffer | undefined> {
	if (!before) return undefined;
	if (known && sha256(before) === known.sha256) {
		if (known.original === undefined) return known.existedBefore ? before : undefined;
		const kept = await readBytes(join(workspace.paths.originals, known.original));
		if (kept) return kept;
	}
	const rest = withoutEntries(file, before.toString('utf8'), isOurs);
	// What only ever held our entries was made by us, even if the record of it is lost.
	return known?.existedBefore === false && rest.trim() === '{}' ? undefined : Buffer.from(rest, 'utf8');
}

/** The last check before another tool's file is written: nothing but our entries may be different. */
function requireSameMeaning(file: string, before: string, after: string): void {
	const meaning = (text: string): unknown =>
		parse(text.replace(/^\uFEFF/, '') || '{}', [], { allowTrailingComma: true });
	const without = meaning(withoutEntries(file, after, isOurs));
	const wanted = meaning(withoutEntries(file, before, isOurs));
	if (isDeepStrictEqual(withoutEmpty(without), withoutEmpty(wanted))) return;
	throw new NancyError(
		'settings-broken',
		`${file} cannot be edited without changing the rest of it; Nancy has not touched it`,
	);
}

/** Empty arrays and objects go with our entries, and mean nothing in a settings file's hooks. */
function withoutEmpty(value: unknown): unknown {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
	const kept = Object.entries(value)
		.map(([key, each]) => [key, withoutEmpty(each)] as const)
		.filter(([, each]) => !(typeof each === 'object' && each !== null && Object.keys(each).length === 0));
	return Object.fromEntries(kept);
}

/** Writes the record, and the copy of the original, before the file itself is touched. */
async function note(
	workspace: Workspace,
	driver: Driver,
	request: DeployRequest,
	plan: DeploymentPlan,
	file: string,
	original: Buffer | undefined,
	after: string,
): Promise<void> {
	const name = original && `${sha256(original).slice(0, 16)}.original`;
	if (original && name) await writeFileAtomic(join(workspace.paths.originals, name), original, { sync: true });
	const folders = await missingFolders(workspace, dirname(file));
	await updateRecord(workspace, driver, request, plan, record => ({
		...record,
		files: [
			...record.files.filter(each => each.file !== file),
			{ file, existedBefore: original !== undefined, sha256: sha256(after), ...(name && { original: name }) },
		],
		folders: [...new Set([...folders, ...record.folders])],
	}));
}

async function updateRecord(
	workspace: Workspace,
	driver: Driver,
	{ runtime, agentVersion }: DeployRequest,
	plan: DeploymentPlan,
	change: (record: Deployment) => Deployment,
): Promise<void> {
	await workspace.updateConfig(config => {
		const known = config.deployments.find(each => each.driver === driver.id);
		const record: Deployment = {
			...(known ?? { driver: driver.id, files: [], skills: [], folders: [] }),
			hookVersion: runtime.version,
			agentVersion: formatVersion(agentVersion),
			events: [...plan.events],
			deployedAt: new Date().toISOString(),
		};
		return {
			...config,
			deployments: [...config.deployments.filter(each => each.driver !== driver.id), change(record)],
		};
	});
}

async function deploySkills(
	workspace: Workspace,
	driver: Driver,
	request: DeployRequest,
	plan: DeploymentPlan,
	skillsFolder: string,
): Promise<DeployResult> {
	const changed: string[] = [];
	const warnings: string[] = [];
	for (const name of await folderNames(request.runtime.skills)) {
		const folder = posix.join(skillsFolder, name);
		const target = join(workspace.folder, skillsFolder, name);
		const source = join(request.runtime.skills, name);
		const wanted = await contentHash(source);
		const present = (await exists(target)) ? await contentHash(target) : undefined;
		const noted = (await recordOf(workspace, driver))?.skills.find(skill => skill.folder === folder);
		if (present !== undefined && present !== wanted && present !== noted?.sha256) {
			warnings.push(`${folder} is not Nancy's or was changed; Nancy's own skill of that name was not deployed.`);
			continue;
		}
		if (present === wanted && noted?.sha256 === wanted) continue;
		const folders = await missingFolders(workspace, skillsFolder);
		await updateRecord(workspace, driver, request, plan, record => ({
			...record,
			skills: [...record.skills.filter(skill => skill.folder !== folder), { folder, sha256: wanted }],
			folders: [...new Set([...folders, ...record.folders])],
		}));
		if (present === wanted) continue;
		await copyFolder(source, target);
		changed.push(folder);
	}
	return { changed, warnings };
}

async function copyFolder(source: string, target: string): Promise<void> {
	await mkdir(dirname(target), { recursive: true });
	const fresh = join(dirname(target), `.nancy-${uniqueHex(8)}`);
	try {
		await cp(source, fresh, { recursive: true });
		if (await exists(target)) await removeFolder(target);
		await rename(fresh, target);
	} finally {
		await rm(fresh, { recursive: true, force: true });
	}
}

/** Aside first: a kill never leaves half a folder under its name. */
async function removeFolder(folder: string): Promise<void> {
	const aside = join(dirname(folder), `.nancy-${uniqueHex(8)}`);
	await rename(folder, aside);
	await rm(aside, { recursive: true, force: true });
}

async function restoreFile(
	workspace: Workspace,
	{ file, existedBefore, sha256: written, original }: DeployedFile,
): Promise<boolean> {
	const target = await throughLink(join(workspace.folder, file));
	const present = await readBytes(target);
	if (!present) return false;
	if (sha256(present) === written) {
		const kept = original === undefined ? undefined : await readBytes(join(workspace.paths.originals, original));
		if (!existedBefore) await rm(target, { force: true });
		else if (kept) await writeFileAtomic(target, kept, { mode: (await modeOf(target)) ?? 0o644, sync: true });
		if (!existedBefore || kept) return true;
	}
	const text = present.toString('utf8');
	const rest = withoutEntries(file, text, isOurs);
	if (!existedBefore && rest.trim() === '{}') await rm(target, { force: true });
	else if (rest !== text) await writeFileAtomic(target, rest, { mode: (await modeOf(target)) ?? 0o644, sync: true });
	return rest !== text;
}

/** The folders of a path that are not there yet, innermost first, relative to the workspace folder. */
async function missingFolders(workspace: Workspace, folder: string): Promise<string[]> {
	const missing: string[] = [];
	for (let each = folder; each !== '.' && each !== '/'; each = posix.dirname(each)) {
		if (!(await exists(join(workspace.folder, each)))) missing.push(each);
	}
	return missing;
}

async function removeIfEmpty(folder: string): Promise<void> {
	try {
		await rmdir(folder);
	} catch (error) {
		if (!hasErrno(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR')) throw error;
	}
}

/** A settings file may be a link to a file kept elsewhere: that one is written, and the link stays. */
async function throughLink(file: string): Promise<string> {
	try {
		return await realpath(file);
	} catch (error) {
		if (hasErrno(error, 'ENOENT')) return file;
		throw error;
	}
}

async function readBytes(file: string): Promise<Buffer | undefined> {
	try {
		return await readFile(file);
	} catch (error) {
		if (hasErrno(error, 'ENOENT')) return undefined;
		throw error;
	}
}

async function readText(file: string): Promise<string | undefined> {
	return (await readBytes(file))?.toString('utf8');
}

async function modeOf(file: string): Promise<number | undefined> {
	try {
		return (await stat(file)).mode & 0o777;
	} catch (error) {
		if (hasErrno(error, 'ENOENT')) return undefined;
		throw error;
	}
}

async function exists(file: string): Promise<boolean> {
	return (await modeOf(file)) !== undefined;
}

function isSameBytes(a: Buffer | undefined, b: Buffer | undefined): boolean {
	return a === undefined || b === undefined ? a === b : a.equals(b);
}

function sha256(data: Buffer | string): string {
	return createHash('sha256').update(data).digest('hex');
}
