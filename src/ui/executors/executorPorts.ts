import type { Executor } from '../../protocol/output/executors.ts';
import type { Folder } from '../ports.ts';

/** The machines that delegates can run on. The user's settings name them, and a workspace names none. */
export interface ExecutorOperations {
	/** Those of the settings, then the hosts of `~/.ssh/config`. Connects to none. */
	list(folder: Folder): Promise<readonly Executor[]>;
	/** Connects to these at once, and says what each has and lacks. Ends within a minute. */
	probe(folder: Folder, names: readonly string[]): Promise<readonly Executor[]>;
	/**
	 * Names a host of `~/.ssh/config` in the user's settings. Returns the path of their file. Throws `bad-usage` if the name is taken.
	 */
	name(folder: Folder, name: string, host: string): Promise<string>;
}
