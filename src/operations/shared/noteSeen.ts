import { errorText } from '../../base/errors.ts';
import { SeenSettings } from '../../core/asker/seenSettings.ts';
import { gitPrograms } from '../../git/gitPrograms.ts';
import type { Asker } from '../../core/asker/asker.ts';
import type { Driver } from '../../core/driver/driver.ts';
import { placeFrom } from '../../core/workspace/placeFrom.ts';
import type { OperationContext } from '../operation.ts';

/**
 * A person starts the agent in a folder, or names it for a set-up: see {@link SeenSettings}. An agent has not looked at the settings, so
 * nothing is noted for it. A failure of the note does not stop the person.
 * @returns the names of the settings that are noted for the first time as they are
 */
export async function noteSeen(
	asker: Asker,
	driver: Driver,
	context: OperationContext,
	folder: string,
): Promise<string[]> {
	if (asker.is !== 'human') return [];
	try {
		const place = placeFrom(folder, context.env).folder;
		return await new SeenSettings(context.dataFolder, place, gitPrograms).note(driver, folder);
	} catch (error) {
		context.note(`agents cannot start ${driver.displayName} here: ${errorText(error)}`);
		return [];
	}
}
