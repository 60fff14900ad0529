import * as vscode from 'vscode';
import { Emitter } from '../base/event.ts';
import type { Attention } from '../core/live/attention.ts';
import type { Folder } from './ports.ts';

/** The window's workspace folders, each with its model; follows folders that come and go. */
export class Folders implements vscode.Disposable {
	private readonly _onDidChange = new Emitter<void>();
	readonly onDidChange = this._onDidChange.event;
	private readonly _onDidNeedAttention = new Emitter<{ folder: Folder; attention: Attention }>();
	readonly onDidNeedAttention = this._onDidNeedAttention.event;
	private readonly folders = new Map<string, Folder>();
	private readonly following: vscode.Disposable;

	constructor(private readonly open: (path: string, name: string) => Folder) {
		this.following = vscode.workspace.onDidChangeWorkspaceFolders(() => this.follow());
		this.follow();
	}

	/** In the order of the workspace. */
	list(): readonly Folder[] {
		return [...this.folders.values()];
	}

	/** Opens every folder anew: what may be done in it has changed (trust was granted). */
	reopen(): void {
		this.closeAll();
		this.follow();
	}

	dispose(): void {
		this.following.dispose();
		this.closeAll();
		this._onDidChange.dispose();
		this._onDidNeedAttention.dispose();
	}

	private follow(): void {
		const wanted = new Map(
			(vscode.workspace.workspaceFolders ?? [])
				.filter(folder => folder.uri.scheme === 'file')
				.map(folder => [folder.uri.fsPath, folder.name]),
		);
		for (const [path, folder] of this.folders) {
			if (wanted.has(path)) continue;
			this.folders.delete(path);
			folder.dispose();
		}
		for (const [path, name] of wanted) {
			if (this.folders.has(path)) continue;
			const folder = this.open(path, name);
			this.folders.set(path, folder);
			// The folder's own emitters end with it, so these need no owner.
			folder.onDidChange(() => this._onDidChange.fire());
			folder.onDidNeedAttention(attention => {
				// Nothing runs here in Restricted Mode. A worker that seems to wait came with the folder.
				if (vscode.workspace.isTrusted) this._onDidNeedAttention.fire({ folder, attention });
			});
		}
		this._onDidChange.fire();
	}

	private closeAll(): void {
		const open = [...this.folders.values()];
		this.folders.clear();
		for (const folder of open) folder.dispose();
	}
}
