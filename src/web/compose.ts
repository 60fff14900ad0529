import { Draft, EMPTY_DRAFT, ToComposePage, type FromComposePage } from '../protocol/compose.ts';

/** The compose form in its webview: keeps the draft over reloads, sends it, and shows the result. */

declare function acquireVsCodeApi(): {
	postMessage(message: FromComposePage): void;
	getState(): unknown;
	setState(state: Draft): void;
};

type State = Extract<ToComposePage, { type: 'state' }>;

const vscode = acquireVsCodeApi();
const form = element('form', HTMLFormElement);
const text = element('text', HTMLTextAreaElement);
const urgent = element('urgent', HTMLInputElement);
const effect = element('effect', HTMLSelectElement);
const all = element('all', HTMLInputElement);
const send = element('send', HTMLButtonElement);
const cancel = element('cancel', HTMLButtonElement);
const status = element('status', HTMLElement);

let recipients: State['recipients'] = [];
let chosen = new Set<string>();
/** The draft that an edit has pushed aside; while there is one, the form edits a queued message. */
let aside: Draft | undefined;
let isBusy = false;

const stored = Draft.safeParse(vscode.getState());
fill(stored.success ? stored.data : EMPTY_DRAFT);

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
	if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
		event.preventDefault();
		submit();
	}
	if (event.key === 'Escape' && aside) endEdit();
});
all.addEventListener('change', () => {
	chosen = new Set(all.checked ? recipients.map(({ key }) => key) : []);
	showRecipients();
	changed();
});
cancel.addEventListener('click', () => endEdit());
vscode.postMessage({ type: 'ready' });

function receive(message: ToComposePage): void {
	switch (message.type) {
		case 'state':
			recipients = message.recipients;
			// The only recipient is chosen without a click, also after others are gone.
			if (recipients.length === 1 && !isAnyChosen()) chosen = new Set(recipients.map(({ key }) => key));
			showRecipients();
			showSent(message.sent);
			// A notice about a message to somebody who is gone is outdated.
			if (recipients.length === 0) say('');
			return;
		case 'address':
			if (message.to) chosen = new Set(message.to);
			showRecipients();
			changed();
			text.focus();
			return;
		case 'edit':
			aside ??= draft();
			fill(message.draft);
			showEditing(message.title);
			text.focus();
			return;
		case 'done':
			isBusy = false;
			if (aside) endEdit();
			else fill({ ...draft(), text: '', effect: 'none', priority: 'normal' });
			say(message.note);
			changed(message.note);
			return;
		case 'failed':
			isBusy = false;
			if (message.to) {
				chosen = new Set(message.to);
				showRecipients();
			}
			say(message.reason, true);
			send.disabled = false;
	}
}

function submit(): void {
	if (isBusy || send.disabled) return;
	isBusy = true;
	send.disabled = true;
	vscode.postMessage({ type: aside ? 'save' : 'send', draft: draft() });
}

function endEdit(): void {
	if (!aside) return;
	fill(aside);
	aside = undefined;
	showEditing(undefined);
	vscode.postMessage({ type: 'cancelEdit' });
	changed();
}

function draft(): Draft {
	const kind =
		form.querySelector<HTMLInputElement>('input[name=kind]:checked')?.value === 'feedback'
			? 'feedback'
			: 'directive';
	const wanted = effect.value === 'halt' || effect.value === 'pause' ? effect.value : 'none';
	return {
		to: [...chosen],
		kind,
		priority: urgent.checked ? 'urgent' : 'normal',
		// Feedback is read at a stop, where there is no tool to halt.
		effect: kind === 'feedback' ? 'none' : wanted,
		text: text.value,
	};
}

function fill(next: Draft): void {
	chosen = new Set(next.to);
	text.value = next.text;
	urgent.checked = next.priority === 'urgent';
	effect.value = next.effect;
	for (const radio of form.querySelectorAll<HTMLInputElement>('input[name=kind]'))
		radio.checked = radio.value === next.kind;
	showRecipients();
	changed();
}

/** After every change: keeps the draft, and updates the controls. */
function changed(note = ''): void {
	const now = draft();
	vscode.setState(aside ?? now);
	const somebody = aside !== undefined || isAnyChosen();
	send.disabled = isBusy || now.text.trim() === '' || !somebody;
	effect.disabled = now.kind === 'feedback';
	text.placeholder = text.dataset[now.kind] ?? '';
	if (note === '') say('');
}

/** Some chosen recipients may be gone. */
function isAnyChosen(): boolean {
	return recipients.some(({ key }) => chosen.has(key));
}

function say(words: string, isError = false): void {
	status.textContent = words;
	status.classList.toggle('error', isError);
}

function showEditing(title: string | undefined): void {
	const banner = element('editing', HTMLElement);
	banner.hidden = title === undefined;
	banner.textContent = title ?? '';
	cancel.hidden = title === undefined;
	element('to', HTMLElement).hidden = title !== undefined;
	send.textContent = (title === undefined ? send.dataset['send'] : send.dataset['save']) ?? '';
}

function showRecipients(): void {
	const focused = document.activeElement instanceof HTMLInputElement ? document.activeElement.value : undefined;
	const rows = recipients.map(recipient => {
		const box = document.createElement('input');
		box.type = 'checkbox';
		box.value = recipient.key;
		box.checked = chosen.has(recipient.key);
		box.addEventListener('change', () => {
			if (box.checked) chosen.add(recipient.key);
			else chosen.delete(recipient.key);
			showAll();
		});
		const row = document.createElement('label');
		row.append(box, span('name', recipient.label), span('quiet', recipient.detail));
		row.classList.toggle('ended', !recipient.isRunning);
		return row;
	});
	element('recipients', HTMLElement).replaceChildren(...rows);
	element('nobody', HTMLElement).hidden = recipients.length > 0;
	// The list is rebuilt whenever a worker's state changes. The keyboard focus must not be lost.
	if (focused !== undefined)
		form.querySelector<HTMLInputElement>(`#recipients input[value="${CSS.escape(focused)}"]`)?.focus();
	showAll();
}

function showAll(): void {
	element('all-row', HTMLElement).hidden = recipients.length < 2;
	const count = recipients.filter(({ key }) => chosen.has(key)).length;
	all.checked = count > 0 && count === recipients.length;
	all.indeterminate = count > 0 && count < recipients.length;
}

function showSent(sent: State['sent']): void {
	element('sent-section', HTMLElement).hidden = sent.length === 0;
	const rows = sent.map(({ to, text: words, state, detail }) => {
		const row = document.createElement('li');
		row.dataset['state'] = state;
		const body = document.createElement('span');
		body.append(span('words', words), span('quiet', `${to} · ${detail}`));
		const mark = span('mark', '');
		mark.setAttribute('aria-hidden', 'true');
		row.append(mark, body);
		return row;
	});
	element('sent', HTMLElement).replaceChildren(...rows);
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
