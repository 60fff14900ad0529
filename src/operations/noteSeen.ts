import { errorText } from '../base/errors.ts';
import { SeenSettings } from '../core/asker/seenSettings.ts';
import type { Driver } from '../core/driver/driver.ts';
import type { OperationContext } from './operation.ts';

/** A person starts the agent there, or sets it up: see {@link SeenSettings}. That it cannot be noted does not hold the person up. */
export async function noteSeen(driver: Driver, { workspace, dataFolder, note }: OperationContext): Promise<void> {
	await new SeenSettings(dataFolder, workspace.folder)
		.note(driver)
		.catch((error: unknown) => note(`agents cannot start ${driver.displayName} here: ${errorText(error)}`));
}
