import { signal } from '@preact/signals';
import { phrase } from '../../base/phrase.ts';
import type { DeskMessage } from '../../protocol/deskState.ts';
import { Compose } from './compose.tsx';
import { MessageCard } from './messageCard.tsx';
import { Older } from './older.tsx';
import { inbox, unread } from './store.ts';
import { mailboxName, workerOf } from './tasks.ts';
import { say } from './words.ts';

/** The message that is answered now. */
const answered = signal<string | undefined>(undefined);

/** What agents wrote to the person, newest first. */
export function InboxView() {
	return (
		<>
			<h1>{say(phrase`Inbox`)}</h1>
			{inbox.value.length === 0 && (
				<p class="quiet">{say(phrase`No message. What agents and delegates write to you appears here.`)}</p>
			)}
			{inbox.value.map(message => (
				<div key={message.key} class="mail">
					<MessageCard message={message} />
					<Reply message={message} />
				</div>
			))}
			<Older waiting={unread.value} shown={inbox.value} />
		</>
	);
}

function Reply({ message }: { message: DeskMessage }) {
	const to = writerOf(message);
	if (!to) return null;
	if (answered.value !== message.key)
		return (
			<button type="button" class="button" onClick={() => (answered.value = message.key)}>
				{say(phrase`Reply`)}
			</button>
		);
	return <Compose {...to} label={say(phrase`Reply to ${mailboxName(to.folder, `${to.task}/${to.worker}`)}`)} />;
}

/** The agent that wrote it, if it is still there. */
function writerOf({ author, folder }: DeskMessage) {
	const found = author.is === 'agent' || author.is === 'delegate' ? workerOf(folder, author.worker) : undefined;
	return found && { folder: found.task.folder, task: found.task.task, worker: found.worker.worker };
}
