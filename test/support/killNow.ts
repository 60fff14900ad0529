/** Kills a process with -9. @throws Error where there is none: 0 would be the group of this process */
export function killNow(process_: { pid?: number | undefined } | undefined): void {
	const { pid } = process_ ?? {};
	if (!pid) throw new Error('there is no process to kill');
	process.kill(pid, 'SIGKILL');
}
