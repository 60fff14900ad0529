import type { DelegateId } from '../../protocol/delegate.ts';
import { beginningOf } from './beginningOf.ts';
import type { Delegate } from './delegate.ts';
import { NO_TICKET } from './tickets.ts';

/** Longest answer in the message itself, in bytes. Of a longer one the message has the beginning and the file's name. */
const INLINE_BYTES = 100_000;

/** The facts of a text that {@link resultText} made: the outcome and the title. */
export function readResult(text: string): { isDone: boolean; title: string } | undefined {
	const found = /^\[DELEGATE (COMPLETE|FAILED) - Task ID: [^\]\n]*\].*\n(.+)/.exec(text);
	return found ? { isDone: found[1] === 'COMPLETE', title: found[2] ?? '' } : undefined;
}

/**
 * The asker's text. Other tools look for the first line.
 * @param output what the delegate has printed. Not read from its file here: anybody may write that
 * @param unread texts that were sent to it and that it never read
 */
export function resultText(
	{ record, status, state, error, files }: Delegate,
	output: string,
	unread: readonly string[],
): string {
	const { text, isWhole } = beginningOf(output, INLINE_BYTES);
	const head =
		state === 'done'
			? `[DELEGATE COMPLETE - Task ID: ${record.id}]`
			: `[DELEGATE FAILED - Task ID: ${record.id}] ${error ?? ''}`.trimEnd();
	// Names of tools alone: they come from a file that other agents can write.
	const denied = [...new Set(status.denied)].filter(tool => /^[\w.:-]{1,100}$/.test(tool));
	return [
		head,
		record.title,
		...(denied.length === 0 ? [] : [`It was not allowed to: ${denied.join('; ')}`]),
		...(unread.length === 0 ? [] : [neverRead(unread)]),
		...(status.worktree ? [`It worked in ${status.worktree.folder}, on branch ${status.worktree.branch}.`] : []),
		'',
		text.trim(),
		...(isWhole
			? []
			: ['', `The first ${INLINE_BYTES} of ${Buffer.byteLength(output)} bytes; all of it is in ${files.output}`]),
	]
		.join('\n')
		.trimEnd();
}

/** The same for a delegate whose files were changed after the queueing: only Nancy's own words. */
export function changedText(id: DelegateId): string {
	return [
		`[DELEGATE FAILED - Task ID: ${id}] ${NO_TICKET}`,
		'Its files were changed, or their folder was moved: what they say is left out here.',
	].join('\n');
}

function neverRead(texts: readonly string[]): string {
	const [first = '', ...others] = texts.map(text => `“${text.trim().split('\n', 1)[0]?.slice(0, 100) ?? ''}”`);
	const shown = [first, ...others.slice(0, 2)].join(', ');
	const more = others.length > 2 ? ` and ${others.length - 2} more` : '';
	const count = texts.length === 1 ? '1 message to it was' : `${texts.length} messages to it were`;
	return `${count} never read: ${shown}${more}`;
}
