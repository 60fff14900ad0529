import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { IN_TERMINAL } from '../../src/core/asker/asker.ts';
import { visible, visibleLine } from '../../src/base/visible.ts';
import { runCommandLine } from '../../src/cli/run.ts';
import { AttentionTracker, type Attention } from '../../src/core/live/attention.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { DriverId, FIRST_WORKER, ORCHESTRATOR, TaskName } from '../../src/protocol/names.ts';
import { plain, plainLine } from '../../src/ui/kit/plain.ts';
import { taskRecord } from '../support/taskRecord.ts';
import { tempFolder } from '../support/tempFolder.ts';

const root = join(import.meta.dirname, '../..');

describe('text that somebody else wrote', () => {
	it.each([
		['the order turned', 'invoice\u202efdp.exe', 'invoice⟨U+202E⟩fdp.exe'],
		['an isolate', 'a\u2066b\u2069', 'a⟨U+2066⟩b⟨U+2069⟩'],
		['nothing of no width', 'pay\u200bpal', 'pay⟨U+200B⟩pal'],
		['a joiner between letters that need none', 'ad\u200dmin', 'ad⟨U+200D⟩min'],
		['a soft hyphen', 'ad\u00admin', 'ad⟨U+00AD⟩min'],
		['letters of tags, which models read', 'hi\u{e0068}\u{e0069}', 'hi⟨U+E0068⟩⟨U+E0069⟩'],
		['a letter that fills nothing', 'a\u3164b', 'a⟨U+3164⟩b'],
		['forms of no letter, in a row', 'a\ufe00\ufe01', 'a⟨U+FE00⟩⟨U+FE01⟩'],
		['a line that ends where nobody sees it', 'a\u2028b\u2029c', 'a⟨U+2028⟩b⟨U+2029⟩c'],
		['half a character', 'a\ud800b', 'a⟨U+D800⟩b'],
		['a sequence for a terminal', '\u001b[2J\u009b31m', '\\x1b[2J\\x9b31m'],
		['a line that is written over', 'rm -rf /\rls', 'rm -rf /\\x0dls'],
		['a bell and a backspace', 'a\u0007\bb', 'a\\x07\\x08b'],
	])('shows %s', (_what, text, shown) => expect(visible(text)).toBe(shown));

	it.each([
		'two\nlines\tand a tab',
		'grüße, 日本語, Здравствуйте, مرحبا, שלום',
		'می‌خواهم and क्‍ष',
		'👨‍👩‍👧 🏳️‍🌈 ❤️‍🔥 ✔️ 1️⃣ ©️ 🇪🇺 👍🏽',
	])('stays as it is where nothing hides: %j', text => expect(visible(text)).toBe(text));

	it('ends its lines as here, wherever it was written', () => expect(visible('a\r\nb')).toBe('a\nb'));

	it('is cut, and never longer than it may be', () => {
		expect(visibleLine(`a\n\n b ${'\u202e'.repeat(100)}`, 20)).toBe('a b ⟨U+202E⟩⟨U+202E…');
		expect(plainLine(`${'](a'.repeat(1000)}`, 50)).toHaveLength(50);
		expect(plain('x'.repeat(1e6)).length).toBeLessThanOrEqual(10_000);
	});
});

/** As VS Code 1.139 finds them: `parseLinkedText` in messages and input boxes, `renderLabelWithIcons` in lists, bars and tabs. */
const LINK = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/i;
const ICON = /(\\)?\$\(([A-Za-z0-9-]+(?:~[A-Za-z]+)?)\)/;

describe('text in VS Code’s own surfaces', () => {
	it.each([
		[
			'[OK](command:runCommands?%7B%22commands%22%3A%5B%5D%7D)',
			'[OK] (command:runCommands?%7B%22commands%22%3A%5B%5D%7D)',
		],
		['[OK](https://evil.example "title")', '[OK] (https://evil.example "title")'],
		['[a][b](file:///etc/passwd)', '[a][b] (file:///etc/passwd)'],
		['$(check) done $(sync~spin)', '$ (check) done $ (sync~spin)'],
		['\\$(check)', '\\$ (check)'],
	])('%s is no link and no picture', (text, shown) => {
		expect(LINK.test(text) || ICON.test(text)).toBe(true);
		for (const each of [plain(text), plainLine(text)]) {
			expect(each).toBe(shown);
			expect(each).not.toMatch(LINK);
			expect(each).not.toMatch(ICON);
		}
	});

	it.each(['\u200b', '\ufeff', '\u001b[0m', '\r', '\n', '\u2028', '\ufe0f'])(
		'%j between the parts of a link makes none',
		between => {
			const text = `[OK]${between}(command:x) $${between}(check) ]${between}](command:x)`;
			for (const each of [plain(text), plainLine(text)]) {
				// VS Code itself makes one line of a message.
				const line = each.replace(/\r\n|\n|\r/g, ' ');
				expect(line).not.toMatch(LINK);
				expect(line).not.toMatch(ICON);
			}
		},
	);

	it('makes one line of several', () => expect(plainLine('a\n\tb\r\nc')).toBe('a b c'));
});

/** What shows text in the window, and the files that may name it. Everything else goes through them. */
const doors: readonly (readonly [surface: RegExp, files: readonly string[]])[] = [
	[/\bshow(?:Information|Warning|Error)Message\b/, ['ui/kit/messages.ts']],
	[/\b(?:create|show)(?:QuickPick|InputBox)\b/, ['ui/kit/inputs.ts']],
	[/\bshow(?:WorkspaceFolderPick|OpenDialog|SaveDialog)\b|\bsetStatusBarMessage\b/, []],
	[/\bcreateStatusBarItem\b/, ['ui/kit/statusItem.ts']],
	[/\bwithProgress\b/, ['ui/kit/progress.ts']],
	[/\bcreateTerminal\b|\bregisterTerminalProfileProvider\b/, ['ui/kit/terminals.ts']],
	// What is typed is a constant of Nancy's, or a driver's keys.
	[/\bsendText\b/, ['ui/start/askAgents.ts', 'ui/tasks/interrupt.ts', 'ui/tasks/typeWake.ts']],
	// It writes through TerminalLines.
	[/\bPseudoterminal\b/, ['ui/delegates/delegateOutput.ts', 'ui/tasks/firstOutput.ts']],
	[/\bnew (?:vscode\.)?MarkdownString\b/, ['ui/kit/tooltip.ts']],
	[/\b(?:new|extends) (?:vscode\.)?TreeItem\b/, ['ui/kit/row.ts']],
	// The lazy one hands on what the other makes.
	[/\bTreeDataProvider\b/, ['ui/kit/liveTree.ts', 'ui/kit/lazyTree.ts', 'ui/nancy.ts', 'ui/windowLists.ts']],
	// Its report escapes all that it quotes; the other pages come with Nancy.
	[/\bmarkdown\.showPreview\b/, ['ui/documents.ts']],
	// Their pages make elements of a fixed list, and no attribute of what somebody wrote. The phone's page runs no script.
	[
		/\bcreateWebviewPanel\b|\bregisterWebviewPanelSerializer\b/,
		['ui/desk/phonePanel.ts', 'ui/inbox/messagePanel.ts', 'ui/questions/questionPanel.ts'],
	],
	[
		/\.webview\.html\b/,
		[
			'ui/desk/phonePanel.ts',
			'ui/inbox/composeChannel.ts',
			'ui/inbox/messagePanel.ts',
			'ui/questions/questionPanel.ts',
		],
	],
	[/\bregisterHoverProvider\b|\bregisterCompletionItemProvider\b|\bcreateDiagnosticCollection\b/, []],
];

describe('what shows text in the window', () => {
	const files = globSync('**/*.ts', { cwd: join(root, 'src') }).map(file => file.replaceAll('\\', '/'));
	const naming = (surface: RegExp) =>
		files.filter(file => surface.test(withoutComments(readFileSync(join(root, 'src', file), 'utf8')))).toSorted();

	it.each(doors)('%s is named in its door alone', (surface, allowed) => {
		expect(files.length).toBeGreaterThan(100);
		expect(naming(surface)).toEqual(allowed.toSorted());
	});
});

function withoutComments(code: string): string {
	return code.replace(/\/\*[^]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}

describe('what nancy prints', () => {
	const printed = async (isTTY: boolean): Promise<string> => {
		const written: string[] = [];
		const output = { write: (text: string) => written.push(text), isTTY };
		const code = await runCommandLine(
			['safe\u202etxt.exe\u200b\u001b[2J'],
			{},
			{
				program: '/nowhere/nancy.js',
				cwd: root,
				env: {},
				given: {},
				stdin: process.stdin,
				stdout: output,
				stderr: output,
				version: '0',
				asker: () => IN_TERMINAL,
			},
		);
		expect(code).toBe(2);
		return written.join('');
	};

	it('hides nothing from a person at a terminal, and is as it is for a program', async () => {
		expect(await printed(true)).toContain('"safe⟨U+202E⟩txt.exe⟨U+200B⟩\\x1b[2J"');
		expect(await printed(false)).toContain('"safe\u202etxt.exe\u200b\u001b[2J"');
	});

	it('goes through one function', () => {
		const files = globSync('{cli,conversations}/**/*.ts', { cwd: join(root, 'src') }).map(file =>
			file.replaceAll('\\', '/'),
		);
		const writing = files.filter(file => /\.write\(/.test(readFileSync(join(root, 'src', file), 'utf8')));
		// Two show what has been through it: a delegate's log, and what an agent says in a conversation. The others switch modes of a terminal on
		// and off, or say why none begins.
		expect(writing.toSorted()).toEqual([
			'cli/run.ts',
			'cli/runOfQueue.ts',
			'cli/terminalModes.ts',
			'conversations/frontEnd.ts',
			'conversations/main.ts',
			'conversations/promptedLines.ts',
			// To the agent's own input.
			'conversations/stdioConversation.ts',
			// The CLI's own bytes, for the terminal that they would reach without Nancy, and for the picture of it.
			'conversations/watched/main.ts',
			'conversations/watched/passage.ts',
			'conversations/watched/seenScreen.ts',
		]);
	});
});

describe('a record that came with a folder', () => {
	const now = Date.parse('2026-11-22T12:00:00Z');
	const address = { task: TaskName.parse('t'), worker: FIRST_WORKER };
	const needed = (at: string): Attention[] => {
		const tracker = new AttentionTracker(() => now);
		const needs: Attention[] = [];
		tracker.onDidNeed(need => needs.push(need));
		tracker.see(address, { phase: 'waiting', tool: 'Bash', summary: 'rm x', source: 'traffic', at, since: at }, 0);
		tracker.dispose();
		return needs;
	};

	it('calls nobody with a date that has not come', () => {
		expect(needed('2099-01-01T00:00:00Z')).toEqual([]);
		expect(needed('2026-11-22T11:00:00Z')).toEqual([]);
	});

	it('calls where the clocks of two machines are a little apart', () => {
		expect(needed('2026-11-22T12:00:30Z')).toHaveLength(1);
	});
});

it('a message of an unknown author is announced as one of an unknown author, and not as the user’s own', async () => {
	await using folder = tempFolder();
	const workspace = new Workspace(folder.path, folder.file('data'));
	const task = TaskName.parse('t');
	const agent = DriverId.parse('fake');
	await workspace.createTask(taskRecord(task, agent));
	const mailbox = workspace.mailbox({ task, worker: ORCHESTRATOR });
	await mailbox.makeFolders();
	writeFileSync(join(mailbox.folder, 'inbox', 'dropped.md'), 'Push it.');
	const tracker = new AttentionTracker(() => Date.now());
	const needs: Attention[] = [];
	tracker.onDidNeed(need => needs.push(need));
	tracker.seeMailbox(task, { messages: [], problems: [] }, true);
	tracker.seeMailbox(task, await mailbox.list(['queued']), false);
	tracker.dispose();
	expect(needs).toMatchObject([{ kind: 'message', text: 'Push it.', author: { is: 'unknown' } }]);
});
