import { quoted } from '../../base/visible.ts';
import type { DelegateId } from '../../protocol/delegate.ts';
import { byWhom } from '../mailbox/batch.ts';
import type { StoredMessage } from '../mailbox/mailboxFiles.ts';
import { beginningOf } from './beginningOf.ts';
import type { Delegate } from './delegate.ts';
import { NO_TICKET } from './tickets.ts';

/** Longest answer in the message itself, in bytes. For a longer answer, the message has the beginning and the file's name. */
const INLINE_BYTES = 100_000;

/** A message's text, and its author as the seal says. */
export type Unread = Pick<StoredMessage, 'author'> & { content: Pick<StoredMessage['content'], 'text'> };

/** The facts of a text that {@link resultText} made: the outcome and the title. */
export function readResult(text: string): { isDone: boolean; isStopped: boolean; title: string } | undefined {
	const found = /^\[DELEGATE (COMPLETE|FAILED) - Task ID: [^\]\n]*\](.*)\n(.+)/.exec(text);
	if (!found) return undefined;
	const [, outcome, error = '', title = ''] = found;
	return { isDone: outcome === 'COMPLETE', isStopped: outcome === 'FAILED' && error === ' cancelled', title };
}

/**
 * The asker's text. Other tools look for the first line.
 * @param output what the delegate has printed. Not read from its file here: anybody may write that
 * @param unread what was sent to it and it never read
 */
export function resultText(
	{ record, status, state, error, files }: Delegate,
	output: string,
	unread: readonly Unread[],
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
		...(status.worktree
			? [`It worked in ${quoted(status.worktree.folder)}, on branch ${status.worktree.branch}.`]
			: []),
		...(status.other_branches?.length ? [otherBranches(status.other_branches)] : []),
		'',
		text.trim(),
		...(isWhole
			? []
			: ['', `The first ${INLINE_BYTES} of ${Buffer.byteLength(output)} bytes; all of it is in ${files.output}`]),
	]
		.join('\n')
		.trimEnd();
}

/** So many branches are named in a sentence. */
const MOST_NAMED = 10;

/** Of branches that Nancy has made: see git/remoteRepository. */
export function otherBranches(branches: readonly string[]): string {
	const more = branches.length > MOST_NAMED ? ` and ${branches.length - MOST_NAMED} more` : '';
	const named = branches.slice(0, MOST_NAMED).join(', ');
	return `Other branches, tags and stashes of its agent are here as ${named}${more}.`;
}

/** The same for a delegate whose files were changed after the queueing: only Nancy's own words. */
export function changedText(id: DelegateId): string {
	return [
		`[DELEGATE FAILED - Task ID: ${id}] ${NO_TICKET}`,
		'Its files were changed, or their folder was moved: what they say is left out here.',
	].join('\n');
}

/** It quotes no word of a message whose author nobody knows: its reader could take the words for Nancy's, or for the delegate's. */
function neverRead(unread: readonly Unread[]): string {
	const known = unread.filter(({ author }) => author.is !== 'unknown');
	const count = unread.length === 1 ? '1 message to it was' : `${unread.length} messages to it were`;
	const others = unread.length - known.length;
	const unknown = others === 0 ? '' : `, ${others} of unknown author`;
	const shown = known
		.slice(0, 3)
		.map(({ author, content }) => `${byWhom(author)} ${quoted(beginningOfLine(content.text))}`);
	const more = known.length > shown.length ? `, and ${known.length - shown.length} more` : '';
	return `${count} never read${unknown}${shown.length === 0 ? '' : `: ${shown.join(', ')}${more}`}`;
}

function beginningOfLine(text: string): string {
	return (text.trim().split('\n', 1)[0] ?? '').slice(0, 100);
}
