import { setTimeout as sleep } from 'node:timers/promises';
import type { Lab } from '../support/lab.ts';
import { widen as drawEdge } from '../support/sidebar.ts';
import { chooseTheme, type THEMES } from '../support/themes.ts';

/** Colours, spinners and rows come to rest, in milliseconds. */
export const SETTLES_MS = 1500;

/** Nancy's sidebar, with the folder read. That takes a few seconds. */
export async function showNancy({ workbench }: Lab): Promise<void> {
	await workbench.activity('Nancy').click();
	await workbench.pane('Tasks').waitFor();
	await sleep(3 * SETTLES_MS);
}

/** As if the user had chosen it. */
export async function wear({ server }: Lab, theme: keyof typeof THEMES): Promise<void> {
	chooseTheme(server, theme);
	await sleep(SETTLES_MS);
}

/** Draws the edge of the sidebar to its place. */
export async function widen({ page }: Lab, width: number): Promise<void> {
	await drawEdge(page, width);
	await sleep(SETTLES_MS);
}
