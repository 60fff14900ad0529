/**
 * Turns SIGINT, SIGTERM and SIGHUP into an abort, and also a closed output pipe (`nancy run … | head`): the agent would otherwise go on
 * unwatched. Later signals change nothing: the agent is killed within seconds, and not left behind.
 * The abort's reason is the name of the signal, if it was one.
 * @param isMeant whether a signal is for the work, and not for another program in its terminal
 */
export async function withCancel<T>(
	work: (signal: AbortSignal) => Promise<T>,
	isMeant: (signal: NodeJS.Signals) => boolean = () => true,
): Promise<T> {
	const controller = new AbortController();
	const cancel = () => controller.abort();
	const cancelBy = (name: NodeJS.Signals) => {
		if (isMeant(name)) controller.abort(name);
	};
	const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
	for (const name of signals) process.on(name, cancelBy);
	// These listeners stay, because each later write fails with another error.
	for (const stream of [process.stdout, process.stderr]) stream.on('error', cancel);
	try {
		return await work(controller.signal);
	} finally {
		for (const name of signals) process.off(name, cancelBy);
	}
}
