import { dataFolder } from '../base/folders.ts';
import { SeenSettings } from '../core/asker/seenSettings.ts';
import type { Driver } from '../core/driver/driver.ts';
import type { Folder } from '../ui/ports.ts';

/**
 * The person before the window starts the agent there, or sets it up: see {@link SeenSettings}.
 * @param tell why it could not be noted, which does not hold the person up
 */
export async function noteSeen(driver: Driver, { workspace }: Folder, tell: (error: unknown) => void): Promise<void> {
	await new SeenSettings(dataFolder(), workspace.folder).note(driver).catch(tell);
}
