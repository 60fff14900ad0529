import { randomBytes } from 'node:crypto';
import type * as vscode from 'vscode';
import { env } from 'vscode';
import { escapeHtml } from './html.ts';

interface PanelPage {
	/** The style and the program come with Nancy. */
	style: vscode.Uri;
	script: vscode.Uri;
	title: string;
	/** HTML of Nancy's own making. Without it, the program draws everything. */
	body?: string;
}

/** The page of a tab or a view. Nothing loads or runs in it but the program and the style that come with Nancy. */
export function panelPage(webview: vscode.Webview, { style, script, title, body = '' }: PanelPage): string {
	const nonce = randomBytes(16).toString('base64url');
	const uri = (file: vscode.Uri) => String(webview.asWebviewUri(file));
	return `<!doctype html>
<html lang="${escapeHtml(env.language)}">
<head>
	<meta charset="utf-8">
	<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'; require-trusted-types-for 'script'; trusted-types 'none'">
	<meta name="viewport" content="width=device-width, initial-scale=1">
	<link rel="stylesheet" href="${uri(style)}">
	<title>${escapeHtml(title)}</title>
</head>
<body>
	<main>${body}</main>
	<script type="module" nonce="${nonce}" src="${uri(script)}"></script>
</body>
</html>`;
}
