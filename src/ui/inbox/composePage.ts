import { env, l10n } from 'vscode';
import { escapeHtml } from '../kit/html.ts';

interface PageParts {
	cspSource: string;
	nonce: string;
	script: string;
	style: string;
}

/** The compose form. Its controls are native ones, except for the list of files, which has the roles that screen readers need. */
export function composePage({ cspSource, nonce, script, style }: PageParts): string {
	const send = process.platform === 'darwin' ? '⌘Enter' : 'Ctrl+Enter';
	const t = (text: string) => escapeHtml(text);
	const placeholder = l10n.t('Message. Enter: new line. {0}: send. @: file.', send);
	return `<!doctype html>
<html lang="${t(env.language)}">
<head>
	<meta charset="utf-8">
	<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${cspSource}; script-src 'nonce-${nonce}'">
	<meta name="viewport" content="width=device-width, initial-scale=1">
	<link rel="stylesheet" href="${style}">
	<title>${t(l10n.t('Compose'))}</title>
</head>
<body>
	<main>
	<h1>${t(l10n.t('Compose'))}</h1>
	<form id="form" novalidate>
		<p id="banner" class="banner" hidden><span id="banner-words" role="status"></span><button type="button" id="drop" class="drop" aria-label="${t(l10n.t('Close'))}" title="${t(l10n.t('Close'))} (Escape)">×</button></p>
		<textarea id="text" aria-label="${t(l10n.t('Message'))}" aria-describedby="timing" aria-autocomplete="list" aria-haspopup="listbox" aria-controls="files" placeholder="${t(placeholder)}"></textarea>
		<ul id="files" role="listbox" aria-label="${t(l10n.t('Files'))}" hidden></ul>
		<div class="line">
			<div class="group">
				<button type="button" id="recipients" class="secondary" aria-haspopup="dialog"></button>
				<select id="kind" aria-label="${t(l10n.t('Kind'))}">
					<option value="directive">${t(l10n.t('Directive'))}</option>
					<option value="feedback">${t(l10n.t('Feedback'))}</option>
				</select>
			</div>
			<div class="group">
				<select id="effect" aria-label="${t(l10n.t('Effect'))}">
					<option value="none">${t(l10n.t("Don't interrupt"))}</option>
					<option value="halt">${t(l10n.t('Block the next tool call'))}</option>
					<option value="pause">${t(l10n.t('Pause: end the turn'))}</option>
				</select>
				<label class="urgent"><input type="checkbox" id="urgent"><span>${t(l10n.t('Urgent'))}</span></label>
				<button type="submit" id="send" data-send="${t(l10n.t('Send'))}" data-save="${t(l10n.t('Save'))}" title="${send}">${t(l10n.t('Send'))}</button>
			</div>
		</div>
		<p id="timing" class="under"></p>
		<p id="note" class="under" role="status"></p>
	</form>
	<section id="sent-section" aria-labelledby="sent-heading" hidden>
		<h2 id="sent-heading">${t(l10n.t('Sent'))}</h2>
		<ul id="sent"></ul>
	</section>
	</main>
	<script type="module" nonce="${nonce}" src="${script}"></script>
</body>
</html>`;
}
