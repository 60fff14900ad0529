import { phrase } from '../../base/phrase.ts';
import type { DeskMessage } from '../../protocol/deskState.ts';
import { Markdown } from './blocks.tsx';
import { CodeLinks, filesIn } from './codeLink.tsx';
import { kindWord, messageState } from './domainWords.ts';
import { delegates } from './store.ts';
import { mailboxName } from './tasks.ts';
import { moment, writtenAt } from './times.ts';
import { say } from './words.ts';

/** One message with what happened to it. */
export function MessageCard({ message }: { message: DeskMessage }) {
	const { text, isCut, held, id, state, kind, isToPerson } = message;
	return (
		<article class="message" aria-label={authorName(message)}>
			<header class="row-top">
				<strong>{authorName(message)}</strong>
				<span class={`chip state-${state}`}>{messageState(message)}</span>
			</header>
			<p class="quiet">
				{[isToPerson && kind !== 'result' ? '' : kindWord(message), writtenAt(id), urgent(message)]
					.filter(Boolean)
					.join(' · ')}
			</p>
			<Markdown text={text} />
			<CodeLinks of={filesIn(message.folder, text)} />
			{isCut && <p class="quiet">{say(phrase`The text is longer. VS Code shows it whole.`)}</p>}
			{receiptWords(message).map(words => (
				<p class="quiet">{words}</p>
			))}
			{held !== undefined && (state === 'queued' || state === 'claimed') && (
				<p class="note">{say(phrase`held: ${held}`)}</p>
			)}
		</article>
	);
}

/** Whose words they are, as the seal says. */
function authorName({ author, folder }: DeskMessage): string {
	switch (author.is) {
		case 'human':
			return say(phrase`You`);
		case 'agent':
			return mailboxName(folder, author.worker) ?? author.driver ?? say(phrase`an agent`);
		case 'delegate': {
			const delegate = delegates.value.find(each => each.folder === folder && each.id === author.id);
			return say(phrase`Delegate: ${delegate?.title ?? author.id}`);
		}
		case 'nancy':
			return 'Nancy';
		case 'unknown':
			return say(phrase`Author unknown`);
	}
}

function urgent({ priority }: DeskMessage): string {
	return priority === 'urgent' ? say(phrase`urgent`) : '';
}

function receiptWords({ receipt, isToPerson }: DeskMessage): string[] {
	if (!receipt || isToPerson) return [];
	const { deliveredAt, event, tool, inContextAt, lost } = receipt;
	const place = [event, tool].filter(Boolean).join(' ');
	return [
		...(lost > 0 ? [say(phrase`Lost and queued again: ${lost}`)] : []),
		[
			say(phrase`delivered at ${place}, ${moment(deliveredAt)}`),
			inContextAt === undefined
				? say(phrase`not seen in the transcript yet`)
				: say(phrase`in context ${moment(inContextAt)}`),
		].join(' · '),
	];
}
