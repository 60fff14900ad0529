import { phrase } from '../../base/phrase.ts';
import type { DeskTask, DeskWorker } from '../../protocol/deskState.ts';
import { Compose } from './compose.tsx';
import { alertOf, saidOf } from './domainWords.ts';
import { Facts } from './facts.tsx';
import { Later } from './later.tsx';
import { MessageCard } from './messageCard.tsx';
import { folderName, go } from './nav.ts';
import { Older } from './older.tsx';
import { Phase } from './phase.tsx';
import { messages, questions } from './store.ts';
import { age } from './times.ts';
import { say } from './words.ts';

/** One agent: what it does and how Nancy knows, what it asks, and its messages. */
export function WorkerPage({ task, worker }: { task: DeskTask; worker: DeskWorker }) {
	const { folder } = task;
	const box = `${task.task}/${worker.worker}`;
	const own = messages.value.filter(each => each.folder === folder && each.mailbox === box).toReversed();
	const asked = questions.value.filter(
		each => each.isOpen && each.folder === folder && each.task === task.task && each.worker === worker.worker,
	);
	const doing = [worker.tool, worker.summary].filter(Boolean).join(': ');
	const facts: readonly (readonly [string, string])[] = [
		[say(phrase`Task`), task.title],
		[say(phrase`Folder`), folderName(folder)],
		[say(phrase`Evidence`), say(phrase`${worker.source}, ${age(worker.at)} ago`)],
		[say(phrase`Its own words`), saidOf(worker)],
		[say(phrase`Notification`), alertOf(worker)],
		[say(phrase`Context`), contextOf(worker)],
	];
	return (
		<article class="worker">
			<h1>
				{worker.agentName}
				{worker.worker !== 'worker' && ` · ${worker.worker}`}
			</h1>
			<p class="row-phase">
				<Phase worker={worker} />
				<span class="quiet">{say(phrase`for ${age(worker.since)}`)}</span>
			</p>
			{doing !== '' && worker.phase !== 'idle' && (
				<pre tabIndex={0}>
					<code>{doing}</code>
				</pre>
			)}
			{asked.map(question => (
				<button
					key={question.key}
					type="button"
					class="button asks"
					onClick={() => go({ view: 'desk', item: question.key })}
				>
					{say(phrase`Asks: ${question.title}`)}
				</button>
			))}
			<Facts of={facts} />
			{worker.asksInTerminal && (
				<p class="note">{say(phrase`It asks something that Nancy cannot answer: open its terminal.`)}</p>
			)}
			{worker.isWithoutHooks ? (
				<p class="note">{say(phrase`This agent runs without Nancy’s hooks: no message reaches it.`)}</p>
			) : (
				<Compose folder={folder} task={task.task} worker={worker.worker} />
			)}
			<Later name={say(phrase`Traffic`)}>
				{rooms => rooms.Traffic && <rooms.Traffic task={task} worker={worker} />}
			</Later>
			<h2>{say(phrase`Messages`)}</h2>
			{own.length === 0 && <p class="quiet">{say(phrase`No message yet.`)}</p>}
			{own.map(message => (
				<MessageCard key={message.key} message={message} />
			))}
			<Older waiting={worker.queued} shown={own} />
		</article>
	);
}

function contextOf({ context }: DeskWorker): string {
	if (!context) return '';
	const used = context.tokens.toLocaleString();
	if (context.window === undefined) return say(phrase`${used} tokens`);
	const percent = Math.round((context.tokens / context.window) * 100);
	return say(phrase`${used} of ${context.window.toLocaleString()} tokens (${percent} %)`);
}
