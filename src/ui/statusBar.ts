import * as vscode from 'vscode';
import { l10n } from 'vscode';
import type { Folders } from './folders.ts';
import { needsOf, type Needs } from './needs.ts';
import { waitingSentence } from './words.ts';

/** `2 queued · 1 waiting`: what is on its way and what needs you. Hidden when there is nothing. */
export class StatusBar implements vscode.Disposable {
	private readonly item = vscode.window.createStatusBarItem('needs', vscode.StatusBarAlignment.Left, 10);
	private readonly following: vscode.Disposable;

	constructor(private readonly folders: Folders) {
		this.item.name = l10n.t('Nancy: Messages and Questions');
		this.item.command = 'nancy.showAttention';
		this.following = folders.onDidChange(() => this.show());
		this.show();
	}

	dispose(): void {
		this.following.dispose();
		this.item.dispose();
	}

	private show(): void {
		const needs = needsOf(this.folders);
		const parts = statusParts(needs);
		if (parts.length === 0) {
			this.item.hide();
			return;
		}
		const isUrgent = needs.waiting.length > 0;
		this.item.text = `$(${isUrgent ? 'bell-dot' : 'mail'}) ${parts.join(' · ')}`;
		this.item.backgroundColor = isUrgent ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
		this.item.tooltip = [
			...needs.waiting.map(({ worker }) =>
				waitingSentence(
					{ task: worker.record.task, worker: worker.record.name },
					{
						tool: worker.state.tool,
						text: [worker.state.tool, worker.state.summary].filter(Boolean).join(' '),
					},
				),
			),
			l10n.t('Click to go there.'),
		].join('\n');
		this.item.accessibilityInformation = { label: `Nancy: ${parts.join(', ')}`, role: 'button' };
		this.item.show();
	}
}

function statusParts({ queued, waiting, unread }: Needs): string[] {
	return [
		queued > 0 ? l10n.t('{0} queued', queued) : '',
		waiting.length > 0 ? l10n.t('{0} waiting', waiting.length) : '',
		unread > 0 ? l10n.t('{0} unread', unread) : '',
	].filter(part => part !== '');
}
