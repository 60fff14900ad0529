import { homedir } from 'node:os';
import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder of the user's own settings: XDG base directories on Linux, the platform's own convention elsewhere. */
export function configFolder(env: Environment = process.env, platform: NodeJS.Platform = process.platform): string {
	const home = env['HOME'] ?? homedir();
	if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'nancy');
	if (platform === 'win32') return join(env['APPDATA'] ?? join(home, 'AppData', 'Roaming'), 'nancy');
	const xdg = env['XDG_CONFIG_HOME'];
	return join(xdg?.startsWith('/') ? xdg : join(home, '.config'), 'nancy');
}

/** A program of an installed runtime: the command, or what the guard starts for a driver. See core/deployment/runtime. */
const INSTALLED = /^(.*[\\/]nancy)[\\/]runtime[\\/]\d[^\\/]*[\\/](?:nancy|hook[\\/][a-z0-9-]+)\.js$/;

/**
 * The folder for data that belongs to the user and not to a workspace: the versioned runtime that settings files point to, and sealed
 * records. A program of an installed runtime uses the folder that contains it, because its caller (an agent, say) chooses the environment.
 * Any other program uses XDG base directories on Linux, and the platform's own convention elsewhere.
 * @param program the running one
 */
export function dataFolder(
	env: Environment = process.env,
	platform: NodeJS.Platform = process.platform,
	program: string = process.argv[1] ?? '',
): string {
	const [, installed] = INSTALLED.exec(program) ?? [];
	if (installed !== undefined) return installed;
	const home = env['HOME'] ?? homedir();
	if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'nancy');
	if (platform === 'win32') return join(env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'nancy');
	const xdg = env['XDG_DATA_HOME'];
	// The specification says a relative value must be ignored.
	return join(xdg?.startsWith('/') ? xdg : join(home, '.local', 'share'), 'nancy');
}
