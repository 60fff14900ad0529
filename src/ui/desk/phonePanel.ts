import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { env, l10n } from 'vscode';
import { escapeHtml } from '../kit/html.ts';
import { plain } from '../kit/plain.ts';

/** As long as the code is good, in milliseconds. */
const GOOD_MS = 2 * 60_000;

/** The tab with the code for a phone's camera. It goes when the code is used or too old. */
export class PhonePanel implements vscode.Disposable {
	private panel: vscode.WebviewPanel | undefined;
	private timer: NodeJS.Timeout | undefined;

	/** @param picture an SVG of Nancy's own making */
	show(picture: string, address: URL, port: number): void {
		this.hide();
		const title = l10n.t('Desk on a Phone');
		this.panel = vscode.window.createWebviewPanel('nancy.phone', title, vscode.ViewColumn.Active, {
			enableScripts: false,
			localResourceRoots: [],
		});
		this.panel.webview.html = page(picture, title, [
			l10n.t('Point the phone’s camera at the code. It is good for one browser, within two minutes.'),
			l10n.t('{0} must lead to port {1} of this machine.', address.origin, port),
		]);
		this.panel.onDidDispose(() => (this.panel = undefined));
		this.timer = setTimeout(() => this.hide(), GOOD_MS);
		this.timer.unref();
	}

	hide(): void {
		clearTimeout(this.timer);
		this.panel?.dispose();
	}

	dispose(): void {
		this.hide();
	}
}

function page(picture: string, title: string, lines: readonly string[]): string {
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
		<div role="img" aria-label="${escapeHtml(title)}">${picture}</div>
		${lines.map(line => `<p>${escapeHtml(plain(line))}</p>`).join('\n\t\t')}
	</main>
</body>
</html>`;
}
