import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

/** As much of VS Code as drafts need: one document, which typing and edits change. */
const editor = vi.hoisted(() => {
	class TabInputText {
		constructor(readonly uri: unknown) {}
	}
	const uri = { toString: () => 'untitled:Untitled-1' };
	const state = { text: '', closed: [] as unknown[], commands: [] as string[], isEdited: true, beforeEdit: () => {} };
	const document = {
		uri,
		isUntitled: true,
		isClosed: false,
		lineCount: 1,
		lineAt: () => ({ range: { end: 0 } }),
		positionAt: (at: number) => at,
		getText: () => state.text,
	};
	const tabs = [
		{ input: new TabInputText(uri) },
		{ input: new TabInputText({ toString: () => 'untitled:Untitled-2' }) },
		{ input: undefined },
	];
	return { TabInputText, state, document, tabs };
});

vi.mock('vscode', () => {
	const { state, document, tabs, TabInputText } = editor;
	const disposable = { dispose: () => {} };
	return {
		TabInputText,
		Disposable: { from: () => disposable },
		Range: class {
			constructor(
				readonly start: number,
				readonly end: number,
			) {}
		},
		WorkspaceEdit: class {
			delete(): void {}
		},
		languages: { registerCodeLensProvider: () => disposable },
		workspace: {
			onDidCloseTextDocument: () => disposable,
			openTextDocument: ({ content }: { content: string }) => {
				state.text = content;
				return Promise.resolve(document);
			},
			applyEdit: () => {
				state.beforeEdit();
				if (state.isEdited) state.text = '';
				return Promise.resolve(state.isEdited);
			},
		},
		window: {
			showTextDocument: () => Promise.resolve(),
			tabGroups: {
				all: [{ tabs }],
				close: (closed: unknown[]) => {
					state.closed.push(...closed);
					return Promise.resolve(true);
				},
			},
		},
		commands: { executeCommand: (command: string) => state.commands.push(command) },
		l10n: { t: (text: string) => text },
	};
});

const { DelegateDrafts } = await import('../../../src/ui/delegateDrafts.ts');
const { state, document, tabs } = editor;
type Order = Parameters<InstanceType<typeof DelegateDrafts>['write']>[0];
type Document = Parameters<InstanceType<typeof DelegateDrafts>['close']>[0];

/** What drafts look at of it. */
function fake<T>(value: unknown): T;
function fake(value: unknown): unknown {
	return value;
}
const order = fake<Order>({ withSelection: false });
const draft = fake<Document>(document);
let drafts: InstanceType<typeof DelegateDrafts>;

beforeEach(async () => {
	Object.assign(state, { closed: [], commands: [], isEdited: true });
	drafts = new DelegateDrafts();
	await drafts.write(order, 'Paint it.');
});
afterEach(() => drafts.dispose());

describe('the editor of a prompt', () => {
	it('closes, itself alone, once its text has been delegated', async () => {
		await drafts.close(draft, 'Paint it.');
		expect(state).toMatchObject({ text: '', closed: [tabs[0]], commands: [] });
	});

	it('stays with what was typed meanwhile', async () => {
		state.text = 'Paint it. Green.';
		await drafts.close(draft, 'Paint it.');
		expect(state).toMatchObject({ text: 'Paint it. Green.', closed: [], commands: [] });
	});

	it('stays where it could not be emptied', async () => {
		state.isEdited = false;
		await drafts.close(draft, 'Paint it.');
		expect(state).toMatchObject({ text: 'Paint it.', closed: [] });
	});

	it('is never a file of the user’s, nor a document that was not opened for a prompt', async () => {
		await drafts.close(fake<Document>({ ...document, isUntitled: false }), 'Paint it.');
		const other = { ...document, uri: { toString: () => 'untitled:Untitled-2' } };
		await drafts.close(fake<Document>(other), 'Paint it.');
		expect(state).toMatchObject({ text: 'Paint it.', closed: [] });
	});
});
