import { phrase } from '../../base/phrase.ts';
import type { Field } from '../../protocol/question.ts';
import { say } from './words.ts';

/** What a person has given for one of a model's questions: places of options, and a text of the person's own. */
export interface FieldAnswer {
	readonly options: readonly number[];
	readonly text: string;
}

export const noChoice: FieldAnswer = { options: [], text: '' };

export function isAnswered({ options, text }: FieldAnswer): boolean {
	return options.length > 0 || text.trim() !== '';
}

/** A model's questions with their options. */
export function Fields({
	of,
	value,
	change,
}: {
	of: readonly Field[];
	value: readonly FieldAnswer[];
	change: (value: readonly FieldAnswer[]) => void;
}) {
	return (
		<>
			{of.map((field, at) => (
				<fieldset>
					<legend>{field.question}</legend>
					{field.options.map(({ label, description = '' }, option) => (
						<label class="option">
							<input
								type={field.isMultiple ? 'checkbox' : 'radio'}
								name={`field-${at}`}
								checked={value[at]?.options.includes(option) === true}
								onInput={() => change(value.with(at, ticked(field, value[at] ?? noChoice, option)))}
							/>
							<span>
								<span>{label}</span>
								{description !== '' && <span class="quiet">{description}</span>}
							</span>
						</label>
					))}
					<label class="field">
						{say(phrase`Your own answer`)}
						<textarea
							rows={1}
							maxLength={4000}
							value={value[at]?.text ?? ''}
							onInput={({ currentTarget: { value: text } }) =>
								change(value.with(at, written(field, value[at] ?? noChoice, text)))
							}
						/>
					</label>
				</fieldset>
			))}
		</>
	);
}

function ticked({ isMultiple }: Field, { options, text }: FieldAnswer, option: number): FieldAnswer {
	if (!isMultiple) return { options: [option], text: '' };
	const others = options.filter(each => each !== option);
	return { options: others.length < options.length ? others : [...options, option], text };
}

/** One question, one answer: a text of the person's own takes the place of the option. */
function written({ isMultiple }: Field, { options }: FieldAnswer, text: string): FieldAnswer {
	return { options: isMultiple || text.trim() === '' ? options : [], text };
}
