import { realpath, stat } from 'node:fs/promises';
import { hasErrno } from '../../base/errors.ts';
import { readPlainFile } from '../files/plainFile.ts';
import { isScript } from './namedPaths.ts';
import { LONGEST_PROGRAM } from './settingsFiles.ts';

/** A file of settings without Nancy's entries, or a program. */
export interface WrittenFile {
	content: Buffer;
	/** Its permissions: a hook is a program. */
	mode: number;
}

const SHEBANG = Buffer.from('#!');

/**
 * A file that settings name, if it is surely a program: its name, its permissions or its beginning tell. Any other may be a secret, and a
 * rule that names it by its whole path does not hold for a copy.
 * @returns `undefined` also for a file by another name, which may lead elsewhere
 */
export async function programAt(path: string): Promise<WrittenFile | undefined> {
	try {
		const found = await stat(path);
		if (!found.isFile() || found.size > LONGEST_PROGRAM || (await realpath(path)) !== path) return undefined;
		const content = await readPlainFile(path, LONGEST_PROGRAM);
		const isProgram = isScript(path) || (found.mode & 0o111) !== 0 || content?.subarray(0, 2).equals(SHEBANG);
		return content && isProgram ? { content, mode: found.mode & 0o777 } : undefined;
	} catch (error) {
		if (hasErrno(error, 'EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG')) return undefined;
		throw error;
	}
}
