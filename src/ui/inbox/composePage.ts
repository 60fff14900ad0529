import { l10n } from 'vscode';

interface PageParts {
	cspSource: string;
	nonce: string;
	script: string;
	style: string;
}

/** The compose form. Every control is a native one, so the keyboard and screen readers need nothing from us. */
export function composePage({ cspSource, nonce, script, style }: PageParts): string {
	const isMac = process.platform === 'darwin';
	const t = (text: string) => escapeHtml(text);
	return `<!doctype html>
<html lang="en">
<head>
	<meta charset="utf-8">
	<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${cspSource}; script-src 'nonce-${nonce}'">
	<meta name="viewport" content="width=device-width, initial-scale=1">
	<link rel="stylesheet" href="${style}">
	<title>${t(l10n.t('Compose'))}</title>
</head>
<body>
	<form id="form" novalidate>
		<p id="editing" class="editing" role="status" hidden></p>
		<fieldset id="to" class="to">
			<legend>${t(l10n.t('To'))}</legend>
			<label class="all" id="all-row" hidden><input type="checkbox" id="all"> <span>${t(l10n.t('All workers'))}</span></label>
			<div id="recipients"></div>
			<p id="nobody" class="quiet">${t(l10n.t('No worker yet. Start a task to have somebody to write to.'))}</p>
		</fieldset>
		<label class="unseen" for="text">${t(l10n.t('Message'))}</label>
		<textarea id="text" rows="4" data-directive="${t(l10n.t('Read at the next tool call, while the agent works'))}" data-feedback="${t(l10n.t('Read when the agent would stop, and keeps it going'))}"></textarea>
		<div class="foot">
			<div class="options">
				<fieldset class="kinds">
					<legend class="unseen">${t(l10n.t('When it is read'))}</legend>
					<label><input type="radio" name="kind" value="directive" checked> <span>${t(l10n.t('Directive'))}</span></label>
					<label><input type="radio" name="kind" value="feedback"> <span>${t(l10n.t('Feedback'))}</span></label>
				</fieldset>
				<label class="urgent"><input type="checkbox" id="urgent"> <span>${t(l10n.t('Urgent'))}</span></label>
			</div>
			<div class="buttons">
				<label class="effect"><span class="unseen">${t(l10n.t('What else it does'))}</span>
					<select id="effect">
						<option value="none">${t(l10n.t('Just tell'))}</option>
						<option value="halt">${t(l10n.t('Halt: read it before the tool runs'))}</option>
						<option value="pause">${t(l10n.t('Pause: end the turn'))}</option>
					</select>
				</label>
				<button type="button" id="cancel" class="secondary" hidden>${t(l10n.t('Cancel'))}</button>
				<button type="submit" id="send" data-send="${t(l10n.t('Send'))}" data-save="${t(l10n.t('Save'))}" title="${isMac ? '⌘' : 'Ctrl+'}Enter">${t(l10n.t('Send'))}</button>
			</div>
		</div>
		<p id="status" class="status" role="status" aria-live="polite"></p>
	</form>
	<section id="sent-section" aria-labelledby="sent-heading" hidden>
		<h2 id="sent-heading">${t(l10n.t('Sent'))}</h2>
		<ul id="sent"></ul>
	</section>
	<script type="module" nonce="${nonce}" src="${script}"></script>
</body>
</html>`;
}

function escapeHtml(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
