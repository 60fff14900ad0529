import { lstat, readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { hasErrno, NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { sha256 } from '../../base/sha256.ts';
import type { Deployment } from '../../protocol/deployment.ts';
import type { OwnFile } from '../driver/deploymentPlan.ts';
import { exchangeFile } from './exchangeFile.ts';
import type { DeploymentRecords } from './records.ts';
import { isLauncherGone, launcherWithin } from './launcher.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Job, Outcome } from './job.ts';
import { plannedFiles, type Places, type Writer } from './places.ts';
import { note } from './notes.ts';
import { placeIn, wayTo } from './target.ts';

/** The state of a place of Nancy's own file. `foreign` is another's file, or one that somebody changed. */
type Found = { is: 'nothing' } | { is: 'ours'; bytes: Buffer } | { is: 'foreign'; bytes?: Buffer };

const TRIES = 5;

/** Writes the plan's own files. A file that is not Nancy's, or was changed, stays unchanged. */
export async function deployOwnFiles(job: Job): Promise<Outcome> {
	const changed: string[] = [];
	for (const own of job.plan.files) if (await write(job, own)) changed.push(own.file);
	return { changed, warnings: await inTheWay(job) };
}

/** Sentences about files in the places of Nancy's own, which only the user can cure. */
export async function inTheWay({ records, workspace, driver, plan }: Job): Promise<string[]> {
	const deployments = await records.all();
	const warnings: string[] = [];
	for (const { file, content } of plan.files) {
		const found = await look(workspace, file, hashesOf(deployments, file));
		// The very same content, but not from Nancy. It serves, and Nancy does not remove it.
		if (found.is !== 'foreign' || found.bytes?.equals(Buffer.from(content))) continue;
		warnings.push(
			`${file} is not Nancy's or was changed, and stays as it is: sessions of ${driver.displayName} may report nothing and get no messages. ` +
				'Move it away and set up again.',
		);
	}
	return warnings;
}

/** Whether the own files are as the plan has them, or another's; and whether any of Nancy's is there at all. */
export async function ownFilesState({ records, workspace, plan }: Job): Promise<{ isSame: boolean; isThere: boolean }> {
	const deployments = await records.all();
	let isSame = true;
	let isThere = false;
	for (const { file, content } of plan.files) {
		const found = await look(workspace, file, hashesOf(deployments, file));
		if (found.is === 'foreign') continue;
		isThere ||= found.is === 'ours';
		isSame &&= found.is === 'ours' && found.bytes.equals(Buffer.from(content));
	}
	return { isSame, isThere };
}

/** Whether all own files are as a record says, with the programs that they call. */
export async function hasRecordedOwnFiles(workspace: Workspace, record: Deployment): Promise<boolean> {
	for (const { file } of record.ownFiles) {
		if ((await wayTo(workspace, file)).is === 'blocked') return false;
		const found = await look(workspace, file, hashesOf([record], file));
		if (found.is !== 'ours' || isLauncherGone(found.bytes.toString('utf8'))) return false;
	}
	return true;
}

/** The own files of the plan that Nancy may write. */
export async function writable({ records, workspace, plan }: Job): Promise<string[]> {
	const deployments = await records.all();
	const files: string[] = [];
	for (const { file } of plan.files)
		if ((await look(workspace, file, hashesOf(deployments, file))).is !== 'foreign') files.push(file);
	return files;
}

/**
 * Removes the own files of a deployment that no other one has. Files that somebody has changed, and files elsewhere, stay. No link may be
 * on the way.
 */
export async function removeOwnFiles(
	records: DeploymentRecords,
	record: Deployment,
	places: Places,
	files: Iterable<string>,
): Promise<Outcome> {
	const changed: string[] = [];
	const warnings: string[] = [];
	const { workspace } = records;
	const others = (await records.all()).filter(each => each.driver !== record.driver);
	for (const file of new Set(files)) {
		if (hashesOf(others, file).length > 0) continue;
		if (!places.has(file)) {
			warnings.push(`${file} is not where Nancy writes for ${record.driver}; it stays.`);
			continue;
		}
		const found = await look(workspace, file, hashesOf([record], file));
		if (found.is === 'nothing') continue;
		if (found.is === 'ours' && (await exchange(records, file, found.bytes, undefined))) changed.push(file);
		else warnings.push(`${file} was changed by somebody; it stays.`);
	}
	return { changed, warnings };
}

/** Files in a driver's places that call a launcher, as its own do. */
export async function filesWithLauncher(workspace: Workspace, driver: Writer): Promise<string[]> {
	const found: string[] = [];
	for (const file of new Set(plannedFiles(workspace, driver, '').map(own => own.file))) {
		if ((await wayTo(workspace, file)).is === 'blocked') continue;
		if ((await look(workspace, file, [])).is === 'ours') found.push(file);
	}
	return found;
}

/** Notes the new content, writes it, and then notes that content alone. After a kill in between, the file is one of two known ones. */
async function write(job: Job, { file, content }: OwnFile): Promise<boolean> {
	const { records, workspace, driver } = job;
	const wanted = sha256(content);
	for (let attempt = 0; attempt < TRIES; attempt++) {
		const deployments = await records.all();
		const found = await look(workspace, file, hashesOf(deployments, file));
		if (found.is === 'foreign') return false;
		const present = found.is === 'ours' ? sha256(found.bytes) : undefined;
		const noted = hashesOf(
			deployments.filter(each => each.driver === driver.id),
			file,
		);
		if (present === wanted && noted.length === 1 && noted[0] === wanted) return false;
		const noteHashes = (hashes: readonly string[]) =>
			note(job, posix.dirname(file), record => ({
				...record,
				ownFiles: [
					...record.ownFiles.filter(each => each.file !== file),
					...hashes.map(hash => ({ file, sha256: hash })),
				],
			}));
		const isNew = present !== wanted;
		if (isNew) {
			await noteHashes([wanted, ...(present === undefined ? [] : [present])]);
			if (!(await exchange(records, file, found.is === 'ours' ? found.bytes : undefined, content))) continue;
		}
		await noteHashes([wanted]);
		return isNew;
	}
	throw new NancyError('settings-changed', phrase`${file} keeps changing; close what writes it and try again`);
}

/** @param hashes of Nancy's content, by the records. Without a record, a launcher in the file makes it Nancy's */
async function look(workspace: Workspace, file: string, hashes: readonly string[]): Promise<Found> {
	const way = await wayTo(workspace, file);
	// A file stands where a folder belongs.
	if (way.is === 'blocked' && way.by === 'file') return { is: 'foreign' };
	const path = await placeIn(workspace, file);
	try {
		// Nancy makes no links, so the target of a link is not Nancy's to write.
		if (!(await lstat(path)).isFile()) return { is: 'foreign' };
		const bytes = await readFile(path);
		const isOurs =
			hashes.length > 0 ? hashes.includes(sha256(bytes)) : launcherWithin(bytes.toString('utf8')) !== undefined;
		return { is: isOurs ? 'ours' : 'foreign', bytes };
	} catch (error) {
		if (hasErrno(error, 'ENOENT')) return { is: 'nothing' };
		throw error;
	}
}

async function exchange(
	records: DeploymentRecords,
	file: string,
	expected: Buffer | undefined,
	content: string | undefined,
): Promise<boolean> {
	return exchangeFile(await placeIn(records.workspace, file), expected, content, {
		mode: 0o644,
		staging: records.staging,
		workspaceFolder: records.workspace.folder,
	});
}

function hashesOf(records: readonly Deployment[], file: string): string[] {
	return records
		.flatMap(({ ownFiles }) => ownFiles)
		.filter(own => own.file === file)
		.map(own => own.sha256);
}
