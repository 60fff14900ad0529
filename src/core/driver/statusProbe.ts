import type { SessionId } from '../../protocol/names.ts';

export interface StatusProbe {
	args: readonly string[];
	/** Longest time the CLI may take to answer, in milliseconds. */
	timeoutMs: number;
	/** Status of each session named in the CLI's output. */
	read(stdout: string): ReadonlyMap<SessionId, ProbedStatus>;
}

export interface ProbedStatus {
	phase: 'idle' | 'working' | 'waiting';
	waitingFor?: string;
	pid?: number;
}
