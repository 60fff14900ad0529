import { readdirSync, readFileSync } from 'node:fs';

/** What a process has in memory, in bytes. Linux tells it. */
export interface Memory {
	resident: number;
	/** Shared with no process. */
	own: number;
	/** What it shares with others counts by its share. */
	proportional: number;
}

/** `undefined` for a process that has just ended. */
export function memoryOf(pid: number): Memory | undefined {
	try {
		const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
		const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1024;
		return {
			resident: bytes('Rss'),
			own: bytes('Private_Dirty') + bytes('Private_Clean'),
			proportional: bytes('Pss'),
		};
	} catch {
		return undefined;
	}
}

export function megabytes(bytes: number): string {
	return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** Processor time of all threads that a process has, in milliseconds. Linux tells it to the nanosecond. */
export function processorMs(pid: number): number {
	const threads = readdirSync(`/proc/${pid}/task`);
	const nanoseconds = threads.map(thread =>
		Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
	);
	return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
}

/** {@link processorMs} with that of the children that have ended, to the tick of 10 ms. */
export function withChildrenMs(pid: number): number {
	const [utime, stime] = readFileSync(`/proc/${pid}/stat`, 'utf8')
		.replace(/^.*\) /s, '')
		.split(' ')
		.slice(13, 15);
	return processorMs(pid) + (Number(utime) + Number(stime)) * 10;
}

/** As a share of one core. */
export function percent(usedMs: number, ofMs: number): string {
	return `${((100 * usedMs) / ofMs).toFixed(2)} %`;
}
