import { ToComposePage, type Draft, type FromComposePage, type Timing } from '../protocol/compose.ts';
import { FileList } from './compose/fileList.ts';

/** The compose form in its webview: holds what is written, tells of each change, and shows the outcome. */

declare function acquireVsCodeApi(): {
	postMessage(message: FromComposePage): void;
};

type State = Extract<ToComposePage, { type: 'state' }>;

const vscode = acquireVsCodeApi();
const form = element('form', HTMLFormElement);
const text = element('text', HTMLTextAreaElement);
const recipients = element('recipients', HTMLButtonElement);
const kind = element('kind', HTMLSelectElement);
const effect = element('effect', HTMLSelectElement);
const urgent = element('urgent', HTMLInputElement);
const send = element('send', HTMLButtonElement);
const timing = element('timing', HTMLElement);
const note = element('note', HTMLElement);

let state: State | undefined;
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
			state = message;
			showState(message);
			return;
		case 'fill':
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
			update();
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
	return {
		kind: kind.value === 'feedback' ? 'feedback' : 'directive',
		priority: urgent.checked ? 'urgent' : 'normal',
		effect: effect.value === 'halt' || effect.value === 'pause' ? effect.value : 'none',
		text: text.value,
	};
}

function fill(next: Draft): void {
	text.value = next.text;
	kind.value = next.kind;
	effect.value = next.effect;
	urgent.checked = next.priority === 'urgent';
	update();
}

/** After the user's own changes. */
function changed(): void {
	say('');
	update();
	vscode.postMessage({ type: 'draft', filling, draft: draft() });
}

function showState(now: State): void {
	element('banner', HTMLElement).hidden = now.banner === undefined;
	const words = element('banner-words', HTMLElement);
	words.textContent = now.banner ?? '';
	words.title = now.banner ?? '';
	// Of a long name the title is cut. The worker's own name stays whole.
	const [title = '', worker = ''] = now.recipients.split(/(?= · [a-z][a-z0-9-]{0,31}$)/);
	recipients.replaceChildren(span('cut', title), span('whole', worker));
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
	send.textContent = (isEdit ? send.dataset['save'] : send.dataset['send']) ?? '';
	text.readOnly = isBusy;
	recipients.disabled = isEdit;
	// Feedback is read at a stop, where there is no tool to block.
	effect.disabled = now.kind === 'feedback';
	const words: Timing | undefined = state?.timing[now.kind === 'feedback' ? 'feedback' : now.effect];
	timing.textContent = words?.text ?? '';
	timing.title = words?.text ?? '';
	timing.classList.toggle('held', words?.isHeld === true);
}

/** An outcome stands in place of the timing, until something is typed. */
function say(words: string, isError = false): void {
	note.textContent = words;
	note.title = words;
	note.classList.toggle('error', isError);
	timing.hidden = words !== '';
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
