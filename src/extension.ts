import * as vscode from 'vscode';
import type * as Main from './main.ts';
import { COMMANDS, SCHEMES, VIEWS } from './ui/contributions.ts';
import { complain } from './ui/kit/messages.ts';
import { LazyTree } from './ui/kit/lazyTree.ts';
import type { Nancy, Views } from './ui/nancy.ts';

let loading: Promise<Nancy> | undefined;

/**
 * Registers names only and imports almost nothing, because every window pays for this file. The implementation is in a second file, loaded
 * at first use or right after start-up.
 */
export function activate(context: vscode.ExtensionContext): void {
	const load = () => (loading ??= loadMain());
	const tree = (id: string, part: keyof typeof VIEWS & keyof Views) => {
		const lazy = new LazyTree(async () => (await load())[part].provider);
		const dragAndDropController = {
			dropMimeTypes: [`application/vnd.code.tree.${id.toLowerCase()}`],
			dragMimeTypes: [],
			handleDrag: async (source: readonly unknown[], data: vscode.DataTransfer) =>
				(await load())[part].drag(source, data),
			handleDrop: async (target: unknown, data: vscode.DataTransfer) => (await load())[part].drop(target, data),
		};
		const view = vscode.window.createTreeView(id, {
			treeDataProvider: lazy,
			showCollapseAll: true,
			canSelectMany: part === 'delegates',
			...(part === 'inbox' && { dragAndDropController }),
		});
		context.subscriptions.push(lazy, view);
		return view;
	};
	const views = {
		tasks: tree(VIEWS.tasks, 'tasks'),
		delegates: tree(VIEWS.delegates, 'delegates'),
		inbox: tree(VIEWS.inbox, 'inbox'),
		traffic: tree(VIEWS.traffic, 'traffic'),
	};
	const document = { provideTextDocumentContent: async (uri: vscode.Uri) => (await load()).document(uri) };
	const compose = {
		resolveWebviewView: async (view: vscode.WebviewView) => (await load()).compose.resolveWebviewView(view),
	};
	context.subscriptions.push(
		vscode.window.registerWebviewViewProvider(VIEWS.compose, compose),
		...Object.values(SCHEMES).map(scheme => vscode.workspace.registerTextDocumentContentProvider(scheme, document)),
		...COMMANDS.map(id =>
			vscode.commands.registerCommand(id, async (...args: unknown[]) => (await load()).run(id, args)),
		),
	);
	setImmediate(() => void load());

	async function loadMain(): Promise<Nancy> {
		try {
			// `require` and not `import()`: VS Code gives its API to modules that are required.
			const main: typeof Main = require('./main.js');
			return await main.start(context, views);
		} catch (error) {
			const reason = error instanceof Error ? error.message : String(error);
			void complain(vscode.l10n.t('Nancy could not start: {0}', reason));
			throw error;
		}
	}
}

/** VS Code waits for this promise, five seconds at most. Agents go on working: they are not the window's. */
export async function deactivate(): Promise<void> {
	await (await loading)?.stop();
}
