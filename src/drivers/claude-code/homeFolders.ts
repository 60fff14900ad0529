import { join } from 'node:path';
import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import type { HomeFolders, HomePlace } from '../../core/driver/headless.ts';

/** What it reads in its folder of the user's settings, beside its login. */
const SETTINGS = [
	'settings.json',
	'CLAUDE.md',
	'agents',
	'commands',
	'hooks',
	'output-styles',
	'plugins',
	'rules',
	'skills',
];

/** A longer name gets a hash at its end, which Nancy does not know (measured with 2.1.329). */
const LONGEST_NAME = 200;

/**
 * What Claude Code needs of the user's home (measured with 2.1.329): it runs with its settings and `~/.claude.json` read-only. Its login in
 * `.credentials.json` cannot be replaced there (EBUSY), and so it writes that in place (its program). The records of other folders stay hidden.
 * @throws NancyError `bad-usage` for a folder whose records cannot be told from those of others
 */
export function homeFolders({ home, env, cwd }: HomePlace): HomeFolders {
	const own = env['CLAUDE_CONFIG_DIR'];
	const folder = own || join(home, '.claude');
	const name = cwd.replaceAll(/[^A-Za-z0-9]/g, '-');
	if (name.length > LONGEST_NAME)
		throw new NancyError(
			'bad-usage',
			phrase`${cwd} has too long a path for an isolated delegate of Claude Code; let it work in a folder with a shorter one`,
		);
	const records = join(folder, 'projects', name);
	return {
		readable: [join(own || home, '.claude.json'), ...SETTINGS.map(each => join(folder, each))],
		writable: [join(folder, '.credentials.json'), records],
		folders: [records],
	};
}
