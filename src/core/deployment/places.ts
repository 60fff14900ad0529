import { posix } from 'node:path';
import type { DriverId } from '../../protocol/names.ts';
import type { Driver } from '../driver/driver.ts';
import type { OwnFile, SettingsEdit } from '../driver/deploymentPlan.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** The parts of a driver that name its places. */
export type Writer = Pick<Driver, 'id' | 'oldestVersion' | 'deployment' | 'skillsFolder' | 'earlierPlaces'>;

/** Where a driver's files, skills and folders can be. */
export interface Places {
	/** Files that the present version writes. */
	files: ReadonlySet<string>;
	/** Folders on the way to a place, and skill folders' own. */
	folders: ReadonlySet<string>;
	/** Whether a file of Nancy's own or a skill's folder may be there. Nothing else is removed. */
	has(place: string): boolean;
}

export function placesOfDriver(workspace: Workspace, driver: Writer): Places {
	const { skillsFolder, earlierPlaces } = driver;
	const own = plannedFiles(workspace, driver, '').map(({ file }) => file);
	const files = new Set([...plannedEdits(workspace, driver, '').map(({ file }) => file), ...own]);
	const skillFolders = [...(skillsFolder === undefined ? [] : [skillsFolder]), ...earlierPlaces];
	const isPlace = (place: string) =>
		own.includes(place) || earlierPlaces.includes(place) || skillFolders.includes(posix.dirname(place));
	return {
		files,
		folders: new Set([...skillFolders, ...[...files, ...skillFolders].flatMap(foldersAbove)]),
		has: isPlace,
	};
}

/** Replaces a driver that this version of Nancy does not know: nobody can say where it writes. */
export function unknownWriter(id: DriverId): Writer {
	const plan = { edits: [], files: [], launchFiles: [], events: [], warnings: [] };
	return { id, oldestVersion: [0, 0, 0], deployment: () => plan, skillsFolder: undefined, earlierPlaces: [] };
}

/** The own files that a driver may have written with a launcher. */
export function plannedFiles(workspace: Workspace, driver: Writer, launcher: string): OwnFile[] {
	return plansOf(workspace, driver, launcher).flatMap(({ files }) => [...files]);
}

/** The edits of other tools' files that a driver may have made with a launcher. */
export function plannedEdits(workspace: Workspace, driver: Writer, launcher: string): SettingsEdit[] {
	return plansOf(workspace, driver, launcher).flatMap(({ edits }) => [...edits]);
}

/** For any version of the agent: the content seldom depends on the version. */
function plansOf({ folder: workspaceFolder }: Workspace, driver: Writer, launcher: string) {
	return [driver.oldestVersion, [9999, 0, 0] as const].flatMap(version =>
		(['workspace', 'launch'] as const).map(scope =>
			driver.deployment({ version, launcher, workspaceFolder, scope }),
		),
	);
}

function foldersAbove(place: string): string[] {
	const folder = posix.dirname(place);
	return folder === '.' ? [] : [folder, ...foldersAbove(folder)];
}
