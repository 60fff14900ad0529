import { render } from 'preact';
import { phrase } from '../base/phrase.ts';
import { highlight } from './desk/highlight.ts';
import { setHost } from './desk/host.ts';
import { loadFrom } from './desk/late.ts';
import { PanelHost } from './desk/panelHost.ts';
import { QuestionPage } from './desk/questionPage.tsx';
import { now, receive } from './desk/store.ts';
import { say } from './desk/words.ts';

/** The desk's page in a tab of VS Code: one question, whole. The sidebar has the rest. */

const TICK_MS = 5000;

const host = new PanelHost();
setHost(host);
loadFrom(async () => ({ highlight }));
host.open(receive);
setInterval(() => (now.value = Date.now()), TICK_MS);
const main = document.querySelector('main');
if (main) render(<Tab />, main);

function Tab() {
	const shown = host.shown.value;
	if (!shown) return null;
	const { id, terminal, hasNext } = shown;
	return (
		<QuestionPage
			key={id}
			item={id}
			where={whereWords(terminal)}
			acts={[
				...(terminal === 'here'
					? [{ label: say(phrase`Go to the Terminal`), act: () => host.say({ type: 'terminal' }) }]
					: []),
				...(hasNext ? [{ label: say(phrase`Next Question`), act: () => host.say({ type: 'next' }) }] : []),
			]}
		/>
	);
}

function whereWords(terminal: 'here' | 'elsewhere' | 'none'): string {
	switch (terminal) {
		case 'here':
			return say(phrase`Its terminal is open in this window.`);
		case 'elsewhere':
			return say(phrase`Its terminal is not in this window.`);
		case 'none':
			return '';
	}
}
