import { visible, visibleLine } from '../../base/visible.ts';
import type { DeskQuestion } from '../../protocol/deskState.ts';
import type { Answer, Choice, Question } from '../../protocol/question.ts';
import { isStanding, isYes } from '../questions/reply.ts';
import { isRisky } from '../questions/risks.ts';

/** UTF-16 units of a line on a page. */
export const LINE = 300;

/** What a question's request says. */
export type QuestionTexts = Pick<DeskQuestion, 'tool' | 'title' | 'body' | 'also' | 'cwd' | 'files' | 'fields'>;

/** The texts of a request, safe to show. What decides is never cut. */
export function textsOf({ kind, tool, title, body, also, cwd, files, fields }: Question): QuestionTexts {
	return {
		tool: visibleLine(tool, LINE),
		title: visibleLine(title, LINE),
		// A model's questions are the fields.
		body: kind === 'choice' ? '' : visible(body),
		also: also.map(({ name, value }) => ({ name: visibleLine(name, LINE), value: visible(value) })),
		...(cwd !== undefined && { cwd: visible(cwd) }),
		files: files.map(visible),
		fields: fields.map(field => ({
			question: visible(field.question),
			...(field.header !== undefined && { header: visible(field.header) }),
			isMultiple: field.isMultiple,
			options: field.options.map(({ label, description }) => ({
				label: visible(label),
				...(description !== undefined && { description: visible(description) }),
			})),
		})),
	};
}

/** An answer that a person may choose, and whether a page may give it. */
export function choiceOf(
	question: Question,
	{ effect, rule, keptIn, isMute }: Choice,
): DeskQuestion['choices'][number] {
	return {
		effect,
		isYes: isYes(effect),
		...(rule !== undefined && { rule: visible(rule) }),
		...(keptIn !== undefined && { keptIn: visible(keptIn) }),
		...(isMute && { isMute }),
		isHere: !isStanding(effect) && !isRisky(question, effect),
	};
}

/** What a page is told of an answer: never its words. */
export function shownAnswer({ effect, by, device, at }: Answer): NonNullable<DeskQuestion['answer']> {
	return { effect, by, ...(device !== undefined && { device: visibleLine(device) }), at };
}
