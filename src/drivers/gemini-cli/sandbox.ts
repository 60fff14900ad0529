import { homedir } from 'node:os';
import { join } from 'node:path';
import type { StartPlace } from '../../core/driver/driver.ts';
import { readPlainTextSync } from '../../core/files/plainFile.ts';
import { foldersUpFrom } from '../../core/workspace/placeFrom.ts';

/** The largest file of settings that is read, in bytes. */
const LONGEST = 1024 * 1024;

const SYSTEM_SETTINGS = '/etc/gemini-cli/settings.json';

/**
 * Whether the CLI may run its commands in a sandbox. Then a Yes to a command may also give it rights that the request does not name
 * (`additional_permissions`; 0.61.0, its source). Any mention counts, whatever its value is.
 */
export function maySandbox(words: readonly string[], { cwd, env }: StartPlace): boolean {
	if (words.some(word => /^-[a-z]*s|^--sandbox/.test(word))) return true;
	if (env['GEMINI_SANDBOX'] || env['SANDBOX']) return true;
	const home = env['GEMINI_CLI_HOME'] || env['HOME'] || homedir();
	const system = env['GEMINI_CLI_SYSTEM_SETTINGS_PATH'] || SYSTEM_SETTINGS;
	const folders = [...foldersUpFrom(cwd), home];
	const files = [
		system,
		system.replace(/settings\.json$/, 'system-defaults.json'),
		...folders.flatMap(at => [join(at, '.gemini', 'settings.json'), join(at, '.gemini', '.env'), join(at, '.env')]),
	];
	return files.some(file => /sandbox/i.test(textOf(file)));
}

/** What cannot be read may say anything. */
function textOf(file: string): string {
	try {
		return readPlainTextSync(file, LONGEST) ?? '';
	} catch {
		return 'sandbox';
	}
}
