import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SeenScreen } from '../../../src/conversations/watched/seenScreen.ts';
import { readingOf, type Reading, type Shown } from '../../../src/conversations/watched/shownState.ts';
import { screen as copilot } from '../../../src/drivers/copilot-cli/screen.ts';
import { screenStates } from '../../../src/drivers/screenStates.ts';
import { RECORDED } from '../../fixtures/screens/recorded.ts';
import { longIf } from '../../support/long.ts';
import { recordedScreen } from '../../support/recordedScreen.ts';

/** Whose screen a recording shows, by the first word of its name. */
const DRIVERS: Readonly<Record<string, string>> = {
	claude: 'claude-code',
	codex: 'codex',
	copilot: 'copilot-cli',
	gemini: 'gemini-cli',
	opencode: 'opencode',
	qwen: 'qwen-code',
};

const statesOf = (name: string) => {
	const found = screenStates[DRIVERS[name.split('-')[0] ?? ''] ?? ''];
	if (!found) throw new Error(`whose screen is ${name}?`);
	return found;
};

/** In bytes. */
const NO_FLOOD = 100_000;

interface Replayed {
	readonly at: Readonly<Record<string, Reading | undefined>>;
	/** The screens of these readings. */
	readonly screens: Readonly<Record<string, Shown | undefined>>;
	/** The readings, each once for as long as it stays. */
	readonly course: readonly Reading[];
	/** Those before the first label. */
	readonly start: readonly Reading[];
}

/**
 * @param size of the pieces, in bytes, in which the output comes
 * @param looks after each piece, or after each write of the CLI
 */
async function replay(name: string, size: number, looks: 'often' | 'seldom' = 'seldom'): Promise<Replayed> {
	const { columns, rows, pieces } = recordedScreen(name);
	const profile = statesOf(name);
	const seen = new SeenScreen(copilot, columns, rows);
	const at: Record<string, Reading | undefined> = {};
	const screens: Record<string, Shown | undefined> = {};
	const course: Reading[] = [];
	let start: readonly Reading[] | undefined;
	const look = () => {
		const shown = seen.shown();
		const reading = shown && readingOf(shown, profile);
		if (reading && said(reading) !== said(course.at(-1))) course.push(reading);
		return reading;
	};
	const isShown = () => new Promise<void>(done => seen.write(Buffer.of(), done));
	let sent = 0;
	for (const { kind, text } of pieces) {
		const bytes = Buffer.from(kind === 'o' ? text : '');
		for (let from = 0; from < bytes.length; from += size) {
			const isLooked = looks === 'often' || from + size >= bytes.length;
			seen.write(bytes.subarray(from, from + size), () => isLooked && look());
		}
		if (kind === 'm')
			seen.write(bytes, () => {
				start ??= [...course];
				[at[text], screens[text]] = [look(), seen.shown()];
			});
		sent += bytes.length;
		// A screen in a flood is not read.
		if (sent > NO_FLOOD) await isShown().then(() => (sent = 0));
	}
	await isShown();
	return { at, screens, course, start: start ?? [] };
}

const said = (reading: Reading | undefined) => {
	const { question } = reading ?? {};
	if (question?.state === 'asking') return `? ${question.what}`;
	return String(reading?.state);
};
const questionsOf = (words: readonly string[]) => words.filter(each => /^(?:a part)?\? /.test(each));

describe('the screens of all recordings', () => {
	it('are all here', () => {
		const files = readdirSync(join(import.meta.dirname, '../../fixtures/screens'));
		const names = files.filter(name => name.endsWith('.cast.br')).map(name => name.replace('.cast.br', ''));
		expect(names.sort()).toEqual(Object.keys(RECORDED).sort());
		expect(names.length).toBe(68);
	});

	for (const size of [1, 7, 4096])
		it.each(Object.entries(RECORDED))(
			`show what was recorded (%s, ${size} bytes at a time)`,
			longIf(size !== 7),
			async (name, labels) => {
				const { at, course, start } = await replay(name, size);
				expect(Object.fromEntries(Object.entries(at).map(([label, each]) => [label, said(each)]))).toEqual(
					labels,
				);
				// What it loads is no turn. Codex says for a twentieth of a second that it works, which is no turn for a report.
				if (!name.startsWith('codex')) expect(start.map(({ state }) => state)).not.toContain('working');
				// Each question rises once, and falls. At the labels of some recordings it is not on the screen.
				const rises = questionsOf(course.map(said));
				expect(new Set(rises).size).toBe(rises.length);
				expect(rises).toEqual(expect.arrayContaining(questionsOf(Object.values(labels))));
			},
		);

	it.each([
		'claude-flow',
		'claude-flow-no7501',
		'claude-always',
		'codex-flow',
		'copilot-flow',
		'gemini-edit',
		'opencode-reject',
		'opencode-50x30',
		'opencode-80x24',
		'opencode-200x50',
	])('show no question in part, and no other, between any seven bytes (%s)', async name => {
		const { course } = await replay(name, 7, 'often');
		const asked = new Set(questionsOf(Object.values(RECORDED[name] ?? {})));
		expect(new Set(questionsOf(course.map(said)))).toEqual(asked);
	});
});

describe('the options of a question', () => {
	const optionsAt = async (name: string, label: string) => {
		const { question } = (await replay(name, 4096)).at[label] ?? {};
		return question?.options.map(({ label: words, means, keys }) => [words, means, keys]);
	};

	it.each([
		[
			'claude-flow',
			'permission-1',
			[
				['Yes', 'yes', '1'],
				['Yes, and always allow access to /workspace from this project', 'always', '2'],
				['Yes, and switch to auto mode · auto mode handles these prompts for you', 'always', '3'],
				['No', 'no', '4'],
			],
		],
		[
			'claude-edit',
			'permission-edit',
			[
				['Yes', 'yes', '1'],
				[
					'Yes, and switch to accept edits (auto-approve file edits and common file commands) for this session (shift+tab)',
					'always',
					'2',
				],
				['No', 'no', '3'],
			],
		],
		[
			'codex-flow',
			'permission-2',
			[
				['Yes, proceed (y)', 'yes', '1'],
				["Yes, and don't ask again for commands that start with `sleep 3` (p)", 'always', '2'],
				['No, and tell Codex what to do differently (esc)', 'no', '3'],
			],
		],
		[
			'copilot-flow',
			'permission-2',
			[
				['Yes', 'yes', '1'],
				["Yes, and don't ask again for `sleep` and `touch` in this repo (/workspace)", 'always', '2'],
				['No, and tell Copilot what to do differently (Esc to stop)', 'no-with-words', '3'],
				['No, and tell Copilot what to do differently (Esc to stop)', 'no', '\u001b'],
			],
		],
		[
			'gemini-flow',
			'permission-2',
			[
				['Allow once', 'yes', '1'],
				['Allow for this session', 'always', '2'],
				['No, suggest changes (esc)', 'no', '3'],
			],
		],
		[
			'gemini-edit',
			'permission-edit',
			[
				['Allow once', 'yes', '1'],
				['Allow for this session', 'always', '2'],
				['Modify with external editor', 'other', '3'],
				['No, suggest changes (esc)', 'no', '4'],
			],
		],
		[
			'opencode-flow',
			'permission-1',
			[
				['Allow once', 'yes', undefined],
				['Allow always', 'always', undefined],
				['Reject', 'no', '\u001b'],
			],
		],
		[
			'qwen-always',
			'permission-2',
			[
				['Yes, allow once', 'yes', '1'],
				["Always allow run 'mkdir *' commands in this project", 'always', '2'],
				["Always allow run 'mkdir *' commands for this user", 'always', '3'],
				['No, suggest changes (esc)', 'no', '4'],
			],
		],
	])('are known by their labels (%s, %s)', async (name, label, options) => {
		expect(await optionsAt(name, label)).toEqual(options);
	});

	it('take no digit while words can be typed in the place of one', async () => {
		const while3 = [
			['Yes', 'yes', undefined],
			["Yes, and don't ask again for `touch` in this repo (/workspace)", 'always', undefined],
			['No, and tell Copilot what to do differently (Esc to stop)', 'no-with-words', undefined],
			['No, and tell Copilot what to do differently (Esc to stop)', 'no', '\u001b'],
		];
		expect(await optionsAt('copilot-feedback', 'after-reject-key')).toEqual(while3);
	});
});

/** The whole dialog of a question, as it was on the screen. */
const DIALOGS: Readonly<Record<string, RegExp>> = {
	claude: /^─/,
	codex: /^ {2}Would you/,
	copilot: /^╭/,
	gemini: /^╭/,
	opencode: /^ {2}┃ {2}△ /,
	qwen: /^ {2}\? /,
};
/** Above the input line and its footer. */
const LINES_BELOW = 8;

describe('text of a model', () => {
	const screenAt = async (name: string, label: string) => {
		const shown = (await replay(name, 4096)).screens[label];
		if (!shown) throw new Error(`${name} has no ${label}`);
		const end = shown.lines.findLastIndex(line => line.trim() !== '') + 1;
		return { ...shown, lines: shown.lines.slice(0, end) };
	};

	it.each(
		Object.entries(DIALOGS).flatMap(([cli, top]) => [
			[cli, 'idle-after', 'idle', top] as const,
			[cli, cli === 'opencode' ? 'busy-tool-running' : 'busy-thinking', 'working', top] as const,
		]),
	)('that looks just like a question is none (%s, %s)', async (cli, label, state, top) => {
		const asking = await screenAt(`${cli}-flow`, 'permission-1');
		const dialog = asking.lines.slice(asking.lines.findLastIndex(line => top.test(line)));
		const screen = await screenAt(`${cli}-flow`, label);
		const above = screen.lines.slice(0, -LINES_BELOW);
		const lines = [...above, ...dialog, ...screen.lines.slice(-LINES_BELOW)];
		const profile = statesOf(cli);
		expect(readingOf(asking, profile).question?.what).toContain('touch one.txt');
		expect(readingOf({ ...screen, lines }, profile)).toEqual({ state, question: undefined });
		// The lines tell it alone, where a user has switched titles off.
		const mute = { ...screen, lines, title: '', status: undefined };
		expect(readingOf(mute, profile).question).toBe(undefined);
		// Not even where it is all of the screen, and the CLI says that it does not ask.
		const reported = { idle: 'idle', working: 'working' }[state];
		expect(readingOf({ ...screen, lines: dialog, status: reported }, profile).question).toBe(undefined);
	});

	it.each(Object.keys(DIALOGS))('that makes a command look like a question hides nothing of it (%s)', async cli => {
		const screen = await screenAt(`${cli}-flow`, 'permission-1');
		const top = DIALOGS[cli] ?? /^/;
		const from = screen.lines.findLastIndex(each => top.test(each));
		const at = screen.lines.findLastIndex(each => /^[^A-Za-z]*touch one\.txt[^A-Za-z]*$/.test(each));
		const line = screen.lines[at] ?? '';
		const profile = statesOf(cli);
		const commandLine = (text: string) => {
			const [before = '', after = ''] = line.replace('$ touch', '  touch').split('touch one.txt');
			return `${before}${text.padEnd('touch one.txt'.length)}${after.slice(Math.max(0, text.length - 13))}`;
		};
		const dialog = screen.lines.slice(from);
		const forged = [line.replace('touch one.txt', 'rm -r all    '), ...dialog.map(commandLine)];
		const lines = [...screen.lines.slice(0, at), ...forged, ...screen.lines.slice(at + 1)];
		const { question } = readingOf({ ...screen, lines }, profile);
		if (question) expect(question.what).toMatch(/rm -r all[^]*touch one\.txt/);
		const unforged = [...screen.lines.slice(0, at), ...forged.slice(0, 1), ...screen.lines.slice(at + 1)];
		expect(readingOf({ ...screen, lines: unforged }, profile).question?.what).toContain('rm -r all');
	});
});
