import { stat } from 'node:fs/promises';
import { posix } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { getNodeValue, parseTree } from 'jsonc-parser';
import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { sha256 } from '../../base/sha256.ts';
import type { DeployedEntry, DeployedFile } from '../../protocol/deployment.ts';
import type { SettingsEdit } from '../driver/deploymentPlan.ts';
import { exchangeFile } from './exchangeFile.ts';
import type { Job } from './job.ts';
import { note } from './notes.ts';
import { keysIn, linesIn, ownEntries, type OwnEntries } from './ownEntries.ts';
import type { Writer } from './places.ts';
import type { DeploymentRecords } from './records.ts';
import { holdsExactly, oursAmong, withEntries, withoutEntries } from './settingsText.ts';
import { readBytes, targetOf } from './target.ts';

/** How often somebody else may write the file between reading and writing it. */
const TRIES = 5;
/** Updates of one original that are remembered; only the last two can be in the file after a kill. */
const EARLIER = 8;

/** A settings file as it is, with the facts of the records. */
interface Present extends OwnEntries {
	file: string;
	/** Its real path. */
	target: string;
	bytes: Buffer | undefined;
	text: string;
	facts: DeployedFile | undefined;
	/** As it would be without Nancy; `undefined`: not there. */
	base: Buffer | undefined;
}

/** Puts the entries of an edit into its file. Returns whether it was changed. */
export async function deployFile(job: Job, edit: SettingsEdit): Promise<boolean> {
	const { records, driver, request } = job;
	const { file, entries } = edit;
	const isBusy = request.isBusy ?? never;
	for (let attempt = 0; attempt < TRIES; attempt++) {
		const present = await presentFile(records, driver, file);
		const { text, facts } = present;
		const noted = (await records.of(driver.id))?.files.find(each => each.file === file);
		const isNoted = facts !== undefined && isDeepStrictEqual(noted?.entries, plain(entries));
		if (isNoted && holdsExactly(file, text, entries, present.isOwn)) return false;
		if (isBusy()) throw busy(file);
		const after = edited(present, entries);
		const before = oursAmong(file, text, present.isOwn);
		await note(job, posix.dirname(file), record => ({
			...record,
			files: [
				...record.files.filter(each => each.file !== file),
				{ file, entries: plain(entries), ...(before.length > 0 && { before }) },
			],
		}));
		await keepFacts(records, present, after);
		if (after === text) return false;
		if (await exchange(records, present, after, entries, () => !isBusy())) return true;
	}
	throw keepsChanging(file);
}

/** Throws the errors of {@link deployFile} for a file that cannot be edited; writes nothing. */
export async function tryFile({ records, driver }: Job, { file, entries }: SettingsEdit): Promise<void> {
	const present = await presentFile(records, driver, file);
	refuseOther(present, Buffer.from(edited(present, entries)), entries);
}

/**
 * Restores a file for one driver: the original if nobody has written the file since, else the text less that driver's entries. A file
 * without such entries is not touched, whatever the record says. Returns whether it was changed.
 */
export async function restoreFile(
	records: DeploymentRecords,
	driver: Writer,
	file: string,
	isBusy = never,
): Promise<boolean> {
	for (let attempt = 0; attempt < TRIES; attempt++) {
		const present = await presentFile(records, driver, file);
		const { text, base, others } = present;
		if (withoutEntries(file, text, present.isOwn) === text) return false;
		if (isBusy()) throw busy(file);
		const after = others.length > 0 ? edited(present, []) : base;
		if (others.length > 0) await keepFacts(records, present, after);
		if (await exchange(records, present, after, [], () => !isBusy())) return true;
	}
	throw keepsChanging(file);
}

async function presentFile(records: DeploymentRecords, driver: Writer, file: string): Promise<Present> {
	const target = await targetOf(records.workspace, file);
	const bytes = await readBytes(target);
	const text = textOf(file, bytes);
	const facts = await records.file(file);
	const own = await ownEntries(records, driver, file, text);
	const base = await baseOf(records, { file, bytes, text, facts, ...own });
	return { file, target, bytes, text, facts, base, ...own };
}

/** The kept original if the file is byte for byte as Nancy last wrote it, else the present text less Nancy's entries. */
async function baseOf(
	records: DeploymentRecords,
	{ file, bytes, text, facts, isNancys }: Omit<Present, 'target' | 'base'>,
): Promise<Buffer | undefined> {
	if (!bytes) return undefined;
	if (facts && [facts.sha256, ...(facts.earlier ?? [])].includes(sha256(bytes))) {
		if (!facts.existedBefore) return undefined;
		const kept = facts.original === undefined ? undefined : await records.original(facts.original);
		if (kept) return kept;
	}
	const rest = withoutEntries(file, text, isNancys);
	// Nancy made a file that only ever held Nancy's entries.
	const isMade = facts ? !facts.existedBefore : rest !== text;
	return isMade && rest.trim() === '{}' ? undefined : Buffer.from(rest, 'utf8');
}

/** The file with the entries of a driver, and with those that other drivers have in it. */
function edited({ file, base, others }: Present, entries: SettingsEdit['entries']): string {
	return withEntries(file, base?.toString('utf8') ?? '', [...others, ...entries]);
}

/**
 * Keeps the facts that restore the file: first the copy of the original, then the facts. The file itself is written last, so that a kill in
 * between can be undone.
 */
async function keepFacts(
	records: DeploymentRecords,
	{ file, base, facts: known }: Present,
	after: string | Buffer | undefined,
): Promise<void> {
	const original = base && (await records.keepOriginal(base));
	// Until the new text is in place the file holds an earlier edit of the same original.
	const isSameOriginal =
		known !== undefined && known.original === original && known.existedBefore === (base !== undefined);
	const hash = sha256(after ?? '');
	const earlier = isSameOriginal
		? [known.sha256, ...(known.earlier ?? [])].filter(each => each !== hash).slice(0, EARLIER)
		: [];
	const facts = {
		file,
		existedBefore: base !== undefined,
		sha256: hash,
		...(earlier.length > 0 && { earlier }),
		...(original !== undefined && { original }),
	};
	await records.change(all => ({ ...all, files: [...all.files.filter(each => each.file !== file), facts] }));
}

/** The only place that writes another tool's settings file. */
async function exchange(
	records: DeploymentRecords,
	present: Present,
	after: string | Buffer | undefined,
	entries: SettingsEdit['entries'],
	mayWrite: () => boolean,
): Promise<boolean> {
	const data = typeof after === 'string' ? Buffer.from(after, 'utf8') : after;
	refuseOther(present, data, entries);
	const { target, bytes } = present;
	return exchangeFile(target, bytes, data, {
		mode: bytes ? (await stat(target)).mode & 0o7777 : 0o644,
		staging: records.staging,
		workspaceFolder: records.workspace.folder,
		mayWrite,
	});
}

/**
 * The last check before another tool's file is written. It allows the base itself. That is the sealed original of a file that is byte for
 * byte as Nancy wrote it, else the present text less Nancy's entries. It also allows the base with exactly these entries of Nancy's.
 */
function refuseOther(
	{ file, base, others }: Present,
	after: Buffer | undefined,
	entries: SettingsEdit['entries'],
): void {
	if (base === undefined ? after === undefined : after?.equals(base)) return;
	const added = [...others, ...entries];
	const [lines, keys] = [new Set(linesIn(added)), new Set(keysIn(added))];
	const text = after?.toString('utf8') ?? '';
	const rest = withoutEntries(file, text, (value, key) => key !== undefined && keys.has(key) && lines.has(value));
	if (isDeepStrictEqual(meaningOf(rest), meaningOf(base?.toString('utf8') ?? ''))) return;
	throw new NancyError(
		'settings-broken',
		phrase`${file} cannot be edited without changing the rest of it; Nancy has not touched it`,
	);
}

/** A file of blanks or comments alone says nothing, as an empty one. `parse` would lose a key named `__proto__`. */
function meaningOf(text: string): unknown {
	const tree = parseTree(text.replace(/^\uFEFF/, ''), [], { allowTrailingComma: true });
	return withoutEmpty(tree ? getNodeValue(tree) : {});
}

/** Empty arrays and objects go with Nancy's entries. They have no meaning in a settings file's hooks. */
function withoutEmpty(value: unknown): unknown {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
	const kept = Object.entries(value)
		.map(([key, each]) => [key, withoutEmpty(each)] as const)
		.filter(([, each]) => !(typeof each === 'object' && each !== null && Object.keys(each).length === 0));
	return Object.fromEntries(kept);
}

function plain(entries: SettingsEdit['entries']): DeployedEntry[] {
	return entries.map(({ path, value }) => ({ path: [...path], value }));
}

const never = (): boolean => false;

function busy(file: string): NancyError {
	return new NancyError(
		'busy',
		phrase`an agent waits for an answer in its terminal and may be writing ${file} itself; answer it and try again`,
	);
}

function keepsChanging(file: string): NancyError {
	return new NancyError('settings-changed', phrase`${file} keeps changing; close what writes it and try again`);
}

function textOf(file: string, bytes: Buffer | undefined): string {
	const text = bytes?.toString('utf8') ?? '';
	if (!bytes || Buffer.from(text, 'utf8').equals(bytes)) return text;
	throw new NancyError(
		'settings-broken',
		phrase`${file} is not UTF-8. Repair it and try again; Nancy has not touched it.`,
	);
}
