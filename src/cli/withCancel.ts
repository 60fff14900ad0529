/**
 * Turns SIGINT, SIGTERM and SIGHUP into an abort, and also a closed output pipe (`nancy run … | head`): the agent would otherwise go on
 * unwatched. Later signals change nothing: the agent is killed within seconds, and not left behind.
 */
export async function withCancel<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
	const controller = new AbortController();
	const cancel = () => controller.abort();
	const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
	for (const name of signals) process.on(name, cancel);
	// These listeners stay, because each later write fails with another error.
	for (const stream of [process.stdout, process.stderr]) stream.on('error', cancel);
	try {
		return await work(controller.signal);
	} finally {
		for (const name of signals) process.off(name, cancel);
	}
}
