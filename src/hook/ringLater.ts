/** Seconds that the CLI's watcher takes to start after the hook's answer, and some. */
const DELAY = 2;

/**
 * Rings a bell after this hook has ended, because the session watches it only then. Uses a shell of its own, which holds none of the hook's
 * pipes: the CLI waits for those.
 */
export async function ringLater(bell: string): Promise<void> {
	// Loaded only here: it takes longer than most hooks do.
	const { spawn } = await import('node:child_process');
	const script = `sleep ${DELAY}; [ -f "$0" ] && ! [ -L "$0" ] && date >"$0"`;
	spawn('/bin/sh', ['-c', script, bell], { detached: true, stdio: 'ignore' })
		.on('error', () => undefined) // then the window rings, or the next prompt delivers
		.unref();
}
