import { NancyError } from '../base/errors.ts';
import { gitList } from './git.ts';

/**
 * The index is read whoever the repository belongs to: what somebody else's brings along is trusted least. Git before 2.38 takes the
 * exception only from the user's own settings.
 */
const ANY_OWNER = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' } as const;

/**
 * Which files at and below some places git tracks, relative to the folder. Throws `git` without git, outside a checkout and where git
 * fails, and `not-trusted` where it says nothing because the repository is somebody else's.
 */
export async function trackedFiles(
	folder: string,
	places: readonly string[],
	pathspecs: Readonly<Record<string, string>> = { GIT_LITERAL_PATHSPECS: '1' },
): Promise<string[]> {
	try {
		return await gitList({ folder }, ['ls-files', '--cached', '-z', '--', ...places], {
			env: { ...pathspecs, ...ANY_OWNER },
		});
	} catch (error) {
		if (!isOthers(error)) throw error;
		throw new NancyError(
			'not-trusted',
			`${folder} is in a repository of somebody else, and git does not say what came with it. If you trust it, run ` +
				`“git config --global --add safe.directory <its top folder>” and try again.`,
			{ cause: error },
		);
	}
}

/** Whether git refused to look into a repository because of its owner. */
export function isOthers(error: unknown): boolean {
	return error instanceof NancyError && /dubious ownership|unsafe repository/.test(error.message);
}
