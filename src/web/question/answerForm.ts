import * as z from 'zod/mini';
import type { FromQuestionPage, Offer, ShownField, ShownQuestion } from '../../protocol/questionPage.ts';
import { element } from '../page/element.ts';

interface Host {
	postMessage(message: FromQuestionPage): void;
	getState(): unknown;
	setState(state: unknown): void;
}

/** What the person has written so far. VS Code throws the page of a hidden tab away. */
const Draft = z.object({ digest: z.string(), texts: z.array(z.string()), ticks: z.array(z.boolean()) });

/** Options and a text of the person's own, for one of a model's questions. */
interface FieldBox {
	readonly ticks: readonly HTMLInputElement[];
	readonly text: HTMLTextAreaElement;
}

/** The answers that one question takes. */
export class AnswerForm {
	readonly element: HTMLElement;
	private readonly fields: readonly FieldBox[];
	private readonly words: HTMLTextAreaElement;
	private readonly buttons: readonly { offer: Offer; button: HTMLButtonElement }[];
	private isOpen = false;

	constructor(
		private readonly question: ShownQuestion,
		private readonly host: Host,
	) {
		const sets = question.fields.map((field, at) => fieldSet(field, at, question.words.other));
		this.fields = sets.map(({ box }) => box);
		this.words = textBox();
		this.buttons = question.offers.map(offer => ({ offer, button: this.buttonOf(offer) }));
		const offered = this.buttons.map(({ offer, button }) => offerBlock(offer, button));
		this.element = element('section', [
			...sets.map(each => each.set),
			...(offered.length === 0
				? []
				: [element('label', [question.words.why, this.words], 'why'), element('div', offered, 'offers')]),
		]);
		this.element.setAttribute('aria-label', question.words.answer);
		this.restore();
		this.element.addEventListener('input', () => this.changed());
		this.changed();
	}

	setInert(isInert: boolean): void {
		this.element.inert = isInert;
	}

	/** A question that is answered or over keeps its request in sight, and takes nothing. */
	setOpen(isOpen: boolean): void {
		this.isOpen = isOpen;
		this.element.hidden = !isOpen;
		this.enable();
	}

	private changed(): void {
		this.host.setState({
			digest: this.question.digest,
			texts: [this.words, ...this.fields.map(({ text }) => text)].map(({ value }) => value),
			ticks: this.fields.flatMap(({ ticks }) => ticks.map(({ checked }) => checked)),
		} satisfies z.infer<typeof Draft>);
		this.enable();
	}

	private restore(): void {
		const draft = Draft.safeParse(this.host.getState()).data;
		if (draft?.digest !== this.question.digest) return;
		for (const [at, text] of [this.words, ...this.fields.map(each => each.text)].entries())
			text.value = draft.texts[at] ?? '';
		for (const [at, tick] of this.fields.flatMap(({ ticks }) => ticks).entries())
			tick.checked = draft.ticks[at] ?? false;
	}

	/** Words for the agent go with a No alone. So whoever has written why not cannot allow it by a slip. */
	private enable(): void {
		const hasWords = this.words.value.trim() !== '';
		const isAnswered = this.fields.every(
			({ ticks, text }) => ticks.some(({ checked }) => checked) || text.value.trim() !== '',
		);
		for (const { offer, button } of this.buttons)
			button.disabled = !this.isOpen || (offer.isYes && (hasWords || !isAnswered));
	}

	private buttonOf(offer: Offer): HTMLButtonElement {
		const made = document.createElement('button');
		made.type = 'button';
		made.textContent = offer.label;
		made.className = offer.isYes ? 'yes' : 'no';
		made.addEventListener('click', () => this.send(offer));
		return made;
	}

	private send({ effect, isYes }: Offer): void {
		// One press is one answer. The extension says what became of it.
		this.isOpen = false;
		this.enable();
		const { id, digest } = this.question;
		this.host.postMessage({
			type: 'answer',
			id,
			digest,
			effect,
			words: isYes ? '' : this.words.value,
			chosen: this.fields.map(({ ticks, text }) => ({
				options: [...ticks.keys()].filter(at => ticks[at]?.checked),
				text: text.value,
			})),
		});
	}
}

function fieldSet(field: ShownField, at: number, other: string): { set: HTMLElement; box: FieldBox } {
	const text = textBox();
	const rows = field.options.map(({ label, description }) => {
		const tick = document.createElement('input');
		tick.type = field.isMultiple ? 'checkbox' : 'radio';
		tick.name = `field-${at}`;
		const words = [
			element('span', [label], 'label'),
			...(description === '' ? [] : [element('span', [description], 'facts')]),
		];
		return { tick, row: element('label', [tick, element('span', words, 'words')], 'option') };
	});
	const set = element('fieldset', [
		element('legend', [field.question]),
		...rows.map(({ row }) => row),
		element('label', [other, text], 'why'),
	]);
	const ticks = rows.map(({ tick }) => tick);
	// One question, one answer: a text of the person's own takes the place of the option.
	if (!field.isMultiple) {
		text.addEventListener('input', () => {
			if (text.value.trim() !== '') for (const tick of ticks) tick.checked = false;
		});
		for (const tick of ticks) tick.addEventListener('input', () => (text.value = ''));
	}
	return { set, box: { ticks, text } };
}

function offerBlock({ about, rule }: Offer, button: HTMLButtonElement): HTMLElement {
	if (rule === '') return element('div', [button], 'offer');
	return element('div', [button, element('p', [about], 'facts'), element('pre', [rule], 'command')], 'offer ruled');
}

function textBox(): HTMLTextAreaElement {
	const made = document.createElement('textarea');
	made.rows = 1;
	made.maxLength = 4000;
	return made;
}
