import * as z from 'zod/mini';
import { redactLines } from '../core/traffic/redactLines.ts';
import { fileDifference, type FileDifference } from '../git/worktreeChanges.ts';
import { Worktree } from '../protocol/worktree.ts';
import { anybody, type Operation } from './operation.ts';
import { ownWorktreeOf } from './shared/ownWorktreeOf.ts';

/** In bytes, of a file before or after: nobody reads the changes of a larger one line by line. */
const LARGEST = 1024 * 1024;

const Input = z.object({
	worktree: Worktree,
	/** The path of a changed file, relative to the worktree, with `/`. */
	path: z.string(),
});
const Output = z.object({
	/** A unified diff without the names of the files, line by line and without secrets. None for a binary file. `undefined`: it has not changed. */
	lines: z.union([z.array(z.string()), z.undefined()]),
	/** One of the two files is too large. */
	isTooLarge: z.boolean(),
});

/** The changes of one file of a worktree, from its base to the present, for people elsewhere. */
export const worktreeDiff: Operation<z.infer<typeof Input>, z.infer<typeof Output>> = {
	name: 'worktreeDiff',
	input: Input,
	output: Output,
	worksOnPage: true,
	permit: anybody,
	async run(_, { worktree, path }, context) {
		const found = await fileDifference(await ownWorktreeOf(context, worktree), path, LARGEST);
		if (found === undefined || found === 'too-large') return { lines: undefined, isTooLarge: found !== undefined };
		return { lines: withoutSecrets(found), isTooLarge: false };
	},
};

const PLACE = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** Each line as it is in its file without secrets: the beginning of a secret may be outside of what has changed. */
function withoutSecrets({ before, after, diff }: FileDifference): string[] {
	const [old, now] = [redactLines(before), redactLines(after)];
	let [removed, added] = [0, 0];
	return diff
		.replace(/\n$/, '')
		.split('\n')
		.map(line => {
			const [place, from, to] = PLACE.exec(line) ?? [];
			if (place !== undefined) {
				[removed, added] = [Number(from), Number(to)];
				// Behind the place, git repeats a line of the file.
				return place;
			}
			switch (line[0]) {
				case '-':
					return `-${old[removed++ - 1] ?? ''}`;
				case '+':
					return `+${now[added++ - 1] ?? ''}`;
				case '\\':
					return line;
				default:
					removed++;
					return ` ${now[added++ - 1] ?? ''}`;
			}
		});
}
