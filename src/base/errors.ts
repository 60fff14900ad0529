import type { Phrase } from './phrase.ts';

/** The kind of failure, as a stable word that tests and callers can match on. The message is for people. */
export type NancyErrorCode =
	| 'bad-name'
	| 'bad-message'
	| 'bad-file'
	| 'bad-usage'
	| 'not-a-workspace'
	| 'no-task'
	| 'no-project'
	| 'task-exists'
	| 'no-message'
	| 'no-question'
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
	// Plain fields, because drivers throw this error and are loaded unbuilt.
	readonly code: NancyErrorCode;
	/** The message, for the window to say in the user's language. */
	readonly said: string | Phrase;

	constructor(code: NancyErrorCode, said: string | Phrase, options?: { cause?: unknown }) {
		super(String(said), options);
		this.name = 'NancyError';
		this.code = code;
		this.said = said;
	}
}

/** True for a {@link NancyError}, also of a program that is loaded beside this one and has a class of its own. */
export function isNancyError(error: unknown): error is NancyError {
	return error instanceof NancyError || (error instanceof Error && error.name === 'NancyError' && 'said' in error);
}

/** True for a {@link NancyError} of this program with one of these codes. */
export function hasCode(error: unknown, ...codes: NancyErrorCode[]): error is NancyError {
	return error instanceof NancyError && codes.includes(error.code);
}

/** True for a Node system error with one of these codes (`ENOENT`, `EEXIST`, …). */
export function hasErrno(error: unknown, ...codes: string[]): boolean {
	return error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code);
}

/** What an error says, as a part of another's. */
export function said(error: unknown): string | Phrase {
	return isNancyError(error) ? error.said : errorText(error);
}

/** For a note that a full disk need not take. */
export function unlessFull(error: unknown): void {
	if (!hasErrno(error, 'ENOSPC', 'EDQUOT', 'EROFS')) throw error;
}

/** The sentence of an error, whatever was thrown. */
export function errorText(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
