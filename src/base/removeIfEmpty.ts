import { rmdir } from 'node:fs/promises';
import { hasErrno } from './errors.ts';

export async function removeIfEmpty(folder: string): Promise<void> {
	try {
		await rmdir(folder);
	} catch (error) {
		if (!hasErrno(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR')) throw error;
	}
}
