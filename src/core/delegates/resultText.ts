import type { Delegate } from './delegates.ts';

/** Longest answer that travels in the message itself, in bytes; of a longer one the message has the beginning and the file. */
const INLINE_BYTES = 100_000;

/** Of a text that {@link resultText} made: how it ended and what it is called. */
export function readResult(text: string): { isDone: boolean; title: string } | undefined {
	const found = /^\[DELEGATE (COMPLETE|FAILED) - Task ID: [^\]\n]*\].*\n(.+)/.exec(text);
	return found ? { isDone: found[1] === 'COMPLETE', title: found[2] ?? '' } : undefined;
}

/** What the one who asked reads. The first line is what other tools look for. */
export async function resultText({ record, status, state, error, files }: Delegate): Promise<string> {
	const { text, isWhole, bytes } = await files.readOutput(INLINE_BYTES);
	const head =
		state === 'done'
			? `[DELEGATE COMPLETE - Task ID: ${record.id}]`
			: `[DELEGATE FAILED - Task ID: ${record.id}] ${error ?? ''}`.trimEnd();
	const denied = [...new Set(status.denied)];
	return [
		head,
		record.title,
		...(denied.length === 0 ? [] : [`It was not allowed to: ${denied.join('; ')}`]),
		...(status.worktree ? [`It worked in ${status.worktree.folder}, on branch ${status.worktree.branch}.`] : []),
		'',
		text.trim(),
		...(isWhole ? [] : ['', `The first ${INLINE_BYTES} of ${bytes} bytes; all of it is in ${files.output}`]),
	]
		.join('\n')
		.trimEnd();
}
