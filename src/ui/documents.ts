import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { NewestMap } from '../base/newestMap.ts';
import { readTraffic } from '../core/traffic/store.ts';
import { SCHEMES } from './contributions.ts';
import { plainLine } from './kit/plain.ts';
import type { NodeItem } from './traffic/trafficItems.ts';

/** Texts that are kept: VS Code asks again for one whose editor it brings back. The oldest go first. */
const MOST_TEXTS = 100;

/** Nancy's read-only documents: payloads of events, reports, and pages of the package. */
export class Documents {
	private readonly texts = new NewestMap<string, string>(MOST_TEXTS);

	constructor(private readonly extensionUri: vscode.Uri) {}

	provide(uri: vscode.Uri): string {
		return this.texts.get(uri.toString()) ?? l10n.t('This document is gone. Open it again from the Nancy view.');
	}

	/** Opens the records behind a row of the Traffic view as JSON, as they are stored: redacted, and cut at a limit. */
	async openPayload({ turn, node }: NodeItem): Promise<void> {
		const { folder, session } = turn.session;
		const ids = [node.id, node.endId];
		const records = (await readTraffic(folder.workspace.paths, session)).filter(
			record =>
				ids.includes(record.id) ||
				(record.type === 'delivery' && node.deliveries.some(({ at }) => at === record.delivery.at)) ||
				(record.type === 'trouble' && node.troubles.some(({ at }) => at === record.trouble.at)),
		);
		const name = plainLine([node.event.event, node.event.tool].filter(Boolean).join(' '), 80);
		const uri = vscode.Uri.from({ scheme: SCHEMES.payload, path: `/${name}.json`, query: `${session}/${node.id}` });
		this.texts.set(uri.toString(), `${JSON.stringify(records.length === 1 ? records[0] : records, null, '\t')}\n`);
		await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
	}

	/** Shows a page that comes with Nancy, by its path in the package, as rendered markdown. */
	async openPage(...path: readonly string[]): Promise<void> {
		const page = vscode.Uri.joinPath(this.extensionUri, ...path);
		await vscode.commands.executeCommand('markdown.showPreview', page);
	}

	/** Shows a report as rendered markdown. */
	async openReport(name: string, markdown: string): Promise<void> {
		const uri = vscode.Uri.from({ scheme: SCHEMES.report, path: `/${name}.md`, query: String(Date.now()) });
		this.texts.set(uri.toString(), markdown);
		await vscode.commands.executeCommand('markdown.showPreview', uri);
	}
}
