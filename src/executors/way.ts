/** On a machine, by absolute paths. */
export interface GitThere {
	git: string;
	repository: string;
}

/** How a machine is reached. */
export interface Way {
	/** The machine, in words for its user. */
	readonly place: string;
	/**
	 * Has Nancy there take a step of a job: see executors/there.
	 * @param version of the Nancy there, which was shipped
	 * @throws NancyError as {@link ask} does. A step that failed answers with its `error`.
	 */
	step(version: string, name: string, input: unknown, timeoutMs: number): Promise<unknown>;
	/**
	 * Runs a program there and returns what it says in its marked line. Without that line nobody knows what it did. On a host, a login shell finds it.
	 * @throws NancyError `timeout` with the words of the program that failed; `io` if it was not found or not run there
	 */
	ask(words: readonly string[], input: string, timeoutMs: number): Promise<unknown>;
	/** `GIT_SSH_COMMAND` for one program of git's there: see git/remoteRepository. */
	gitCommand(program: 'receive-pack' | 'upload-pack', there: GitThere): string;
}
