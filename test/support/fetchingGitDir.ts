import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A folder of git that fetches what it lacks by a command of its own: at the name of any commit that is not there.
 * @param ran the file that the command makes; its name needs no quotes
 */
export function fetchingGitDir(folder: string, commit: string, ran: string): void {
	for (const name of ['refs', 'objects']) mkdirSync(join(folder, name), { recursive: true });
	writeFileSync(join(folder, 'HEAD'), `${commit}\n`);
	writeFileSync(
		join(folder, 'config'),
		`[core]\nrepositoryformatversion = 1\nsshCommand = touch ${ran} #\n[extensions]\npartialClone = origin\n` +
			'[remote "origin"]\nurl = ssh://nowhere.invalid/x\npromisor = true\n',
	);
}
