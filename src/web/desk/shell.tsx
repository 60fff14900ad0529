import type { ComponentType } from 'preact';
import { phrase, type Phrase } from '../../base/phrase.ts';
import { AgentsView } from './agentsView.tsx';
import { DelegatesView } from './delegatesView.tsx';
import { DeskView } from './deskView.tsx';
import { headingOf } from './domainWords.ts';
import { link, type Link } from './host.ts';
import { InboxView } from './inboxView.tsx';
import { Loaded } from './later.tsx';
import { ALL, go, place, type View } from './nav.ts';
import { announced, delegates, openQuestions, state, unread } from './store.ts';
import { say } from './words.ts';

interface Room {
	view: View;
	name: Phrase;
	/** The outline of its sign, in a square of 24. */
	sign: string;
	content: ComponentType;
	count: () => number;
}

const ROOMS: readonly Room[] = [
	{
		view: 'desk',
		name: phrase`Questions`,
		sign: 'M4 5h16v11H11l-5 4v-4H4z M9.6 9.2a2.4 2.4 0 1 1 3.4 2.2c-.7.3-1 .7-1 1.3 M12 14.2v.1',
		content: DeskView,
		count: () => openQuestions.value.length,
	},
	{
		view: 'agents',
		name: phrase`Agents`,
		sign: 'M5 9h14v10H5z M12 9V5 M9 13.5v1 M15 13.5v1 M2.5 13v3 M21.5 13v3',
		content: AgentsView,
		count: () => 0,
	},
	{
		view: 'delegates',
		name: phrase`Delegates`,
		sign: 'M6 4v10a4 4 0 0 0 4 4h8 M6 9h12 M15 6l3 3-3 3 M15 15l3 3-3 3',
		content: DelegatesView,
		count: () => delegates.value.filter(each => each.state === 'running').length,
	},
	{
		view: 'inbox',
		name: phrase`Inbox`,
		sign: 'M4 13l3-8h10l3 8v6H4z M4 13h5l1.5 2.5h3L15 13h5',
		content: InboxView,
		count: () => unread.value,
	},
	{
		view: 'code',
		name: phrase`Code`,
		sign: 'M8 7l-5 5 5 5 M16 7l5 5-5 5 M14 4l-4 16',
		content: () => <Loaded>{rooms => rooms.CodeRoom && <rooms.CodeRoom />}</Loaded>,
		count: () => 0,
	},
	{
		view: 'allowed',
		name: phrase`Allowed`,
		sign: 'M12 3l8 3v6c0 4.5-3.2 7.5-8 9-4.8-1.5-8-4.5-8-9V6z M8.5 12l2.5 2.5 4.5-5',
		content: () => <Loaded>{rooms => rooms.AllowedRoom && <rooms.AllowedRoom />}</Loaded>,
		count: () => 0,
	},
];

/** The page around what is looked at. Nothing of a server that has not proved itself is drawn. */
export function Shell() {
	const now = link.value;
	if (now.is !== 'live' && now.is !== 'lost' && !(now.is === 'connecting' && state.value))
		return (
			<main class="gate">
				<h1>Nancy</h1>
				<Gate link={now} />
			</main>
		);
	const room = ROOMS.find(({ view }) => view === place.value.view) ?? ROOMS[0];
	const Content = room?.content ?? DeskView;
	return (
		<div class="shell">
			<header class="bar">
				<span class="brand">Nancy</span>
				{Boolean(place.value.item) && (
					<button
						type="button"
						class={`button back ${place.value.view}`}
						onClick={() => go({ ...place.value, item: place.value.view === 'desk' ? ALL : undefined })}
					>
						{say(phrase`All`)}
					</button>
				)}
				<span class={`link ${now.is}`} role="status">
					<span class="dot" aria-hidden="true" />
					{now.is === 'live' ? say(phrase`connected`) : say(phrase`connection lost, trying again`)}
				</span>
			</header>
			<nav aria-label={say(phrase`Views`)}>
				{ROOMS.map(({ view, name, sign, count }) => (
					<button
						key={view}
						type="button"
						aria-current={view === place.value.view ? 'page' : undefined}
						onClick={() => go({ view, item: undefined })}
					>
						<svg viewBox="0 0 24 24" aria-hidden="true">
							<path d={sign} />
						</svg>
						<span>{say(name)}</span>
						{count() > 0 && <span class={`count ${view}`}>{count()}</span>}
					</button>
				))}
			</nav>
			<main>{state.value ? <Content /> : <p class="quiet">{say(phrase`Loading …`)}</p>}</main>
			<p class="unseen" aria-live="polite">
				{announced.value.map(question => say(phrase`New question: ${headingOf(question)}`)).join('. ')}
			</p>
		</div>
	);
}

function Gate({ link: now }: { link: Link }) {
	switch (now.is) {
		case 'unpaired':
			return (
				<p>
					{say(
						phrase`This browser is not let in. Open the desk again: in VS Code by “Open the Desk in a Browser”, in a terminal by “nancy serve”.`,
					)}
				</p>
			);
		case 'asking':
			return (
				<>
					<p>{say(phrase`At the computer, compare this number and let this device in:`)}</p>
					<p class="compare">{now.number}</p>
				</>
			);
		case 'over':
			return (
				<>
					<p>{endWords(now.reason)}</p>
					{now.reason === 'reload' && (
						<button type="button" class="button" onClick={() => location.reload()}>
							{say(phrase`Load the Page Anew`)}
						</button>
					)}
				</>
			);
		default:
			return <p class="quiet">{say(phrase`Connecting …`)}</p>;
	}
}

function endWords(reason: Extract<Link, { is: 'over' }>['reason']): string {
	switch (reason) {
		case 'reload':
			return say(phrase`Nancy was updated. Load this page anew.`);
		case 'unknown':
			return say(phrase`Nancy does not know this browser any more. Let it in again at the computer.`);
		case 'revoked':
			return say(phrase`This device was taken out. Let it in again at the computer.`);
		case 'stopped':
			return say(phrase`The desk was closed at the computer. Open it again there.`);
		case 'refused':
			return say(phrase`This device was not let in.`);
		case 'expired':
			return say(
				phrase`The code has expired, or was used. Take a new one at the computer: in VS Code by “Open the Desk in a Browser”, in a terminal by Enter in “nancy serve”.`,
			);
		case 'foreign':
			return say(
				phrase`This is not Nancy’s desk any more: another program answers here. Open the desk again at the computer.`,
			);
		case 'slow':
			return say(phrase`The connection was lost.`);
	}
}
