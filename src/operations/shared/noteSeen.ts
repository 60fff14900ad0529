import { errorText } from '../../base/errors.ts';
import { SeenSettings } from '../../core/asker/seenSettings.ts';
import { gitPrograms } from '../../git/gitPrograms.ts';
import type { Asker } from '../../core/asker/asker.ts';
import type { Driver } from '../../core/driver/driver.ts';
import { placeFrom } from '../../core/workspace/placeFrom.ts';
import type { OperationContext } from '../operation.ts';

/**
 * A person starts the agent in a folder, or sets it up: see {@link SeenSettings}. An agent has not looked at the settings, so nothing is
 * noted for it. A failure of the note does not stop the person.
 */
export async function noteSeen(asker: Asker, driver: Driver, context: OperationContext, folder: string): Promise<void> {
	if (asker.is !== 'human') return;
	await new SeenSettings(context.dataFolder, placeFrom(folder, context.env).folder, gitPrograms)
		.note(driver, folder)
		.catch((error: unknown) => context.note(`agents cannot start ${driver.displayName} here: ${errorText(error)}`));
}
