import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { hasErrno, NancyError, said } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import type { LaunchPlace } from '../../core/driver/launchPlace.ts';
import { parseLooseJson } from '../../core/files/looseJson.ts';

type Environment = LaunchPlace['env'];

/** Files and folders of policies, in the order and form of the CLI's own command line. */
export interface PolicyPaths {
	user: readonly string[];
	admin: readonly string[];
}

const Settings = z.object({
	policyPaths: z.optional(z.array(z.string())),
	adminPolicyPaths: z.optional(z.array(z.string())),
});

/**
 * The policies that the settings of the user and of the system name. A list on the command line replaces that of all settings. So these
 * policies must be named there too if the folder's shall not count.
 * @throws NancyError settings-broken if a list is unreadable: its denials would be lost
 */
export function policyPaths(env: Environment, platform: NodeJS.Platform = process.platform): PolicyPaths {
	const own = join(env['GEMINI_CLI_HOME'] || env['HOME'] || homedir(), '.gemini');
	const system = env['GEMINI_CLI_SYSTEM_SETTINGS_PATH'] || systemSettings(platform);
	const defaults = env['GEMINI_CLI_SYSTEM_DEFAULTS_PATH'] || join(dirname(system), 'system-defaults.json');
	const all = [defaults, join(own, 'settings.json'), system].map(read);
	const named = (lists: readonly (readonly string[] | undefined)[]) => [
		...new Set(lists.flatMap(list => list ?? []).map(path => expanded(path, env))),
	];
	const user = named(all.map(settings => settings.policyPaths));
	return {
		// The CLI reads its user's folder where no settings name others.
		user: user.length > 0 ? user : [join(own, 'policies')],
		admin: named(all.map(settings => settings.adminPolicyPaths)),
	};
}

function systemSettings(platform: NodeJS.Platform): string {
	if (platform === 'darwin') return '/Library/Application Support/GeminiCli/settings.json';
	if (platform === 'win32') return String.raw`C:\ProgramData\gemini-cli\settings.json`;
	return '/etc/gemini-cli/settings.json';
}

function read(path: string): z.infer<typeof Settings> {
	try {
		return Settings.parse(parseLooseJson(readFileSync(path, 'utf8')));
	} catch (error) {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return {};
		throw new NancyError(
			'settings-broken',
			phrase`${path} cannot be read, and the denials of its policies would be lost: ${said(error)}`,
			{ cause: error },
		);
	}
}

/** As the CLI does in its settings, but not on its command line. It expands `~` in both. */
function expanded(path: string, env: Environment): string {
	return path.replaceAll(
		/\$(?:(\w+)|\{([^}]+?)(?::-([^}]*))?\})/g,
		(whole, plain?: string, braced?: string, otherwise?: string) =>
			env[plain ?? braced ?? ''] ?? otherwise ?? whole,
	);
}
