import type { BrowserDesk } from './browserDesk.ts';

export interface DeskCollaborators {
	browserDesk: BrowserDesk;
}

/** The commands for the desk in browsers. */
export function deskHandlers({ browserDesk }: DeskCollaborators) {
	return {
		'nancy.openDeskInBrowser': () => browserDesk.openInBrowser(),
		'nancy.openDeskOnPhone': () => browserDesk.openOnPhone(),
		'nancy.showDevices': () => browserDesk.showDevices(),
	};
}
