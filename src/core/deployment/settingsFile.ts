import { lstat, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'jsonc-parser';
import { exchangeFile, writeFileAtomic } from '../../base/atomicFile.ts';
import { NancyError } from '../../base/errors.ts';
import { sha256 } from '../../base/sha256.ts';
import type { DriverId } from '../../protocol/names.ts';
import type { DeployedFile, Deployment } from '../../protocol/records.ts';
import type { SettingsEdit } from '../driver/driver.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { isOurs, isOursFor, type Job } from './job.ts';
import { updateRecord } from './record.ts';
import { entriesAmong, holdsExactly, withEntries, withoutEntries } from './settingsText.ts';
import { readBytes, statusOf, targetOf } from './target.ts';

type Entries = SettingsEdit['entries'];

/** How often somebody else may write the file between reading and writing it. */
const TRIES = 5;
/** Updates of one original that are remembered; only the last two can be in the file after a kill. */
const EARLIER = 8;

/** Puts the entries of an edit into its file. Returns whether it was changed. */
export async function deployFile(job: Job, edit: SettingsEdit): Promise<boolean> {
	const { workspace, driver, request } = job;
	const { file, entries } = edit;
	const isBusy = request.isBusy ?? never;
	const isOwn = isOursFor(driver.id);
	for (let attempt = 0; attempt < TRIES; attempt++) {
		const { target, before, text, own, known } = await present(job, file);
		if (own && holdsExactly(file, text, entries, isOwn)) return false;
		if (isBusy()) throw busy(file);
		const original = await originalOf(workspace, known, before, file);
		const after = merged(file, text, original, entries, isOwn);
		const facts = await kept(workspace, file, original, known, after);
		const noted = { ...facts, entries: entries.length };
		await updateRecord(
			job,
			posix.dirname(file),
			record => ({ ...record, files: [...record.files.filter(each => each.file !== file), noted] }),
			withFacts(facts),
		);
		if (after === text) return false;
		if (await exchange(workspace, target, before, after, () => !isBusy())) return true;
	}
	throw new NancyError('settings-changed', `${file} keeps changing; close what writes it and try again`);
}

/** Throws what {@link deployFile} would, of a file that cannot be edited; writes nothing. */
export async function tryFile(job: Job, { file, entries }: SettingsEdit): Promise<void> {
	const { before, text, known } = await present(job, file);
	const original = await originalOf(job.workspace, known, before, file);
	merged(file, text, original, entries, isOursFor(job.driver.id));
}

/** A settings file as it is, and what the records know of it. */
async function present({ workspace, driver }: Job, file: string) {
	const target = await targetOf(workspace, file);
	const before = await readBytes(target);
	return { target, before, text: textOf(file, before), ...(await knownOf(workspace, driver.id, file)) };
}

/**
 * Gives a file back, as far as one driver goes: as it was before if nobody wrote it since, else less that driver's entries. A file
 * without such entries is not touched, whatever the record says. Returns whether it was changed.
 */
export async function restoreFile(
	workspace: Workspace,
	driver: DriverId,
	deployed: DeployedFile,
	isBusy = never,
): Promise<boolean> {
	const { file } = deployed;
	const isOwn = isOursFor(driver);
	for (let attempt = 0; attempt < TRIES; attempt++) {
		const target = await targetOf(workspace, file);
		const present = await readBytes(target);
		const text = textOf(file, present);
		if (withoutEntries(file, text, isOwn) === text) return false;
		if (isBusy()) throw busy(file);
		const original = await originalOf(workspace, deployed, present, file);
		let after: Buffer | string | undefined = original;
		if (isShared(file, text, isOwn)) {
			after = merged(file, text, original, [], isOwn);
			if ((await knownOf(workspace, driver, file)).known) {
				const change = withFacts(await kept(workspace, file, original, deployed, after));
				await workspace.updateConfig(config => ({ ...config, deployments: config.deployments.map(change) }));
			}
		}
		if (await exchange(workspace, target, present, after, () => !isBusy())) return true;
	}
	throw new NancyError('settings-changed', `${file} keeps changing; close what writes it and try again`);
}

/** What the records know of a file: the driver's own first, for what several drivers edit has the same original in each. */
async function knownOf(workspace: Workspace, driver: DriverId, file: string) {
	const { deployments } = await workspace.config();
	const inRecord = (record: Deployment) => record.files.find(each => each.file === file);
	const own = deployments.filter(each => each.driver === driver).map(inRecord)[0];
	return { own, known: own ?? deployments.map(inRecord).find(each => each !== undefined) };
}

function isShared(file: string, text: string, isOwn: (value: string) => boolean): boolean {
	return entriesAmong(file, text, value => isOurs(value) && !isOwn(value)).length > 0;
}

/** The file with the entries of a driver, and with those that other drivers have in it. */
function merged(
	file: string,
	text: string,
	original: Buffer | undefined,
	entries: Entries,
	isOwn: (value: string) => boolean,
): string {
	const bare = original?.toString('utf8') ?? '';
	const others = entriesAmong(file, text, value => isOurs(value) && !isOwn(value));
	const after = withEntries(file, bare, [...others, ...entries]);
	if (isSameMeaning(file, bare, after)) return after;
	// Somebody has put their own hook into the same group as another driver's: that group stays where it is.
	const edited = withEntries(file, withoutEntries(file, text, isOwn), entries);
	if (others.length > 0 && isSameMeaning(file, bare, edited)) return edited;
	throw new NancyError(
		'settings-broken',
		`${file} cannot be edited without changing the rest of it; Nancy has not touched it`,
	);
}

const never = (): boolean => false;

function busy(file: string): NancyError {
	return new NancyError(
		'busy',
		`an agent waits for an answer in its terminal and may be writing ${file} itself; answer it and try again`,
	);
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
function isSameMeaning(file: string, before: string, after: string): boolean {
	// A file of blanks or comments alone says nothing, as an empty one.
	const meaning = (text: string): unknown =>
		parse(text.replace(/^\uFEFF/, ''), [], { allowTrailingComma: true }) ?? {};
	const without = meaning(withoutEntries(file, after, isOurs));
	return isDeepStrictEqual(withoutEmpty(without), withoutEmpty(meaning(before)));
}

/** Empty arrays and objects go with our entries, and mean nothing in a settings file's hooks. */
function withoutEmpty(value: unknown): unknown {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
	const kept = Object.entries(value)
		.map(([key, each]) => [key, withoutEmpty(each)] as const)
		.filter(([, each]) => !(typeof each === 'object' && each !== null && Object.keys(each).length === 0));
	return Object.fromEntries(kept);
}

/**
 * Keeps a copy of the original, and says what the records must: the copy, then the record, and only then the file itself, so that
 * a kill in between can be undone.
 */
async function kept(
	workspace: Workspace,
	file: string,
	original: Buffer | undefined,
	known: DeployedFile | undefined,
	after: string,
): Promise<DeployedFile> {
	const name = original && nameOfOriginal(original);
	if (original && name) await writeFileAtomic(join(workspace.paths.originals, name), original, { sync: true });
	// Until the new text is in place the file holds an earlier edit of the same original.
	const isSameOriginal =
		known !== undefined && known.original === name && known.existedBefore === (original !== undefined);
	const hash = sha256(after);
	const earlier = isSameOriginal
		? [known.sha256, ...(known.earlier ?? [])].filter(each => each !== hash).slice(0, EARLIER)
		: [];
	return {
		file,
		existedBefore: original !== undefined,
		sha256: hash,
		...(earlier.length > 0 && { earlier }),
		...(name && { original: name }),
	};
}

/** Puts what is known of a file into a record that names it. */
function withFacts(facts: DeployedFile): (record: Deployment) => Deployment {
	return record => ({
		...record,
		files: record.files.map(each =>
			each.file === facts.file
				? { ...facts, ...(each.entries !== undefined && { entries: each.entries }) }
				: each,
		),
	});
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

function textOf(file: string, bytes: Buffer | undefined): string {
	const text = bytes?.toString('utf8') ?? '';
	if (!bytes || Buffer.from(text, 'utf8').equals(bytes)) return text;
	throw new NancyError('settings-broken', `${file} is not UTF-8. Repair it and try again; Nancy has not touched it.`);
}
