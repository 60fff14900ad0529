import { NancyError } from '../../base/errors.ts';
import { phrase, type Phrase } from '../../base/phrase.ts';
import type { Answer, Effect, Question, Reply } from '../../protocol/question.ts';

/** Why an answer is none to this question; `undefined` if it is one. Desk and holder both ask. */
export function whyNoAnswer(question: Question, answer: Omit<Answer, 'seal'>): Phrase | undefined {
	const { effect, words, values = {} } = answer;
	if (answer.question !== question.id || answer.digest !== question.digest)
		return phrase`the answer is to another request than the one that waits`;
	const choices = question.choices.map(choice => choice.effect);
	if (!choices.includes(effect))
		return phrase`"${effect}" is no answer to this question; it takes ${choices.join(', ')}`;
	if (words !== undefined && isYes(effect)) return phrase`only a No takes words for the agent`;
	if (words !== undefined && isMute(question, effect))
		return phrase`this agent takes no words with a No; answer No without them`;
	const asked = question.fields.map(field => field.question);
	const unasked = Object.keys(values).find(key => !asked.includes(key));
	if (unasked !== undefined) return phrase`the agent does not ask "${unasked}"`;
	if (!isYes(effect)) return undefined;
	const single = question.fields.find(field => !field.isMultiple && (values[field.question]?.length ?? 0) > 1);
	if (single) return phrase`"${single.question}" takes one answer`;
	const open = asked.find(each => !values[each]?.some(value => value.trim() !== ''));
	return open === undefined ? undefined : phrase`"${open}" has no answer yet`;
}

/** Whether the CLI takes no words with this answer. */
export function isMute({ choices }: Pick<Question, 'choices'>, effect: Effect): boolean {
	return choices.some(choice => choice.effect === effect && choice.isMute);
}

/** The No that the question takes: it ends the turn only where the CLI knows no other. */
export function noTo({ choices }: Pick<Question, 'choices'>): Effect {
	return choices.some(({ effect }) => effect === 'no') ? 'no' : 'end';
}

/** Whether an answer lets the agent do what it asks for. */
export function isYes(effect: Effect): boolean {
	return effect !== 'no' && effect !== 'end';
}

/** Whether an answer also adds a rule, or changes the mode: it holds for longer than the one request. */
export function isStanding(effect: Effect): boolean {
	return effect === 'session' || effect === 'folder' || effect === 'user';
}

/** How a person answers on a page. */
interface Given {
	effect: Effect;
	/** To the model, with a No. */
	words: string;
	/** For each field: the places of the chosen options, and a text of the person's own. */
	chosen: readonly { options: readonly number[]; text: string }[];
}

/**
 * The reply that a person gave on a page. Values are the question's own texts, not those that were made visible.
 * @throws NancyError `bad-usage` for a Yes that names an option or a field which the question does not have
 */
export function replyOf(question: Pick<Question, 'fields'>, { effect, words, chosen }: Given): Reply {
	const reply = { effect, ...(words.trim() !== '' && { words }) };
	if (!isYes(effect) || (question.fields.length === 0 && chosen.length === 0)) return reply;
	if (chosen.length > question.fields.length) throw unasked();
	const values = question.fields.map((field, at) => {
		const { options = [], text = '' } = chosen[at] ?? {};
		const labels = options.map(place => field.options[place]?.label);
		const known = labels.filter(label => label !== undefined);
		if (known.length < labels.length) throw unasked();
		return [field.question, [...known, ...(text.trim() === '' ? [] : [text])]];
	});
	return { ...reply, values: Object.fromEntries(values) };
}

function unasked(): NancyError {
	return new NancyError('bad-usage', phrase`the answer names an option that the agent does not offer`);
}
