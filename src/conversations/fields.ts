import { visibleLine } from '../base/visible.ts';
import type { Field } from '../protocol/question.ts';
import type { PromptedLines } from './promptedLines.ts';

/** In UTF-16 units, of a text of the model's. */
const LONGEST = 400;

/**
 * What a person types to what a model wants to know: the numbers of options, or other words.
 * @returns the texts by the questions; `undefined` at Ctrl-C, and once the question is over
 */
export async function askFields(
	fields: readonly Field[],
	lines: PromptedLines,
	over: AbortSignal,
): Promise<Record<string, string[]> | undefined> {
	const values: Record<string, string[]> = {};
	for (const { question, options, isMultiple } of fields) {
		lines.say(`? ${visibleLine(question, LONGEST)}`);
		for (const [at, { label, description = '' }] of options.entries())
			lines.say(`  ${at + 1}. ${visibleLine(label, LONGEST)}  ${visibleLine(description, LONGEST)}`.trimEnd());
		const how = isMultiple ? 'numbers with commas, or words' : 'a number, or words';
		const words = await lines.ask(`Your answer (${how}): `, over);
		if (words === undefined) return undefined;
		values[question] = chosen(words, options, isMultiple);
	}
	return values;
}

function chosen(words: string, options: Field['options'], isMultiple: boolean): string[] {
	const typed = isMultiple ? words.split(',').map(each => each.trim()) : [words];
	const labels = typed.map(each => options[Number(each) - 1]?.label);
	const known = labels.filter(label => label !== undefined);
	return known.length === typed.length ? known : [words];
}
