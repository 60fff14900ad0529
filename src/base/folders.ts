import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the user's own settings are: XDG base directories on Linux, the platform's own convention elsewhere. */
export function configFolder(env: Environment = process.env, platform: NodeJS.Platform = process.platform): string {
	const home = env['HOME'] ?? homedir();
	if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'nancy');
	if (platform === 'win32') return join(env['APPDATA'] ?? join(home, 'AppData', 'Roaming'), 'nancy');
	const xdg = env['XDG_CONFIG_HOME'];
	return join(xdg?.startsWith('/') ? xdg : join(home, '.config'), 'nancy');
}

/**
 * Where Nancy keeps what belongs to the user and not to a workspace: the versioned runtime that settings files point to.
 * XDG base directories on Linux, the platform's own convention elsewhere.
 */
export function dataFolder(env: Environment = process.env, platform: NodeJS.Platform = process.platform): string {
	const home = env['HOME'] ?? homedir();
	if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'nancy');
	if (platform === 'win32') return join(env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'nancy');
	const xdg = env['XDG_DATA_HOME'];
	// The specification says a relative value must be ignored.
	return join(xdg?.startsWith('/') ? xdg : join(home, '.local', 'share'), 'nancy');
}

/**
 * The data folder that a hook program stands in. An agent sets the environment of its hooks, so they ask their own place instead.
 * @param program its file: `<data folder>/runtime/<version>/hook/<driver>.js`
 */
export function dataFolderAround(program: string): string {
	return dirname(dirname(dirname(dirname(program))));
}
