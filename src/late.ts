import * as vscode from 'vscode';
import type * as Main from './main.ts';
import { CHAT_TOOLS, PROFILE, SCHEMES, VIEWS } from './ui/contributions.ts';
import { onFirstUse } from './ui/firstUse.ts';
import { complain } from './ui/kit/messages.ts';
import { offerMcpServers } from './ui/mcpServers.ts';
import { LazyTree } from './ui/kit/lazyTree.ts';
import { offerProfile } from './ui/kit/terminals.ts';
import type { Nancy, Views } from './ui/nancy.ts';

/** The window before Nancy is used in it, and the way to Nancy. */
export interface Late {
	/** Loads Nancy once. A failure is shown, and thrown to each caller. */
	load(): Promise<Nancy>;
	/** Also while Nancy is being loaded; never rejects because it could not be loaded. */
	stop(): Promise<void>;
}

/**
 * Does what extension.ts leaves for the time after the activation. The views load Nancy when they are looked at, and a wait for the first
 * use begins.
 */
export function begin(context: vscode.ExtensionContext): Late {
	let loading: Promise<Nancy> | undefined;
	const load = () => (loading ??= loadMain());
	const views = registerViews(context, load);
	registerChatTools(context, load);
	context.subscriptions.push(
		offerMcpServers(context),
		offerProfile(PROFILE, async () => (await load()).terminal()),
		onFirstUse(() => void load().catch(() => undefined)),
	);
	return {
		load,
		stop: async () => {
			const nancy = await loading?.catch(() => undefined);
			await nancy?.stop();
		},
	};

	async function loadMain(): Promise<Nancy> {
		try {
			const main: typeof Main = require('./main.js');
			return await main.start(context, views);
		} catch (error) {
			const reason = error instanceof Error ? error.message : String(error);
			void complain(vscode.l10n.t('Nancy could not start: {0}', reason));
			throw error;
		}
	}
}

function registerChatTools(context: vscode.ExtensionContext, load: () => Promise<Nancy>): void {
	for (const tool of CHAT_TOOLS) {
		const registered = vscode.lm.registerTool(tool, {
			prepareInvocation: async ({ input }) => (await load()).chat.prepare(tool, input),
			invoke: async ({ input }) => (await load()).chat.invoke(tool, input),
		});
		context.subscriptions.push(registered);
	}
}

function registerViews(context: vscode.ExtensionContext, load: () => Promise<Nancy>): Views {
	const tree = (id: string, part: keyof Views) => {
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
			// Questions and messages are flat lists.
			showCollapseAll: part !== 'inbox' && part !== 'questions',
			canSelectMany: part === 'delegates' || part === 'questions' || part === 'memory',
			...(part === 'inbox' && { dragAndDropController }),
		});
		context.subscriptions.push(lazy, view);
		return view;
	};
	const document = { provideTextDocumentContent: async (uri: vscode.Uri) => (await load()).document(uri) };
	const compose = {
		resolveWebviewView: async (view: vscode.WebviewView) => (await load()).compose.resolveWebviewView(view),
	};
	context.subscriptions.push(
		vscode.window.registerWebviewViewProvider(VIEWS.compose, compose),
		...Object.values(SCHEMES).map(scheme => vscode.workspace.registerTextDocumentContentProvider(scheme, document)),
	);
	return {
		questions: tree(VIEWS.questions, 'questions'),
		tasks: tree(VIEWS.tasks, 'tasks'),
		delegates: tree(VIEWS.delegates, 'delegates'),
		inbox: tree(VIEWS.inbox, 'inbox'),
		memory: tree(VIEWS.memory, 'memory'),
		traffic: tree(VIEWS.traffic, 'traffic'),
	};
}
