import {
	ToComposePage,
	type ComposeState,
	type Draft,
	type FromComposePage,
	type Timing,
} from '../protocol/compose.ts';
import { FileList } from './compose/fileList.ts';

/** The compose form in its webview: holds what is written, tells of each change, and shows the outcome. */

declare function acquireVsCodeApi(): {
	postMessage(message: FromComposePage): void;
};

const vscode = acquireVsCodeApi();
const form = element('form', HTMLFormElement);
const text = element('text', HTMLTextAreaElement);
const recipients = element('recipients', HTMLButtonElement);
const way = element('way', HTMLSelectElement);
const urgent = element('urgent', HTMLInputElement);
const send = element('send', HTMLButtonElement);
const when = element('when', HTMLElement);
const timing = element('timing', HTMLElement);
const note = element('note', HTMLElement);

let state: ComposeState | undefined;
/** The form holds a queued message. */
let isEdit = false;
let filling = 0;
let isBusy = false;

const files = new FileList(
	text,
	element('files', HTMLElement),
	query => vscode.postMessage({ type: 'files', query }),
	() => changed(),
);

window.addEventListener('message', (event: MessageEvent<unknown>) => {
	const message = ToComposePage.safeParse(event.data);
	if (message.success) receive(message.data);
});
form.addEventListener('submit', event => {
	event.preventDefault();
	submit();
});
form.addEventListener('input', () => changed());
form.addEventListener('keydown', event => {
	// The key is for the input method: Escape ends its composition, not the reply.
	if (event.isComposing) return;
	const isForList = event.target === text && files.takeKey(event);
	if (isForList) event.preventDefault();
	else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
		event.preventDefault();
		submit();
	} else if (event.key === 'Escape' && state?.banner !== undefined) vscode.postMessage({ type: 'drop' });
});
recipients.addEventListener('click', () => vscode.postMessage({ type: 'choose' }));
element('drop', HTMLElement).addEventListener('click', () => {
	vscode.postMessage({ type: 'drop' });
	text.focus();
});
vscode.postMessage({ type: 'ready' });

function receive(message: ToComposePage): void {
	switch (message.type) {
		case 'state':
			showState(message.state);
			return;
		case 'fill':
			showState(message.state);
			({ isEdit, filling } = message);
			// The outcome that the page may wait for is of another content.
			isBusy = false;
			fill(message.draft);
			return;
		case 'focus':
			text.focus();
			return;
		case 'note':
			if (message.filling === filling) isBusy = false;
			say(message.text, message.isError);
			return;
		case 'files':
			files.show(message.query, message.files);
	}
}

function submit(): void {
	if (isBusy || send.disabled || !state) return;
	isBusy = true;
	update();
	vscode.postMessage({ type: 'submit', filling, to: state.to, draft: draft() });
}

function draft(): Draft {
	const chosen = chosenWay();
	return {
		...(chosen === 'feedback' ? { kind: chosen, effect: 'none' } : { kind: 'directive', effect: chosen }),
		priority: urgent.checked ? 'urgent' : 'normal',
		text: text.value,
	};
}

/** Feedback is read when the agent is done, where there is no tool to block: it has no effect. */
function chosenWay(): keyof ComposeState['timing'] {
	const { value } = way;
	return value === 'halt' || value === 'pause' || value === 'feedback' ? value : 'none';
}

function fill(next: Draft): void {
	text.value = next.text;
	way.value = next.kind === 'feedback' ? 'feedback' : next.effect;
	urgent.checked = next.priority === 'urgent';
	update();
}

/** After the user's own changes. */
function changed(): void {
	say('');
	vscode.postMessage({ type: 'draft', filling, draft: draft() });
}

function showState(now: ComposeState): void {
	state = now;
	element('banner', HTMLElement).hidden = now.banner === undefined;
	const words = element('banner-words', HTMLElement);
	words.textContent = now.banner ?? '';
	words.title = now.banner ?? '';
	// The title of a long name is cut first.
	const [title = '', worker = ''] = now.recipients.split(/(?= · [a-z][a-z0-9-]{0,31}$)/);
	const to = now.everybody === '' ? '' : `${recipients.dataset['to'] ?? ''} `;
	recipients.replaceChildren(span('to', to), span('title', title), span('worker', worker));
	recipients.title = now.everybody === '' ? now.recipients : now.everybody;
	const rows = now.sent.map(({ to, text: content, state: mark, detail }) => {
		const row = document.createElement('li');
		row.dataset['state'] = mark;
		const body = document.createElement('span');
		const under = span('quiet', `${detail} · ${to}`);
		// Long titles are cut.
		under.title = under.textContent ?? '';
		body.append(span('words', content), under);
		const dot = span('mark', '');
		dot.ariaHidden = 'true';
		row.append(dot, body);
		return row;
	});
	element('sent', HTMLElement).replaceChildren(...rows);
	element('sent-section', HTMLElement).hidden = rows.length === 0;
	update();
}

/** The controls, as the content and the recipients are. */
function update(): void {
	const now = draft();
	const hasReader = isEdit || (state !== undefined && state.to.length > 0);
	send.disabled = isBusy || now.text.trim() === '' || !hasReader;
	send.ariaLabel = (isEdit ? send.dataset['save'] : send.dataset['send']) ?? '';
	send.title = `${send.ariaLabel} (${send.dataset['key'] ?? ''})`;
	send.classList.toggle('saves', isEdit);
	text.readOnly = isBusy;
	recipients.disabled = isEdit;
	showTiming(state?.timing[chosenWay()]);
}

/** In few words beside the kind. The sentence is there to be read if they do not say it all. */
function showTiming(now: Timing | undefined): void {
	const chosen = way.selectedOptions[0];
	element('way-look', HTMLElement).dataset['way'] = chosenWay();
	element('way-name', HTMLElement).textContent = chosen?.dataset['name'] ?? '';
	when.textContent = now?.short ?? '';
	when.classList.toggle('held', now?.isHeld === true);
	way.title = [chosen?.text, now?.text].filter(Boolean).join('\n');
	timing.textContent = now?.text ?? '';
	timing.title = now?.text ?? '';
	timing.classList.toggle('held', now?.isHeld === true);
	timing.hidden = now?.isPlain !== false || note.textContent !== '';
}

/** An outcome stands in place of the timing, until something is typed. */
function say(words: string, isError = false): void {
	note.textContent = words;
	note.title = words;
	note.classList.toggle('error', isError);
	update();
}

function span(className: string, content: string): HTMLSpanElement {
	const made = document.createElement('span');
	made.className = className;
	made.textContent = content;
	return made;
}

function element<T extends HTMLElement>(id: string, type: new () => T): T {
	const found = document.getElementById(id);
	if (!(found instanceof type)) throw new Error(`the page has no ${id}`);
	return found;
}
