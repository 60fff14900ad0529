import { writeFileAtomic } from '../../base/atomicFile.ts';
import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import type { Driver } from './driver.ts';
import type { HeadlessFormat, HeadlessLaunch, HeadlessRequest } from './headless.ts';

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

/** How it is run this time, once the files are on disk that its arguments name. */
export async function prepareHeadless(driver: Driver, request: HeadlessRequest): Promise<HeadlessLaunch> {
	const launch = headlessOf(driver).launch(request);
	for (const { path, content } of launch.files ?? []) await writeFileAtomic(path, content);
	return launch;
}
