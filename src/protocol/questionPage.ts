import * as z from 'zod/mini';
import { Effect, LONGEST_WORDS, QuestionId } from './question.ts';

/** The messages between the page that shows a question and the extension. Both sides parse every message. */

/** An answer that the page offers. */
const Offer = z.object({
	effect: Effect,
	isYes: z.boolean(),
	label: z.string(),
	/** How long its rule holds, and the CLI's own rule, word by word. Empty for an answer without a rule. */
	about: z.string(),
	rule: z.string(),
});
export type Offer = z.infer<typeof Offer>;

const ShownField = z.object({
	question: z.string(),
	options: z.array(z.object({ label: z.string(), description: z.string() })),
	isMultiple: z.boolean(),
});
export type ShownField = z.infer<typeof ShownField>;

/** A whole request. Every text is shown as it is. */
const ShownQuestion = z.object({
	type: z.literal('question'),
	id: QuestionId,
	/** Goes back with the answer: see Answer. */
	digest: z.string(),
	heading: z.string(),
	facts: z.array(z.object({ name: z.string(), value: z.string() })),
	body: z.string(),
	bodyIs: z.enum(['command', 'diff', 'plan', 'json', 'text']),
	also: z.array(z.object({ name: z.string(), value: z.string() })),
	fields: z.array(ShownField),
	offers: z.array(Offer),
	/** Why something is not offered, or empty. */
	note: z.string(),
	/** Nancy's own words on the page. */
	words: z.object({
		body: z.string(),
		answer: z.string(),
		other: z.string(),
		why: z.string(),
	}),
});
export type ShownQuestion = z.infer<typeof ShownQuestion>;

/** What changes while a question is shown. */
const Live = z.object({
	type: z.literal('live'),
	/** Whether it can be answered. */
	isOpen: z.boolean(),
	/** What became of it, in a sentence. */
	state: z.string(),
	/** Since when it waits, and where its terminal is. */
	facts: z.string(),
	/** The label of a button, or empty. */
	terminal: z.string(),
	next: z.string(),
});
export type Live = z.infer<typeof Live>;

/** `none`: there is no question to show. */
export const ToQuestionPage = z.discriminatedUnion('type', [
	ShownQuestion,
	Live,
	z.object({ type: z.literal('none'), says: z.string() }),
]);
export type ToQuestionPage = z.infer<typeof ToQuestionPage>;

const Text = z.string().check(z.maxLength(LONGEST_WORDS));

export const FromQuestionPage = z.discriminatedUnion('type', [
	z.object({ type: z.literal('ready') }),
	z.object({ type: z.literal('terminal') }),
	z.object({ type: z.literal('next') }),
	z.object({
		type: z.literal('answer'),
		id: QuestionId,
		digest: z.string(),
		effect: Effect,
		/** To the model, with a No. */
		words: Text,
		/** For each field: the places of the chosen options, and a text of the person's own. */
		chosen: z.array(z.object({ options: z.array(z.int().check(z.nonnegative())), text: Text })),
	}),
]);
export type FromQuestionPage = z.infer<typeof FromQuestionPage>;
export type PageAnswer = Extract<FromQuestionPage, { type: 'answer' }>;
