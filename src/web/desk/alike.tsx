import { phrase } from '../../base/phrase.ts';
import type { DeskQuestion } from '../../protocol/deskState.ts';
import { Code, Diff, languageOf } from './blocks.tsx';
import { riskWords } from './domainWords.ts';
import { openQuestions } from './store.ts';
import { say } from './words.ts';

/** The other open questions that the same answer may be for: they take the same answers here. */
export function alikeTo(question: DeskQuestion): readonly DeskQuestion[] {
	const { key, alike } = question;
	if (alike === undefined) return [];
	const takes = takenBy(question);
	return openQuestions.value.filter(each => each.key !== key && each.alike === alike && takenBy(each) === takes);
}

function takenBy({ choices }: DeskQuestion): string {
	return JSON.stringify(choices.filter(({ isHere }) => isHere).map(({ effect, isMute }) => [effect, isMute]));
}

/** Each of them whole, to be ticked one by one. Below the answers: one more moves no button. */
export function Alike({
	of,
	chosen,
	change,
}: {
	of: readonly DeskQuestion[];
	/** Digests. */
	chosen: readonly string[];
	change: (chosen: readonly string[]) => void;
}) {
	if (of.length === 0) return null;
	const ticked = (digest: string) => {
		const others = chosen.filter(each => each !== digest);
		change(others.length < chosen.length ? others : [...chosen, digest]);
	};
	return (
		<fieldset class="alike">
			<legend>
				{say(phrase`The same agent asks more of this kind. Your answer is also for those that you tick.`)}
			</legend>
			{of.map(question => (
				<div key={question.digest}>
					<Whole of={question} />
					<label class="option">
						<input
							type="checkbox"
							checked={chosen.includes(question.digest)}
							onInput={() => ticked(question.digest)}
						/>
						<span>{say(phrase`This one too: ${question.title}`)}</span>
					</label>
				</div>
			))}
		</fieldset>
	);
}

function Whole({ of }: { of: DeskQuestion }) {
	const { body, bodyIs, tool, files } = of;
	const risk = riskWords(of);
	return (
		<div class="block">
			{risk !== '' && <p class="note">{risk}</p>}
			{files.length > 0 && <p class="quiet">{files.join('\n')}</p>}
			<pre tabIndex={0}>
				{bodyIs === 'diff' ? <Diff text={body} /> : <Code text={body} language={languageOf(bodyIs, tool)} />}
			</pre>
		</div>
	);
}
