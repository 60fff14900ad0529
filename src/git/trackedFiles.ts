import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { askAt, cutAtZeros } from './git.ts';

/**
 * For questions whose answer counts whoever owns the repository, because another user's files are trusted least. Git before 2.38 takes the
 * exception only from the user's own settings.
 */
export const ANY_OWNER = {
	GIT_CONFIG_COUNT: '1',
	GIT_CONFIG_KEY_0: 'safe.directory',
	GIT_CONFIG_VALUE_0: '*',
} as const;

/**
 * The files at and below some places that git tracks, relative to the folder. Throws `git` without git, outside a checkout and if git
 * fails. Throws `not-trusted` if git does not answer because the repository is another user's.
 */
export async function trackedFiles(
	folder: string,
	places: readonly string[],
	pathspecs: Readonly<Record<string, string>> = { GIT_LITERAL_PATHSPECS: '1' },
): Promise<string[]> {
	try {
		const { stdout } = await askAt(folder, ['ls-files', '--cached', '-z', '--', ...places], {
			env: { ...pathspecs, ...ANY_OWNER },
		});
		return cutAtZeros(stdout);
	} catch (error) {
		if (!isOthers(error)) throw error;
		throw new NancyError(
			'not-trusted',
			phrase`${folder} is in a repository of somebody else, and git does not say what came with it. If you trust it, run
				"git config --global --add safe.directory <its top folder>" and try again.`,
			{ cause: error },
		);
	}
}

/** Whether git refused to look into a repository because of its owner. */
export function isOthers(error: unknown): boolean {
	return error instanceof NancyError && /dubious ownership|unsafe repository/.test(error.message);
}
