import { useEffect, useRef, useState } from 'preact/hooks';
import { phrase } from '../../base/phrase.ts';
import type { AnswerRequest } from '../../protocol/deskApi.ts';
import type { DeskQuestion } from '../../protocol/deskState.ts';
import type { Effect } from '../../protocol/question.ts';
import { Alike, alikeTo } from './alike.tsx';
import { choiceLabel, ruleWords } from './domainWords.ts';
import { Fields, isAnswered, noChoice, type FieldAnswer } from './fields.tsx';
import { host, link, may, newNonce } from './host.ts';
import { isOf } from './isOf.ts';
import { answerReply, draft } from './shapes.ts';
import { say } from './words.ts';

/** For how long a new question takes no answer: what the finger was about to press was for another one. In milliseconds. */
const INERT_MS = 400;

/** The answers that one question takes here. */
export function AnswerBox({ question }: { question: DeskQuestion }) {
	const { digest } = question;
	const [begun] = useState(() => begunFor(digest));
	const others = alikeTo(question);
	const below = others.map(each => each.digest).join(' ');
	const [isInert, setInert] = useState(true);
	const [fields, setFields] = useState<readonly FieldAnswer[]>(begun?.chosen ?? question.fields.map(() => noChoice));
	const [words, setWords] = useState(begun?.words ?? '');
	const [isExplaining, setExplaining] = useState(words !== '');
	const why = useRef<HTMLTextAreaElement>(null);
	const [sending, setSending] = useState<Effect | undefined>();
	const [problem, setProblem] = useState('');
	/** Digests of the others that the answer is also for. */
	const [ticked, setTicked] = useState<readonly string[]>([]);
	useEffect(() => {
		setInert(true);
		const timer = setTimeout(() => setInert(false), INERT_MS);
		return () => clearTimeout(timer);
		// What is below has moved.
	}, [below]);
	useEffect(() => {
		host().draft = { digest, words, chosen: fields };
	}, [digest, words, fields]);
	useEffect(() => {
		if (isExplaining) why.current?.focus();
	}, [isExplaining]);

	const also = others.filter(each => ticked.includes(each.digest));

	const send = async (effect: Effect, isYes: boolean) => {
		setSending(effect);
		setProblem('');
		const rest = {
			effect,
			words: isExplaining ? words.trim() : '',
			chosen: isYes ? fields.map(({ options, text }) => ({ options: [...options], text })) : [],
		};
		// This one last: with its answer the box goes, and what was refused could not be said.
		const post = ({ id, folder, digest: shown }: DeskQuestion) => {
			const body: AnswerRequest = { folder, digest: shown, ...rest, nonce: newNonce() };
			return host().post(`questions/${id}/answer`, body, answerReply);
		};
		const replies = await Promise.all(also.map(post));
		const refused = replies.flatMap(reply => (reply.is === 'failed' ? [reply.message] : []));
		const last = refused.length > 0 ? undefined : await post(question);
		// What was answered is said by the next state.
		if (last?.is === 'done') return;
		setSending(undefined);
		const done = also.length - refused.length;
		const sent = done > 0 ? `${say(phrase`${done} of ${also.length + 1} answers were sent.`)} ` : '';
		setProblem(sent + (last?.message ?? refused[0] ?? ''));
	};

	const kept = keptWords(question);
	const isOff = link.value.is !== 'live' || sending !== undefined;
	const here = question.choices.filter(({ isHere }) => isHere);
	// It ends the turn only where the CLI knows no other No.
	const no: Effect = here.some(({ effect }) => effect === 'no') ? 'no' : 'end';
	/** Where the CLI takes no words with it, they are a message, which a subagent and an ended delegate do not read. */
	const takesWords = (effect: Effect) => {
		const isMute = question.choices.some(choice => choice.effect === effect && choice.isMute);
		const isRead = question.worker !== undefined && !question.subagent && !(question.delegate && effect === 'end');
		return !isMute || (isRead && also.length === 0);
	};
	const count = also.length > 0 ? ` (${also.length + 1})` : '';
	const button = ({ effect, isYes }: DeskQuestion['choices'][number]) => (
		<button
			key={effect}
			type="button"
			class={`button ${isYes ? effect : 'no'}`}
			disabled={
				isOff ||
				(isYes && (!question.isWhole || !fields.every(isAnswered))) ||
				(also.length > 0 && !isForOthers(effect))
			}
			onClick={() => void send(effect, isYes)}
		>
			{sending === effect
				? say(phrase`Sending …`)
				: choiceLabel(question, effect) + (isForOthers(effect) ? count : '')}
		</button>
	);
	if (!may('answer') && link.value.is === 'live')
		return (
			<p class="note">
				{say(
					phrase`This device may not answer. Answer in VS Code or in the agent’s terminal, or let the device in again at the computer.`,
				)}
			</p>
		);
	return (
		<section class="answer" aria-label={say(phrase`Your answer`)} inert={isInert}>
			<Fields of={question.fields} value={fields} change={setFields} />
			{isExplaining ? (
				<>
					<label class="field">
						{say(phrase`With a No: what the agent is told`)}
						<textarea
							ref={why}
							rows={3}
							maxLength={4000}
							value={words}
							onInput={({ currentTarget }) => setWords(currentTarget.value)}
						/>
					</label>
					<div class="acts">
						<button type="button" class="button" disabled={isOff} onClick={() => setExplaining(false)}>
							{say(phrase`Back`)}
						</button>
						{here.filter(({ effect, isYes }) => !isYes && takesWords(effect)).map(button)}
					</div>
				</>
			) : (
				<div class="acts">
					{here.filter(({ effect }) => effect === no).map(button)}
					{here.some(({ effect }) => effect === no) && takesWords(no) && (
						<button type="button" class="button no" disabled={isOff} onClick={() => setExplaining(true)}>
							{say(phrase`No, Because …`)}
						</button>
					)}
					{here.filter(({ effect }) => effect === 'once').map(button)}
				</div>
			)}
			{!isExplaining &&
				here
					.filter(({ effect, isYes }) => isYes && effect !== 'once')
					.map(choice => (
						<div key={choice.effect} class="ruled">
							{button(choice)}
							<Rule of={choice} />
						</div>
					))}
			<p class="problem" role="alert">
				{problem}
			</p>
			<p class="quiet">
				{question.delegate
					? say(phrase`A delegate has no terminal: without an answer, its request is denied.`)
					: say(phrase`The agent’s terminal takes an answer too. The first one counts.`)}
				{kept !== '' && ` ${kept}`}
			</p>
			<Alike of={others} chosen={ticked} change={setTicked} />
		</section>
	);
}

/** A lasting rule is for one request, which names it. */
function isForOthers(effect: Effect): boolean {
	return effect === 'once' || effect === 'no' || effect === 'end';
}

/** What may be answered in VS Code or a terminal alone. */
function keptWords({ choices, risk }: DeskQuestion): string {
	if (choices.every(({ isHere }) => isHere)) return '';
	return risk.length > 0
		? say(phrase`Because of the risk, it can be allowed in VS Code or in the terminal alone.`)
		: say(phrase`A lasting rule can be set in VS Code or in the terminal.`);
}

/** What an answer adds to the CLI's own rules, word by word. */
function Rule({ of }: { of: DeskQuestion['choices'][number] }) {
	if (of.rule === undefined) return null;
	return (
		<>
			<p class="quiet">{ruleWords(of)}</p>
			<pre tabIndex={0}>
				<code>{of.rule}</code>
			</pre>
		</>
	);
}

/** What the person has begun to answer to this very question. */
function begunFor(digest: string) {
	const begun = host().draft;
	return isOf(draft, begun) && begun.digest === digest ? begun : undefined;
}
