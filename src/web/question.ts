import { ToQuestionPage, type FromQuestionPage, type Live, type ShownQuestion } from '../protocol/questionPage.ts';
import { element } from './page/element.ts';
import { AnswerForm } from './question/answerForm.ts';

/** The page that shows one question whole. It makes every element itself: no text becomes HTML. */

declare function acquireVsCodeApi(): {
	postMessage(message: FromQuestionPage): void;
	getState(): unknown;
	setState(state: unknown): void;
};

/** For how long a new question takes no answer: what the hand was about to press was for another one. In milliseconds. */
const INERT_MS = 400;

const vscode = acquireVsCodeApi();
const main = document.querySelector('main');
const state = element('p', [], 'state');
state.setAttribute('role', 'status');
const facts = element('p', [], 'facts');
const terminal = button('terminal');
const next = button('next');
const bar = element('footer', [state, facts, element('div', [terminal, next], 'acts')]);
let form: AnswerForm | undefined;
/** Parts of requests shown so far: each has an id of its own. */
let parts = 0;

window.addEventListener('message', (event: MessageEvent<unknown>) => {
	const message = ToQuestionPage.safeParse(event.data).data;
	if (message?.type === 'question') show(message);
	else if (message?.type === 'live') update(message);
	else if (message) main?.replaceChildren(element('h1', [message.says]));
});
vscode.postMessage({ type: 'ready' });

function show(question: ShownQuestion): void {
	const heading = element('h1', [question.heading]);
	heading.tabIndex = -1;
	document.title = question.heading;
	const made = new AnswerForm(question, vscode);
	form = made;
	made.setInert(true);
	setTimeout(() => made.setInert(false), INERT_MS);
	main?.replaceChildren(
		heading,
		element(
			'dl',
			question.facts.flatMap(({ name, value }) => [element('dt', [name]), element('dd', [value])]),
		),
		...(question.note === '' ? [] : [element('p', [question.note], 'note')]),
		...block(question.words.body, question.body, question.bodyIs),
		...question.also.flatMap(({ name, value }) => block(name, value, 'text')),
		made.element,
		bar,
	);
	document.documentElement.scrollTop = 0;
	// Never a button: a key that was meant for something else would press it.
	if (document.hasFocus()) heading.focus();
}

function update(live: Live): void {
	form?.setOpen(live.isOpen);
	say(state, live.state);
	say(facts, live.facts);
	name(terminal, live.terminal);
	name(next, live.next);
}

function block(name: string, text: string, is: ShownQuestion['bodyIs']): HTMLElement[] {
	if (text === '') return [];
	const heading = element('h2', [name]);
	heading.id = `part-${++parts}`;
	const shown = element('pre', is === 'diff' ? text.split('\n').map(diffLine) : [text], is);
	shown.setAttribute('aria-labelledby', heading.id);
	shown.setAttribute('role', 'region');
	return [heading, shown];
}

/** The sign at its beginning says the same as the colour. */
function diffLine(line: string): HTMLElement {
	return element('span', [`${line}\n`], line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : '');
}

function button(type: 'terminal' | 'next'): HTMLElement {
	const made = element('button', []);
	made.setAttribute('type', 'button');
	made.addEventListener('click', () => vscode.postMessage({ type }));
	return made;
}

function name(made: HTMLElement, label: string): void {
	made.hidden = label === '';
	say(made, label);
}

/** A screen reader speaks what is written anew. */
function say(made: HTMLElement, words: string): void {
	if (made.textContent !== words) made.textContent = words;
}
