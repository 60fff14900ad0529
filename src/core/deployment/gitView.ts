/** Git's answers about a workspace folder. */
export interface GitView {
	/** The `info/exclude` of its repository; absolute. None in another user's repository, which Nancy does not write. */
	excludeFile: string | undefined;
	/** The folder in its checkout: empty at the top, else with a `/` at the end. */
	prefix: string;
	/** The files asked about that git tracks, relative to the folder. A file is to be asked about by its `realPlace`. */
	tracked: ReadonlySet<string>;
	/** The files asked about that git does not show anyway. */
	ignored: ReadonlySet<string>;
}

/** Asks git, which the core does not start; `undefined` if git is missing or the folder is in no checkout. */
export type AskGit = (folder: string, files: readonly string[]) => Promise<GitView | undefined>;
