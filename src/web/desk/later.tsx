import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { phrase } from '../../base/phrase.ts';
import { late, type Rooms } from './late.ts';
import { say } from './words.ts';

/** A part of a page that is closed at first, and loaded when it is opened. */
export function Later({ name, children }: { name: string; children: (rooms: Rooms) => ComponentChildren }) {
	const [isOpen, setOpen] = useState(false);
	return (
		<details class="later" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
			<summary>{name}</summary>
			{isOpen && <Loaded>{children}</Loaded>}
		</details>
	);
}

/** What the page's second file draws. */
export function Loaded({ children }: { children: (rooms: Rooms) => ComponentChildren }) {
	const rooms = late();
	return <>{rooms ? children(rooms) : <p class="quiet">{say(phrase`Loading …`)}</p>}</>;
}

/** The button that makes a picture of lines, as soon as it is loaded. */
export function ShareLater(of: { title: string; text: string; language: string }) {
	const Share = late()?.Share;
	return Share ? <Share {...of} /> : null;
}
