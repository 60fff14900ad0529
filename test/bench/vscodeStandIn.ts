/**
 * As much of VS Code's API as the views need to draw their rows. Whatever else is asked of it does nothing. Bench only: tests run in the
 * real editor.
 */

export class ThemeColor {
	constructor(readonly id: string) {}
}

export class ThemeIcon {
	static readonly Folder = new ThemeIcon('folder');
	constructor(
		readonly id: string,
		readonly color?: ThemeColor,
	) {}
}

export class TreeItem {
	constructor(
		readonly label: string,
		readonly collapsibleState: number,
	) {}
}

export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 } as const;

export class EventEmitter<T> {
	private readonly listeners = new Set<(value: T) => void>();
	readonly event = (listener: (value: T) => void) => {
		this.listeners.add(listener);
		return { dispose: () => this.listeners.delete(listener) };
	};
	fire(value: T): void {
		for (const listener of this.listeners) listener(value);
	}
	dispose(): void {
		this.listeners.clear();
	}
}

export class MarkdownString {
	value = '';
	appendMarkdown(text: string): this {
		this.value += text;
		return this;
	}
	appendText(text: string): this {
		return this.appendMarkdown(text);
	}
	appendCodeblock(text: string): this {
		return this.appendMarkdown(text);
	}
}

export class CancellationError extends Error {}

/** No tab is one. */
export class TabInputTextDiff {}

export const l10n = {
	t: (text: string, ...values: unknown[]) =>
		text.replace(/\{(\d+)\}/g, (_, at: string) => String(values[Number(at)])),
};

/** Takes every call and every property beside its own, and answers with the same. */
// oxlint-disable-next-line typescript/no-explicit-any -- it stands for whatever is asked of it
export function nothing<T = any>(own: object = {}): T {
	const proxy: unknown = new Proxy(class {}, {
		get: (_, name) => {
			if (name in own) return Reflect.get(own, name);
			// Nobody can wait for it.
			return name === 'then' ? undefined : nothing();
		},
		apply: () => nothing(),
		construct: () => nothing<object>(),
		set: () => true,
	});
	return proxy as T;
}

/** The folders that the window has. */
export const workspaceFolders: { uri: { scheme: 'file'; fsPath: string }; name: string }[] = [];

export const env = { language: 'en' };
export const workspace = nothing({
	isTrusted: true,
	workspaceFolders,
	getConfiguration: () => ({ get: () => undefined, inspect: () => undefined }),
});
export const window = nothing({
	state: { focused: true },
	terminals: [],
	activeTerminal: undefined,
	tabGroups: nothing({ all: [] }),
});
export const commands = nothing();
export const comments = nothing();
export const CancellationTokenSource = nothing();
export const languages = nothing();
export const Disposable = nothing();
export const Uri = nothing();
export const StatusBarAlignment = nothing();
export const QuickPickItemKind = { Separator: -1 };
