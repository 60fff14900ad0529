import type { Asker } from '../../core/asker/asker.ts';

/** A running program of Nancy's that is no window. */
export interface Program {
	/** The file of the running program. The rest of its package or runtime is found from there. */
	readonly program: string;
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly version: string;
	/** Tells a person something beside the answer. */
	note(text: string): void;
}

/** Who calls a program from a shell, and from where. */
export interface Caller extends Program {
	/** Folder that the call works from: the current one of the shell that called, or the folder of `-C`. */
	readonly cwd: string;
	/** True when the folder was named with `-C` and so wins over the environment. */
	readonly isFolderGiven: boolean;
	/**
	 * The asker. Looked up at first use.
	 * @throws NancyError `not-trusted` if nobody can tell: see `askerOf`
	 */
	readonly asker: Asker;
}
