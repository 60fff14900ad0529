import { lstat, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createFileAtomic, writeFileAtomic } from '../../base/atomicFile.ts';
import { errorText, hasErrno, NancyError, said } from '../../base/errors.ts';
import { phrase, type Phrase } from '../../base/phrase.ts';
import { uniqueHex } from '../../base/unique.ts';

/**
 * Tests whether an answer can be written there, before anybody pays for it: creates a file beside it and removes that file. Makes missing
 * folders.
 * @throws NancyError `bad-usage`
 */
export async function requireWritable(file: string): Promise<void> {
	const refuse = (why: string | Phrase, cause?: unknown) =>
		new NancyError('bad-usage', phrase`the answer cannot be written to ${file}: ${why}; name another file`, {
			cause,
		});
	const found = await lstat(file).catch((error: unknown) => {
		if (hasErrno(error, 'ENOENT')) return undefined;
		throw refuse(hasErrno(error, 'ENOTDIR') ? phrase`${dirname(file)} is not a folder` : said(error), error);
	});
	if (found?.isDirectory()) throw refuse(phrase`it is a folder`);
	const trial = join(dirname(file), `.${basename(file).slice(0, 100)}.${uniqueHex(12)}.trial`);
	try {
		await createFileAtomic(trial, '');
	} catch (error) {
		throw refuse(said(error), error);
	} finally {
		await rm(trial, { force: true });
	}
}

/** Why the answer could not be written there, or `undefined`. */
export async function writeAnswer(file: string, answer: string): Promise<string | undefined> {
	try {
		await writeFileAtomic(file, answer, { mode: 0o666 & ~process.umask() });
		return undefined;
	} catch (error) {
		return `the answer could not be written: ${errorText(error)}`;
	}
}
