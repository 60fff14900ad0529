import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../base/atomicFile.ts';
import { hasErrno } from '../../base/errors.ts';
import { entriesOf } from '../../base/listing.ts';
import { whereIs } from '../../base/machine.ts';
import { removeTree } from '../../base/removeTree.ts';
import { jsonText, readJsonFile } from '../files/jsonFile.ts';
import { requireOwn } from '../files/ownFolder.ts';
import { allRecords, PlaceNote, recordsOf } from '../files/recordPlaces.ts';

/** So long a workspace folder may be away, on a disk that is not mounted, before its records are removed: 14 days, in milliseconds. */
const AWAY_MS = 14 * 24 * 60 * 60 * 1000;

/**
 * Removes the sealed records of workspace folders that have been gone for 14 days. Messages of a deleted project would otherwise stay in
 * the data folder for ever. The first look that misses a folder notes the time. Folders of other machines are left to these.
 * @param dataFolder the user's: see base/folders
 * @throws NancyError `bad-file` if the folder is not the user's own
 */
export async function forgetGoneFolders(dataFolder: string, nowMs: number): Promise<void> {
	const all = allRecords(dataFolder);
	requireOwn([dataFolder, all]);
	for (const { name } of await entriesOf(all)) {
		const records = join(all, name.replace(/\.json$/, ''));
		const note = join(all, name);
		// A note that cannot be read is written again with the next record.
		const place = name.endsWith('.json') && (await readJsonFile(note, PlaceNote).catch(() => undefined));
		if (!place || recordsOf(dataFolder, place.folder) !== records || whereIs(place.machine) === 'elsewhere')
			continue;
		const isGone = await isMissing(place.folder);
		const { goneSince, ...present } = place;
		if (isGone === false && goneSince !== undefined) await writeFileAtomic(note, jsonText(present));
		if (isGone !== true) continue;
		if (goneSince === undefined) {
			const gone = { ...place, goneSince: new Date(nowMs).toISOString() } satisfies PlaceNote;
			await writeFileAtomic(note, jsonText(gone));
		} else if (nowMs - Date.parse(goneSince) > AWAY_MS) {
			// The note goes last: after a kill, the next look goes on.
			await removeTree(records);
			await rm(note, { force: true });
		}
	}
}

/** `undefined`: nobody can tell, as on a disk that does not answer. */
async function isMissing(folder: string): Promise<boolean | undefined> {
	try {
		await lstat(folder);
		return false;
	} catch (error) {
		return hasErrno(error, 'ENOENT', 'ENOTDIR') ? true : undefined;
	}
}
