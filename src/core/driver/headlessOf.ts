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

/** How it is run this time, once the files are on disk that its arguments name. */
export async function prepareHeadless(driver: Driver, request: HeadlessRequest): Promise<HeadlessLaunch> {
	const launch = headlessOf(driver).launch(request);
	for (const { path, content } of launch.files ?? []) await writeFileAtomic(path, content);
	return launch;
}
