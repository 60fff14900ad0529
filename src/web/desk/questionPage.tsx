import { useEffect, useRef, useState } from 'preact/hooks';
import { phrase } from '../../base/phrase.ts';
import type { DeskQuestion } from '../../protocol/deskState.ts';
import { AnswerBox } from './answerBox.tsx';
import { Code, Diff, languageOf } from './blocks.tsx';
import { CodeLinks } from './codeLink.tsx';
import { bodyName, headingOf, riskWords, stateOf } from './domainWords.ts';
import { Facts } from './facts.tsx';
import { ShareLater } from './later.tsx';
import { folderName } from './nav.ts';
import { questions } from './store.ts';
import { age, moment } from './times.ts';
import { say } from './words.ts';

/** Something that a person may do beside an answer. */
export interface Act {
	label: string;
	act: () => void;
}

interface Shown {
	item: string;
	/** Where else it can be answered. */
	where?: string;
	acts?: readonly Act[];
}

/** One question, whole. What was shown stays in sight when the server no longer has it. */
export function QuestionPage({ item, where = '', acts = [] }: Shown) {
	const heading = useRef<HTMLHeadingElement>(null);
	const current = questions.value.find(({ key }) => key === item);
	const [shown, setShown] = useState(current);
	useEffect(() => {
		window.scrollTo(0, 0);
		// Never a button: a key that was meant for something else would press it. A tab beside the one in use takes no focus.
		if (document.hasFocus()) heading.current?.focus();
	}, []);
	useEffect(() => {
		if (current) setShown(current);
	}, [current]);
	const question = current ?? shown;
	if (!question) return <p class="question quiet">{say(phrase`This question is no longer here.`)}</p>;
	const isOpen = current?.isOpen === true;
	return (
		<article class="question">
			<h1 ref={heading} tabIndex={-1}>
				{headingOf(question)}
			</h1>
			<QuestionFacts question={question} />
			<CodeLinks of={question.files.map(path => ({ folder: question.folder, path }))} />
			<Request question={question} />
			{isOpen && <AnswerBox key={question.digest} question={question} />}
			<footer class="after">
				<p class={`state ${question.outcome?.state ?? ''}`} role="status">
					{isOpen ? '' : stateOf(question) || say(phrase`This question takes no answer any more.`)}
				</p>
				{where !== '' && <p class="quiet">{where}</p>}
				{acts.length > 0 && (
					<div class="acts">
						{acts.map(({ label, act }) => (
							<button key={label} type="button" class="button" onClick={act}>
								{label}
							</button>
						))}
					</div>
				)}
			</footer>
		</article>
	);
}

function QuestionFacts({ question }: { question: DeskQuestion }) {
	const { agentName, taskTitle, task, worker, delegate, subagent, kind, tool, cwd, folder, files, askedAt } =
		question;
	const facts: readonly (readonly [string, string])[] = [
		[say(phrase`Agent`), agentName],
		[say(phrase`Task`), [taskTitle ?? task, worker === 'worker' ? '' : worker].filter(Boolean).join(' · ')],
		[say(phrase`As delegate`), [delegate?.title, delegate?.id].filter(Boolean).join(' · ')],
		[say(phrase`Subagent`), subagent ?? ''],
		[say(phrase`Tool`), kind === 'tool' ? '' : tool],
		[say(phrase`Folder`), cwd ?? folderName(folder)],
		[say(phrase`Files`), files.join('\n')],
		[say(phrase`Asked`), say(phrase`${age(askedAt)} ago, at ${moment(askedAt)}`)],
	];
	return <Facts of={facts} />;
}

function Request({ question }: { question: DeskQuestion }) {
	const { body, bodyIs, also, isWhole, delegate, tool } = question;
	const risk = riskWords(question);
	return (
		<>
			{risk !== '' && <p class="note">{risk}</p>}
			{!isWhole && (
				<p class="note">
					{delegate
						? say(
								phrase`A part of the request is not shown here: it is too long, or has what looks like a secret. So it cannot be allowed.`,
							)
						: say(
								phrase`A part of the request is not shown here: it is too long, or has what looks like a secret. So it can be allowed in the agent’s terminal alone.`,
							)}
				</p>
			)}
			{body !== '' && (
				<Block name={bodyName(question)}>
					{/* A plan too is drawn as it was written: Markdown has ways to leave words out, and a Yes is for all of them. */}
					{bodyIs === 'diff' ? (
						<Diff text={body} />
					) : (
						<Code text={body} language={languageOf(bodyIs, tool)} />
					)}
				</Block>
			)}
			{body !== '' && (
				<ShareLater
					title={question.title}
					text={body}
					language={bodyIs === 'diff' ? 'diff' : languageOf(bodyIs, tool)}
				/>
			)}
			{also.map(({ name, value }) => (
				<Block name={name}>
					<code>{value}</code>
				</Block>
			))}
		</>
	);
}

function Block({ name, children }: { name: string; children: preact.ComponentChildren }) {
	return (
		<section class="block" aria-label={name}>
			<h2>{name}</h2>
			<pre tabIndex={0}>{children}</pre>
		</section>
	);
}
