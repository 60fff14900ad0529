import { NancyError } from '../../base/errors.ts';
import type { QuestionOutput } from '../../protocol/output/questions.ts';

/** The one of these questions that a person means: by its id, or the whole part behind its hyphen. @throws NancyError `no-question` */
export function questionNamed(questions: readonly QuestionOutput[], typed: string): QuestionOutput {
	const found = questions.filter(({ question: { id } }) => id === typed || id.endsWith(`-${typed}`));
	const [first, second] = found;
	if (first && !second) return first;
	const what = first ? `"${typed}" can be ${found.length} questions` : `nobody asks "${typed}" any more`;
	throw new NancyError('no-question', `${what}; nancy questions lists them`);
}
