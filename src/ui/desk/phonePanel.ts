import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { env, l10n } from 'vscode';
import { escapeHtml } from '../kit/html.ts';
import { plain } from '../kit/plain.ts';

/** As long as the code is good, in milliseconds. */
const GOOD_MS = 2 * 60_000;

/** The command that shows a new code. */
const AGAIN = 'nancy.openDeskOnPhone';

/** The tab with the code for a phone's camera. It goes when the code is used, and offers a new one when it is too old. */
export class PhonePanel implements vscode.Disposable {
	private panel: vscode.WebviewPanel | undefined;
	private timer: NodeJS.Timeout | undefined;

	/** @param picture an SVG of Nancy's own making */
	show(picture: string, address: URL, port: number): void {
		this.hide();
		const title = l10n.t('Desk on a Phone');
		this.panel = vscode.window.createWebviewPanel('nancy.phone', title, vscode.ViewColumn.Active, {
			enableScripts: false,
			enableCommandUris: [AGAIN],
			localResourceRoots: [],
		});
		this.panel.webview.html = page(title, [
			`<div role="img" aria-label="${escapeHtml(title)}">${picture}</div>`,
			line(l10n.t('Point the phone’s camera at the code. It is good for one browser, within two minutes.')),
			line(l10n.t('{0} must lead to port {1} of this machine.', address.origin, port)),
		]);
		this.panel.onDidDispose(() => (this.panel = undefined));
		this.timer = setTimeout(() => this.expire(title), GOOD_MS);
		this.timer.unref();
	}

	private expire(title: string): void {
		if (!this.panel) return;
		this.panel.webview.html = page(title, [
			line(l10n.t('This code has expired.')),
			`<p><a href="command:${AGAIN}">${escapeHtml(l10n.t('New Code'))}</a></p>`,
		]);
	}

	hide(): void {
		clearTimeout(this.timer);
		this.panel?.dispose();
	}

	dispose(): void {
		this.hide();
	}
}

function line(text: string): string {
	return `<p>${escapeHtml(plain(text))}</p>`;
}

/** @param parts as HTML */
function page(title: string, parts: readonly string[]): string {
	const nonce = randomBytes(16).toString('base64url');
	return `<!doctype html>
<html lang="${escapeHtml(env.language)}">
<head>
	<meta charset="utf-8">
	<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'">
	<title>${escapeHtml(title)}</title>
	<style nonce="${nonce}">svg { display: block; width: 20rem; max-width: 100%; background: white }</style>
</head>
<body>
	<main>
		${parts.join('\n\t\t')}
	</main>
</body>
</html>`;
}
