import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { env } from 'vscode';
import { escapeHtml } from './html.ts';

interface PanelPage {
	/** The folder of what comes with Nancy. */
	media: vscode.Uri;
	/** The name of the page's program and style there. */
	name: string;
	title: string;
}

/** The page of a tab. Nothing loads or runs in it but the program and the style that come with Nancy. */
export function panelPage(webview: vscode.Webview, { media, name, title }: PanelPage): string {
	const nonce = randomBytes(16).toString('base64url');
	const uri = (...path: string[]) => String(webview.asWebviewUri(vscode.Uri.joinPath(media, ...path)));
	return `<!doctype html>
<html lang="${escapeHtml(env.language)}">
<head>
	<meta charset="utf-8">
	<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'">
	<meta name="viewport" content="width=device-width, initial-scale=1">
	<link rel="stylesheet" href="${uri(`${name}.css`)}">
	<title>${escapeHtml(title)}</title>
</head>
<body>
	<main></main>
	<script type="module" nonce="${nonce}" src="${uri('web', `${name}.js`)}"></script>
</body>
</html>`;
}
