import { effect, untracked } from '@preact/signals';
import { render } from 'preact';
import { BrowserHost } from './browserHost.ts';
import { isOf } from './isOf.ts';
import { setHost } from './host.ts';
import { loadFrom } from './late.ts';
import { followHistory } from './nav.ts';
import { parsed } from './post.ts';
import { Shell } from './shell.tsx';
import { words } from './shapes.ts';
import { notify, takeBack } from './notices.ts';
import { announced, now, openQuestions, receive } from './store.ts';
import { speak } from './words.ts';

/** The desk's page in a browser. It makes every element itself: no text becomes HTML. */

const TICK_MS = 5000;

const translations = parsed(document.getElementById('words')?.textContent ?? '');
const language = navigator.language.split('-')[0] ?? '';
if (isOf(words, translations)) {
	const own = translations[language];
	if (own) {
		speak(own);
		document.documentElement.lang = language;
	}
}
followHistory();
const host = new BrowserHost();
setHost(host);
loadFrom(() => import('./rooms.ts'));
host.open(receive);
setInterval(() => (now.value = Date.now()), TICK_MS);
effect(() => {
	const count = openQuestions.value.length;
	document.title = count === 0 ? 'Nancy' : `(${count}) Nancy`;
	if (count === 0) void takeBack();
});
effect(() => {
	const asked = announced.value;
	void untracked(() => notify(asked));
});
document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && void takeBack());
render(<Shell />, document.body);
