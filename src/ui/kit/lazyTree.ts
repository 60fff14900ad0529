import * as vscode from 'vscode';

/** A tree whose provider is loaded when VS Code first asks for rows. */
export class LazyTree implements vscode.TreeDataProvider<unknown>, vscode.Disposable {
	private readonly _onDidChangeTreeData = new vscode.EventEmitter<unknown>();
	readonly onDidChangeTreeData = this._onDidChangeTreeData.event;
	private provider: Promise<vscode.TreeDataProvider<unknown>> | undefined;
	private listening: vscode.Disposable | undefined;

	constructor(private readonly load: () => Promise<vscode.TreeDataProvider<unknown>>) {}

	async getTreeItem(element: unknown): Promise<vscode.TreeItem> {
		return (await this.get()).getTreeItem(element);
	}

	async getChildren(element?: unknown): Promise<unknown[]> {
		return (await (await this.get()).getChildren(element)) ?? [];
	}

	async getParent(element: unknown): Promise<unknown> {
		return (await this.get()).getParent?.(element);
	}

	async resolveTreeItem(
		item: vscode.TreeItem,
		element: unknown,
		token: vscode.CancellationToken,
	): Promise<vscode.TreeItem> {
		return (await (await this.get()).resolveTreeItem?.(item, element, token)) ?? item;
	}

	dispose(): void {
		this.listening?.dispose();
		this._onDidChangeTreeData.dispose();
	}

	private get(): Promise<vscode.TreeDataProvider<unknown>> {
		return (this.provider ??= this.load().then(provider => {
			this.listening = provider.onDidChangeTreeData?.(element => this._onDidChangeTreeData.fire(element));
			return provider;
		}));
	}
}
