/** After the end the rest of the log is read, in so many looks at most. A look brings 256 KB: see executors/there. */
export const LOOKS_AFTER_END = 200;

/** Limit of a log from another machine, in UTF-16 units: the machine may send one without an end. */
const MOST = 16 * 1024 * 1024;

/** How much of a log from another machine is kept. Each runner of a delegate begins to count anew. */
export class RemoteLog {
	private length = 0;

	/** What to keep of the next part; the last time, why there is no more. `undefined`: nothing. */
	part(log: string): string | undefined {
		if (this.length > MOST) return undefined;
		this.length += log.length;
		return this.length > MOST ? 'the rest of its log is left out\n' : log;
	}
}
