import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Server } from './vscodeServer.ts';

export const THEMES = {
	dark: 'Default Dark Modern',
	light: 'Default Light Modern',
	contrast: 'Default High Contrast',
} as const;

/** As if the user had chosen it. VS Code reads it a moment later. */
export function chooseTheme(server: Pick<Server, 'userFolder'>, theme: keyof typeof THEMES): void {
	chooseSetting(server, 'workbench.colorTheme', THEMES[theme]);
}

/** In the user's settings. VS Code reads it a moment later. */
export function chooseSetting(server: Pick<Server, 'userFolder'>, name: string, value: unknown): void {
	for (const place of ['User', 'Machine']) {
		const file = join(dirname(server.userFolder), place, 'settings.json');
		const settings: unknown = JSON.parse(readFileSync(file, 'utf8'));
		writeFileSync(file, JSON.stringify(Object.assign({}, settings, { [name]: value })));
	}
}
