import { effect } from '@preact/signals';
import { render } from 'preact';
import { BrowserHost } from './browserHost.ts';
import { isOf } from './isOf.ts';
import { setHost } from './host.ts';
import { followHistory } from './nav.ts';
import { parsed } from './post.ts';
import { Shell } from './shell.tsx';
import { words } from './shapes.ts';
import { now, openQuestions, receive } from './store.ts';
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
host.open(receive);
setInterval(() => (now.value = Date.now()), TICK_MS);
effect(() => {
	const count = openQuestions.value.length;
	document.title = count === 0 ? 'Nancy' : `(${count}) Nancy`;
});
render(<Shell />, document.body);
