import { writeFileAtomic } from '../../base/atomicFile.ts';
import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import type { Driver } from './driver.ts';
import type { HeadlessFormat, HeadlessLaunch, HeadlessRequest, HomeFolders, HomePlace } from './headless.ts';

/** How an agent runs without a terminal; throws if it cannot. */
export function headlessOf(driver: Driver): HeadlessFormat {
	if (driver.headless !== 'none') return driver.headless;
	throw new NancyError(
		'no-agent',
		phrase`${driver.displayName} cannot be run without a terminal; choose another agent`,
	);
}

/** Whether these permissions are everything that Nancy can give the agent. One without a wide mode is given nothing: its own settings decide. */
export function allowsAll(driver: Driver, permissions: string | undefined): boolean {
	const { permissionModes } = headlessOf(driver);
	const all = Math.max(...permissionModes.map(({ width }) => width));
	return all > 0 && permissionModes.some(({ id, width }) => id === permissions && width === all);
}

/** What an isolated run needs of the user's home. @throws NancyError `no-agent` for a CLI of which nobody has tried it */
export function homeFoldersOf(driver: Driver): (place: HomePlace) => HomeFolders {
	const { homeFolders } = headlessOf(driver);
	if (homeFolders !== 'none') return homeFolders;
	throw new NancyError(
		'no-agent',
		phrase`${driver.displayName} cannot run isolated: nobody has tried which of its files it needs there; choose another agent, or "none" for the isolation`,
	);
}

/** How it is run this time, once the files are on disk that its arguments name. */
export async function prepareHeadless(driver: Driver, request: HeadlessRequest): Promise<HeadlessLaunch> {
	const launch = headlessOf(driver).launch(request);
	for (const { path, content } of launch.files ?? []) await writeFileAtomic(path, content);
	return launch;
}
