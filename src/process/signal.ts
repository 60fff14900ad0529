import { hasErrno } from '../base/errors.ts';

/** Sends a signal to a process, or to a group by its negative id. One that has ended, or is somebody else's, gets none. */
export function signal(pid: number, name: NodeJS.Signals): void {
	try {
		process.kill(pid, name);
	} catch (error) {
		if (!hasErrno(error, 'ESRCH', 'EPERM')) throw error;
	}
}
