import { createHash } from 'node:crypto';
import { lstat, readFile, realpath, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'jsonc-parser';
import { exchangeFile, writeFileAtomic } from '../../base/atomicFile.ts';
import { hasErrno, NancyError } from '../../base/errors.ts';
import type { DeployedFile } from '../../protocol/records.ts';
import type { SettingsEdit } from '../driver.ts';
import type { Workspace } from '../workspace.ts';
import { isOurs, type Job } from './job.ts';
import { recordOf, updateRecord } from './record.ts';
import { holdsExactly, withEntries, withoutEntries } from './settingsText.ts';

/** How often somebody else may write the file between reading and writing it. */
const TRIES = 5;
/** Updates of one original that are remembered; only the last two can be in the file after a kill. */
const EARLIER = 8;

/** Puts the entries of an edit into its file. Returns whether it was changed. */
export async function deployFile(job: Job, edit: SettingsEdit): Promise<boolean> {
	const { workspace, driver, request } = job;
	const isBusy = request.isBusy ?? never;
	for (let attempt = 0; attempt < TRIES; attempt++) {
		const target = await targetOf(workspace, edit.file);
		const before = await readBytes(target);
		const text = textOf(edit.file, before);
		const record = await recordOf(workspace, driver.id);
		const known = record?.files.find(file => file.file === edit.file);
		const isUpToDate = known !== undefined && record?.hookVersion === request.runtime.version;
		if (isUpToDate && holdsExactly(edit.file, text, edit.entries, isOurs)) return false;
		if (isBusy()) throw busy(edit.file);
		const original = await originalOf(workspace, known, before, edit.file);
		const after = withEntries(edit.file, original?.toString('utf8') ?? '', edit.entries);
		requireSameMeaning(edit.file, original?.toString('utf8') ?? '', after);
		await note(job, edit.file, original, known, after);
		if (after === text) return false;
		if (await exchange(workspace, target, before, after, () => !isBusy())) return true;
	}
	throw new NancyError('settings-changed', `${edit.file} keeps changing; close what writes it and try again`);
}

/**
 * Gives a file back: as it was before if nobody wrote it since, else less Nancy's entries. A file without such entries is not
 * touched, whatever the record says. Returns whether it was changed.
 */
export async function restoreFile(workspace: Workspace, deployed: DeployedFile, isBusy = never): Promise<boolean> {
	const { file } = deployed;
	for (let attempt = 0; attempt < TRIES; attempt++) {
		const target = await targetOf(workspace, file);
		const present = await readBytes(target);
		const text = textOf(file, present);
		if (withoutEntries(file, text, isOurs) === text) return false;
		if (isBusy()) throw busy(file);
		const original = await originalOf(workspace, deployed, present, file);
		if (await exchange(workspace, target, present, original, () => !isBusy())) return true;
	}
	throw new NancyError('settings-changed', `${file} keeps changing; close what writes it and try again`);
}

const never = (): boolean => false;

function busy(file: string): NancyError {
	return new NancyError(
		'busy',
		`an agent waits for an answer in its terminal and may be writing ${file} itself; answer it and try again`,
	);
}

/** Exact bytes to their fingerprint. */
export function sha256(data: Buffer | string): string {
	return createHash('sha256').update(data).digest('hex');
}

/** The file as it would be without Nancy: what was kept when nobody wrote it since, else the present one less our entries. */
async function originalOf(
	workspace: Workspace,
	known: DeployedFile | undefined,
	before: Buffer | undefined,
	file: string,
): Promise<Buffer | undefined> {
	if (!before) return undefined;
	const isOurEdit = known && [known.sha256, ...(known.earlier ?? [])].includes(sha256(before));
	if (isOurEdit && !known.existedBefore) return undefined;
	const kept = isOurEdit && known.original !== undefined ? await keptOriginal(workspace, known.original) : undefined;
	if (kept) return kept;
	const rest = withoutEntries(file, textOf(file, before), isOurs);
	// What only ever held our entries was made by us.
	return known?.existedBefore === false && rest.trim() === '{}' ? undefined : Buffer.from(rest, 'utf8');
}

/** A copy as it was put there; what was changed since, or leads elsewhere, is nobody's original. */
async function keptOriginal(workspace: Workspace, name: string): Promise<Buffer | undefined> {
	const file = join(workspace.paths.originals, name);
	if (!(await statusOf(lstat, file))?.isFile()) return undefined;
	const bytes = await readBytes(file);
	return bytes && nameOfOriginal(bytes) === name ? bytes : undefined;
}

function nameOfOriginal(bytes: Buffer): string {
	return `${sha256(bytes).slice(0, 32)}.original`;
}

/** The last check before another tool's file is written: nothing but our entries may be different. */
function requireSameMeaning(file: string, before: string, after: string): void {
	const meaning = (text: string): unknown =>
		parse(text.replace(/^\uFEFF/, '') || '{}', [], { allowTrailingComma: true });
	const without = meaning(withoutEntries(file, after, isOurs));
	const wanted = meaning(before);
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

/** The copy of the original, then the record, and only then the file itself: a kill in between can be undone. */
async function note(
	job: Job,
	file: string,
	original: Buffer | undefined,
	known: DeployedFile | undefined,
	after: string,
): Promise<void> {
	const name = original && nameOfOriginal(original);
	if (original && name) await writeFileAtomic(join(job.workspace.paths.originals, name), original, { sync: true });
	// Until the new text is in place the file holds an earlier edit of the same original.
	const isSameOriginal =
		known !== undefined && known.original === name && known.existedBefore === (original !== undefined);
	const hash = sha256(after);
	const earlier = isSameOriginal
		? [known.sha256, ...(known.earlier ?? [])].filter(each => each !== hash).slice(0, EARLIER)
		: [];
	await updateRecord(job, posix.dirname(file), record => ({
		...record,
		files: [
			...record.files.filter(each => each.file !== file),
			{
				file,
				existedBefore: original !== undefined,
				sha256: hash,
				...(earlier.length > 0 && { earlier }),
				...(name && { original: name }),
			},
		],
	}));
}

async function exchange(
	workspace: Workspace,
	target: string,
	expected: Buffer | undefined,
	data: string | Buffer | undefined,
	mayWrite?: () => boolean,
): Promise<boolean> {
	return exchangeFile(target, expected, data, {
		mode: expected ? (await stat(target)).mode & 0o7777 : 0o644,
		staging: workspace.paths.originals,
		...(mayWrite && { mayWrite }),
	});
}

/**
 * A settings file may be a link to a file kept elsewhere: that one is written, and the link stays. Anything but a file of the
 * user's own is refused.
 */
async function targetOf(workspace: Workspace, file: string): Promise<string> {
	const path = join(workspace.folder, file);
	const entry = await statusOf(lstat, path);
	if (!entry) return path;
	const status = await statusOf(stat, path);
	const refused = (what: string) =>
		new NancyError('settings-broken', `${file} ${what}. Repair it and try again; Nancy has not touched it.`);
	if (!status) throw refused('is a link to a file that is not there');
	if (!status.isFile()) throw refused('is not a file');
	if (entry.isSymbolicLink() && status.uid !== process.getuid?.())
		throw refused('is a link to a file of somebody else');
	return realpath(path);
}

async function statusOf(look: typeof stat, file: string) {
	try {
		return await look(file);
	} catch (error) {
		if (hasErrno(error, 'ENOENT')) return undefined;
		throw error;
	}
}

function textOf(file: string, bytes: Buffer | undefined): string {
	const text = bytes?.toString('utf8') ?? '';
	if (!bytes || Buffer.from(text, 'utf8').equals(bytes)) return text;
	throw new NancyError('settings-broken', `${file} is not UTF-8. Repair it and try again; Nancy has not touched it.`);
}

async function readBytes(file: string): Promise<Buffer | undefined> {
	try {
		return await readFile(file);
	} catch (error) {
		if (hasErrno(error, 'ENOENT')) return undefined;
		throw error;
	}
}
