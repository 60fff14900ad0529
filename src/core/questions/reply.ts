import { phrase, type Phrase } from '../../base/phrase.ts';
import type { Answer, Effect, Question } from '../../protocol/question.ts';

/** Why an answer is none to this question; `undefined` if it is one. Desk and holder both ask. */
export function whyNoAnswer(question: Question, answer: Omit<Answer, 'seal'>): Phrase | undefined {
	const { effect, words, values = {} } = answer;
	if (answer.question !== question.id || answer.digest !== question.digest)
		return phrase`the answer is to another request than the one that waits`;
	const choices = question.choices.map(choice => choice.effect);
	if (!choices.includes(effect))
		return phrase`"${effect}" is no answer to this question; it takes ${choices.join(', ')}`;
	if (words !== undefined && isYes(effect)) return phrase`only a No takes words for the agent`;
	const asked = question.fields.map(field => field.question);
	const unasked = Object.keys(values).find(key => !asked.includes(key));
	if (unasked !== undefined) return phrase`the agent does not ask "${unasked}"`;
	if (!isYes(effect)) return undefined;
	const open = asked.find(each => !values[each]?.some(value => value.trim() !== ''));
	return open === undefined ? undefined : phrase`"${open}" has no answer yet`;
}

/** The No that the question takes: it ends the turn only where the CLI knows no other. */
export function noTo({ choices }: Pick<Question, 'choices'>): Effect {
	return choices.some(({ effect }) => effect === 'no') ? 'no' : 'end';
}

/** Whether an answer lets the agent do what it asks for. */
export function isYes(effect: Effect): boolean {
	return effect !== 'no' && effect !== 'end';
}
