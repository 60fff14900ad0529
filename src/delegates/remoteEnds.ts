import { errorText, hasCode, hasErrno, NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { visibleLine } from '../base/visible.ts';
import type { Outcome } from '../core/delegates/delegate.ts';
import { redactText } from '../core/traffic/redact.ts';
import { WorkGone } from '../executors/executor.ts';
import { NoRoom } from '../git/gitFailure.ts';
import { WorkBesides } from '../git/remoteRepository.ts';
import type { DelegateStatus } from '../protocol/delegate.ts';
import type { RemoteEnd, RemotePhase, Seen } from '../protocol/remoteJob.ts';

/** Whether the same step may do later, without anybody's help. */
export function mayPass(error: unknown): boolean {
	return hasCode(error, 'busy') || error instanceof NoRoom || hasErrno(error, 'ENOSPC', 'EDQUOT');
}

/** The end of a job that does not end when it is asked to. Nancy ends it all the same. */
export const NOT_ENDED: RemoteEnd = {
	ok: false,
	reason: 'cancelled, and killed there because it did not end in ten minutes',
	output: '',
};

/** A status of the other machine. Its texts are somebody else's words: secrets go out, and control characters are shown. */
export function shownStatus(status: NonNullable<Seen['status']>): Partial<DelegateStatus> {
	const { last_tool, last_file, denied, model, ...numbers } = status;
	const line = (text: string) => visibleLine(redactText(text), 300);
	return {
		...numbers,
		last_tool: last_tool && line(last_tool),
		last_file: last_file && line(last_file),
		model: model && line(model),
		denied: denied.slice(0, 100).map(line),
	};
}

/** Whether a job has begun, or why it waits in the queue of a cluster: somebody else's words. */
export function begunOrWaits({ is, queueSays }: Seen): Pick<RemotePhase, 'isBegun' | 'waits'> {
	if (is !== 'running' || queueSays === undefined) return { isBegun: true, waits: undefined };
	return waitsFor(queueSays);
}

export function waitsFor(why: string) {
	return { isBegun: false, waits: visibleLine(redactText(why), 200) };
}

/** The end of a job that runs no more. */
export function endSeen({ is, end, queueSays }: Seen): RemoteEnd {
	const by = queueSays === undefined ? '' : ` (${queueSays})`;
	if (end) return { ...end, reason: end.reason === undefined ? undefined : `${end.reason}${by}` };
	// Its folder there is gone, or its runner: it may have worked, so it is not started again.
	const what =
		is === 'absent' ? 'its folder on the other machine is gone' : 'its runner on the other machine is lost';
	return { ok: false, reason: `${what}${by}`, output: '' };
}

/** What is kept of a job that has ended: see {@link RemotePhase}. */
export interface KeptEnd extends Pick<RemotePhase, 'others'> {
	end: RemoteEnd;
	phase?: 'collected' | 'kept';
}

/**
 * The end of a job whose work is not in its worktree here. Its answer is kept.
 * @param place where the work is, unless it is on a branch here or nowhere
 */
export function notCollected(end: RemoteEnd, place: string, error: unknown): KeptEnd {
	const why = errorText(error);
	if (error instanceof WorkBesides) return { end: failedBy(end, why), others: [...error.others] };
	if (error instanceof WorkGone) return { end: failedBy(end, why) };
	return { end: failedBy(end, `its work could not be brought here and stays in ${place}: ${why}`), phase: 'kept' };
}

/** The same end, with what failed after it. */
function failedBy({ output, reason }: RemoteEnd, why: string): RemoteEnd {
	return { ok: false, output, reason: reason === undefined ? why : `${why}; ${reason}` };
}

export function outcomeOfEnd({ ok, output, reason }: RemoteEnd): Outcome {
	return ok ? { ok, output } : { ok: false, reason: visibleLine(reason ?? 'it failed', 500), output };
}

/** Nobody waits for its machine any more. */
export class GivenUp extends NancyError {}

/**
 * @param why nobody waits
 * @param error why its machine does not answer
 */
export function givenUp(why: 'stopped' | 'no ticket', error: string, mayRun: boolean): GivenUp {
	const words = {
		stopped: mayRun ? phrase`cancelled, but it may still run there: ${error}` : phrase`cancelled: ${error}`,
		'no ticket': mayRun
			? phrase`its ticket here is gone, and it may still run there: ${error}`
			: phrase`its ticket here is gone: ${error}`,
	};
	return new GivenUp('timeout', words[why]);
}
