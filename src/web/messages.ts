import { ToMessagePage, type FromMessagePage, type ShownMessage } from '../protocol/messagePage.ts';
import { markdownTree, type Piece } from './page/markdownTree.ts';
import { element } from './page/element.ts';

/** The page that shows one message, or a conversation. It makes every element itself: no text becomes HTML. */

declare function acquireVsCodeApi(): {
	postMessage(message: FromMessagePage): void;
};

const vscode = acquireVsCodeApi();
const main = document.querySelector('main');
let labelOfSteps = '';
let shown = '';

window.addEventListener('message', (event: MessageEvent<unknown>) => {
	const page = ToMessagePage.safeParse(event.data);
	if (page.success) show(page.data);
});
vscode.postMessage({ type: 'ready' });

function show({ about, title, note, stepsLabel, messages }: ToMessagePage): void {
	labelOfSteps = stepsLabel;
	const isSame = about === shown;
	shown = about;
	const focused = isSame && document.activeElement instanceof HTMLElement ? document.activeElement.id : '';
	const scrolled = isSame ? document.documentElement.scrollTop : 0;
	document.title = title;
	main?.replaceChildren(
		element('h1', [title]),
		...(note === '' ? [] : [element('p', [note], 'note')]),
		...messages.map(each => article(each)),
	);
	document.documentElement.scrollTop = scrolled;
	if (focused !== '') document.getElementById(focused)?.focus();
}

function article(message: ShownMessage): HTMLElement {
	const text = element('div', markdownTree(message.text).map(nodeOf), 'text');
	const steps = element(
		'ol',
		message.steps.map(({ time, words }) => element('li', [element('span', [time], 'time'), ' ', words])),
		'steps',
	);
	steps.setAttribute('aria-label', labelOfSteps);
	const made = element('article', [
		element('h2', [message.heading]),
		element('p', [message.facts], 'facts'),
		text,
		steps,
		element(
			'div',
			message.acts.map(act => button(message, act)),
			'acts',
		),
	]);
	made.setAttribute('aria-label', message.heading);
	return made;
}

function button({ key }: ShownMessage, { act, label }: ShownMessage['acts'][number]): HTMLElement {
	const made = element('button', [label]);
	made.id = `${act} ${key}`;
	made.setAttribute('type', 'button');
	made.addEventListener('click', () => vscode.postMessage({ type: 'act', act, key }));
	return made;
}

function nodeOf(piece: Piece): Node {
	return typeof piece === 'string' ? document.createTextNode(piece) : element(piece.tag, piece.children.map(nodeOf));
}
