import { l10n } from 'vscode';
import { escapeHtml } from '../kit/html.ts';

/** A drawing of lines on a square of 16. */
const icon = (d: string, className = '') =>
	`<svg${className === '' ? '' : ` class="${className}"`} viewBox="0 0 16 16" aria-hidden="true"><path d="${d}"/></svg>`;

/**
 * The compose form, as HTML. Its controls are native ones, except for the list of files, which has the roles that screen readers need. The list of
 * ways lies unseen over a few words: closed, it shows when the message is read instead of what is chosen.
 */
export function composeForm(): string {
	const send = process.platform === 'darwin' ? '⌘Enter' : 'Ctrl+Enter';
	const t = (text: string) => escapeHtml(text);
	const way = (value: string, name: string, words: string) =>
		`<option value="${value}" data-name="${t(name)}">${t(words)}</option>`;
	const placeholder = l10n.t('Message. Enter: new line. {0}: send. @: file.', send);
	return `
	<h1>${t(l10n.t('Compose'))}</h1>
	<form id="form" novalidate>
		<p id="banner" class="banner" hidden><span id="banner-words" role="status"></span><button type="button" id="drop" class="drop" aria-label="${t(l10n.t('Close'))}" title="${t(l10n.t('Close'))} (Escape)">×</button></p>
		<textarea id="text" aria-label="${t(l10n.t('Message'))}" aria-describedby="timing" aria-autocomplete="list" aria-haspopup="listbox" aria-controls="files" placeholder="${t(placeholder)}"></textarea>
		<ul id="files" role="listbox" aria-label="${t(l10n.t('Files'))}" hidden></ul>
		<div class="line">
			<button type="button" id="recipients" class="chip" aria-haspopup="dialog" data-to="${t(l10n.t('To:'))}"></button>
			<span id="way-look" class="chip">
				${icon('M2.5 8h10.5M9 4l4 4-4 4', 'none')}
				${icon('M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 0 0 0-11M4.2 4.2l7.6 7.6', 'halt')}
				${icon('M5.5 3v10M10.5 3v10', 'pause')}
				${icon('M2.5 3h11v7.5H8l-3 3v-3H2.5z', 'feedback')}
				<span id="way-name" aria-hidden="true"></span>
				<span id="when" aria-hidden="true"></span>
				<select id="way" aria-label="${t(l10n.t('Kind'))}" aria-describedby="timing">
					${way('none', l10n.t('Directive'), l10n.t('Directive'))}
					${way('halt', l10n.t('Block'), l10n.t('Directive: block the next tool call'))}
					${way('pause', l10n.t('Pause'), l10n.t('Directive: pause, end the turn'))}
					${way('feedback', l10n.t('Feedback'), l10n.t('Feedback: when it is done'))}
				</select>
			</span>
			<input type="checkbox" id="urgent" aria-label="${t(l10n.t('Urgent'))}" title="${t(l10n.t('Urgent'))}">
			<button type="submit" id="send" data-send="${t(l10n.t('Send'))}" data-save="${t(l10n.t('Save'))}" data-key="${send}">
				${icon('M2.5 2.5 14 8 2.5 13.5 4.5 8zM4.5 8H9', 'send')}
				${icon('M3 8.5 6.5 12 13 4.5', 'save')}
			</button>
		</div>
		<p id="timing" class="under"></p>
		<p id="note" class="under" role="status"></p>
	</form>
	<section id="sent-section" aria-labelledby="sent-heading" hidden>
		<h2 id="sent-heading">${t(l10n.t('Sent'))}</h2>
		<ul id="sent"></ul>
	</section>
	`;
}
