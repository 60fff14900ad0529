import { spawn, type ChildProcess } from 'node:child_process';

/** Some programs wait for a turn that waits for an answer: three seconds after it was asked to end, it is killed. */
const END =
	'command -p cat; kill -s TERM -- "$1" || exit; for s in 1 2 3; do command -p sleep 1; kill -s 0 -- "$1" || exit; done; kill -s KILL -- "$1"';

/**
 * Ends a process even if this program is killed: the other end of a pipe closes then. The watch has a session of its own, which no terminal
 * hangs up. Whoever has ended the process itself kills the watch.
 * @param target its id; with a minus, the group that it leads
 */
export function endWithThis(target: number): ChildProcess {
	const watch = spawn('/bin/sh', ['-c', END, 'nancy', String(target)], {
		stdio: ['pipe', 'ignore', 'ignore'],
		detached: true,
	});
	watch.on('error', () => undefined);
	watch.unref();
	return watch;
}
