import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';

/** The files of a folder that have a text. */
export function filesWith(folder: string, text: string): string[] {
	const { stdout } = spawnSync('grep', ['-rlsaF', '--devices=skip', text, folder], { encoding: 'utf8' });
	return stdout.split('\n').filter(Boolean);
}

/** The processes of this machine whose command line has a text. */
export function commandLinesWith(text: string): string[] {
	return globSync('/proc/[0-9]*/cmdline').filter(file => {
		try {
			return readFileSync(file, 'utf8').includes(text);
		} catch {
			return false; // it has ended
		}
	});
}
