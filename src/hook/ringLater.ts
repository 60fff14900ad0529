/** Seconds from the hook's answer to the rings. A CLI's watcher has started within the first pause, on a busy machine within the second. */
const PAUSES = '2 8';

const SCRIPT = `for pause in ${PAUSES}; do
	sleep $pause
	for message in "$1"/*.md; do
		[ -f "$message" ] || continue
		touch -c -h -- "$0"
		break
	done
done`;

/**
 * Rings a bell after this hook has ended, if a message waits by then. The session watches its bell only once it has the hook's answer, and
 * nobody hears a ring before that. Uses a shell of its own, which holds none of the hook's pipes: the CLI waits for those. It touches the
 * bell, and writes nothing: an agent could put a link in its place at any moment.
 * @param inbox the folder of the queued messages
 */
export async function ringLater(bell: string, inbox: string): Promise<void> {
	// Loaded only here: it takes longer than most hooks do.
	const { spawn } = await import('node:child_process');
	spawn('/bin/sh', ['-c', SCRIPT, bell, inbox], { detached: true, stdio: 'ignore' })
		.on('error', () => undefined) // then the window rings, or the next prompt delivers
		.unref();
}
