/** The kind of failure, as a stable word that tests and callers can match on. The message is for people. */
export type NancyErrorCode =
	| 'bad-name'
	| 'bad-message'
	| 'bad-file'
	| 'bad-usage'
	| 'not-a-workspace'
	| 'no-task'
	| 'task-exists'
	| 'no-message'
	| 'not-queued'
	| 'no-agent'
	| 'agent-too-old'
	| 'not-trusted'
	| 'settings-broken'
	| 'settings-changed'
	| 'busy'
	| 'starting'
	| 'wrong-state'
	| 'git'
	| 'timeout'
	| 'io';

/** The one error class that crosses rooms. Its message says what to do. */
export class NancyError extends Error {
	// A plain field, because drivers throw this error and are loaded unbuilt.
	readonly code: NancyErrorCode;

	constructor(code: NancyErrorCode, message: string, options?: { cause?: unknown }) {
		super(message, options);
		this.name = 'NancyError';
		this.code = code;
	}
}

/** True for a Node system error with one of these codes (`ENOENT`, `EEXIST`, …). */
export function hasErrno(error: unknown, ...codes: string[]): boolean {
	return error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code);
}

/** The sentence of an error, whatever was thrown. */
export function errorText(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
