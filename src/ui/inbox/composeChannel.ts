import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { FromComposePage, type ToComposePage } from '../../protocol/compose.ts';
import type { Failures } from '../kit/failures.ts';
import { panelPage } from '../kit/panelPage.ts';
import { composeForm } from './composeForm.ts';

/** The compose page of the window, which comes and goes with its view, and the messages between it and the extension. */
export class ComposeChannel {
	private view: vscode.WebviewView | undefined;
	private ready = false;

	constructor(
		private readonly extensionUri: vscode.Uri,
		private readonly failures: Failures,
		private readonly receive: (message: FromComposePage) => Promise<void> | void,
	) {}

	get isReady(): boolean {
		return this.ready;
	}

	open(view: vscode.WebviewView): void {
		this.view = view;
		this.ready = false;
		const media = vscode.Uri.joinPath(this.extensionUri, 'media');
		view.webview.options = { enableScripts: true, localResourceRoots: [media] };
		view.webview.onDidReceiveMessage((message: unknown) => this.failures.background(this.take(message)));
		// VS Code throws the page of a hidden view away, and makes it anew when the view is shown.
		view.onDidChangeVisibility(() => {
			if (!view.visible) this.ready = false;
		});
		view.onDidDispose(() => {
			this.view = undefined;
			this.ready = false;
		});
		view.webview.html = panelPage(view.webview, {
			style: vscode.Uri.joinPath(media, 'compose.css'),
			script: vscode.Uri.joinPath(media, 'web', 'compose.js'),
			title: l10n.t('Compose'),
			body: composeForm(),
		});
	}

	/** A page that is not there yet is told everything when it is ready. */
	post(message: ToComposePage): void {
		if (this.view && this.ready) void this.view.webview.postMessage(message);
	}

	private async take(message: unknown): Promise<void> {
		const parsed = FromComposePage.parse(message);
		if (parsed.type === 'ready') this.ready = true;
		await this.receive(parsed);
	}
}
