import { useEffect } from 'preact/hooks';
import { phrase } from '../../base/phrase.ts';
import type { DeskQuestion } from '../../protocol/deskState.ts';
import { askedWords, stateOf } from './domainWords.ts';
import { ALL, folderName, go, place, turnTo } from './nav.ts';
import { QuestionPage, type Act } from './questionPage.tsx';
import { openQuestions, questions } from './store.ts';
import { askingInTerminal, keyOf, mailboxName } from './tasks.ts';
import { age } from './times.ts';
import { isWide } from './wide.ts';
import { say } from './words.ts';

/** The desk: what is asked, and one question whole. Where there is room, both at once. */
export function DeskView() {
	const chosen = place.value.item;
	const item = chosen === ALL ? undefined : chosen;
	const open = openQuestions.value;
	const elsewhere = askingInTerminal();
	const over = questions.value.filter(({ isOpen }) => !isOpen).toReversed();
	const isQuiet = open.length === 0 && elsewhere.length === 0;
	// The only question is shown without a press, and beside the list the oldest one.
	const first = isWide.value || (open.length === 1 && chosen !== ALL) ? open[0]?.key : undefined;
	useEffect(() => {
		if (item === undefined && first !== undefined) turnTo({ view: 'desk', item: first });
	}, [item, first]);
	const hasList = item === undefined || isWide.value;
	return (
		<div class={item !== undefined && isWide.value ? 'panes' : ''}>
			{hasList && (
				<div class="list-pane">
					<h1>{isQuiet ? say(phrase`Nobody is asking`) : say(phrase`Questions`)}</h1>
					{isQuiet && (
						<p class="quiet">
							{say(phrase`When an agent asks for permission, or asks you something, it appears here.`)}
						</p>
					)}
					<Rows of={open} />
					<Elsewhere of={elsewhere} />
					{over.length > 0 && <h2>{say(phrase`Answered or over`)}</h2>}
					<Rows of={over} />
				</div>
			)}
			{item !== undefined && <QuestionPage key={item} item={item} {...wayOn(item)} />}
		</div>
	);
}

/** From a question that is over to the next one. */
function wayOn(item: string): { where?: string; acts?: readonly Act[] } {
	if (openQuestions.value.some(({ key }) => key === item)) return {};
	const [next] = openQuestions.value;
	if (!next) return { where: say(phrase`No other question waits.`) };
	return { acts: [{ label: say(phrase`Next Question`), act: () => turnTo({ view: 'desk', item: next.key }) }] };
}

function Rows({ of }: { of: readonly DeskQuestion[] }) {
	if (of.length === 0) return null;
	return (
		<ul class="rows">
			{of.map(question => (
				<li key={question.key}>
					<button
						type="button"
						class="row"
						aria-current={question.key === place.value.item}
						onClick={() => go({ view: 'desk', item: question.key })}
					>
						<span class="row-top">
							<strong>{question.agentName}</strong>
							<span class="quiet">{age(question.askedAt)}</span>
						</span>
						<span class={`row-what ${question.kind === 'tool' ? 'mono' : ''}`}>{askedWords(question)}</span>
						<span class="quiet row-where">
							{question.isOpen ? whereWords(question) : stateOf(question)}
						</span>
					</button>
				</li>
			))}
		</ul>
	);
}

/** Agents whose question no desk can answer. */
function Elsewhere({ of }: { of: ReturnType<typeof askingInTerminal> }) {
	if (of.length === 0) return null;
	return (
		<>
			<h2>{say(phrase`In the terminal alone`)}</h2>
			<ul class="rows">
				{of.map(({ task, worker }) => (
					<li key={keyOf(task, worker)}>
						<button
							type="button"
							class="row"
							onClick={() => go({ view: 'agents', item: keyOf(task, worker) })}
						>
							<span class="row-top">
								<strong>{worker.agentName}</strong>
								<span class="quiet">{age(worker.since)}</span>
							</span>
							<span class="row-what mono">
								{[worker.tool, worker.summary].filter(Boolean).join(': ')}
							</span>
							<span class="row-what">
								{say(phrase`It asks something that Nancy cannot answer: open its terminal.`)}
							</span>
							<span class="quiet row-where">
								{[mailboxName(task.folder, `${task.task}/${worker.worker}`), folderName(task.folder)]
									.filter(Boolean)
									.join(' · ')}
							</span>
						</button>
					</li>
				))}
			</ul>
		</>
	);
}

function whereWords({ taskTitle, task, delegate, subagent, folder }: DeskQuestion): string {
	return [delegate?.title ?? taskTitle ?? task, subagent, folderName(folder)].filter(Boolean).join(' · ');
}
