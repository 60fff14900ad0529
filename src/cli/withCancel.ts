/**
 * Passes SIGINT, SIGTERM and SIGHUP on as an abort, and that nobody reads what is printed any more (`nancy run … | head`): what was
 * started would go on unwatched. Later ones change nothing: the agent is killed within seconds, and not left behind.
 */
export async function withCancel<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
	const controller = new AbortController();
	const cancel = () => controller.abort();
	const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
	for (const name of signals) process.on(name, cancel);
	// These stay: to what is still said, each write answers with another error.
	for (const stream of [process.stdout, process.stderr]) stream.on('error', cancel);
	try {
		return await work(controller.signal);
	} finally {
		for (const name of signals) process.off(name, cancel);
	}
}
