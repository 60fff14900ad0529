import type { DeskWords } from '../core/live/deskView.ts';
import { driverById, limitOf } from '../drivers/index.ts';

/** @param dataFolder the user's: no page hears where it is */
export function deskWords(dataFolder: string): DeskWords {
	return {
		agentName: id => driverById(id)?.displayName ?? id,
		limitOf,
		withoutPaths: text => text.replaceAll(dataFolder, '<data>'),
	};
}
