import * as z from 'zod/mini';

/** Stands in the words of a command for the name of a job. */
const NAME = '{name}';
const TAKES = 'takes a list of 1 to 50 words, the first of which is a program by its name or its absolute path';

/** A command that no shell reads. A program by a relative path would be another one in each folder. */
const Words = z
	.array(z.string().check(z.regex(/^[^\p{Cc}]{1,2000}$/u, { error: 'is an empty word, or no line' })), {
		error: TAKES,
	})
	.check(
		z.refine(([program]) => program !== undefined && (program.startsWith('/') || !program.includes('/')), {
			error: TAKES,
		}),
		z.maxLength(50, { error: TAKES }),
	);

/** The commands of a queue that the user names: see executors/commandEngine for what each is given, and what it says. */
export const QueueCommands = z.object({
	submit: Words,
	look: Words.check(
		z.refine(words => !words.some(word => word.includes(NAME)), {
			error: `lists all jobs at once: take ${NAME} out`,
		}),
	),
	cancel: Words,
});
export type QueueCommands = z.infer<typeof QueueCommands>;

/** The words with the name of a job in its places, or at their end if they have none. */
export function wordsFor(words: readonly string[], name: string): string[] {
	const isPlaced = words.some(word => word.includes(NAME));
	return isPlaced ? words.map(word => word.replaceAll(NAME, name)) : [...words, name];
}
