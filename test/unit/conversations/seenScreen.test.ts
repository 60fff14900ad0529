import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { SeenScreen, type InputLine } from '../../../src/conversations/watched/seenScreen.ts';
import { screen as copilot } from '../../../src/drivers/copilot-cli/screen.ts';
import { longIf } from '../../support/long.ts';

const RECORDINGS = join(import.meta.dirname, '../../fixtures/copilot-cli/screens');
const Head = z.object({ width: z.number(), height: z.number() });
const Line = z.tuple([z.number(), z.string(), z.string()]);

/** @param size of the pieces, in bytes, in which the output comes */
async function replay(
	name: string,
	size: number,
): Promise<{ at: Record<string, InputLine | undefined>; frees: boolean[] }> {
	const [head = '', ...lines] = readFileSync(join(RECORDINGS, `${name}.cast`), 'utf8')
		.trim()
		.split('\n');
	const { width, height } = Head.parse(JSON.parse(head));
	const seen = new SeenScreen(copilot, width, height);
	const at: Record<string, InputLine | undefined> = {};
	const frees: boolean[] = [];
	for (const [, kind, text] of lines.map(line => Line.parse(JSON.parse(line)))) {
		if (kind === 'm') at[text] = seen.inputLine();
		if (kind !== 'o') continue;
		const bytes = Buffer.from(text);
		for (let from = 0; from < bytes.length; from += size) {
			seen.write(bytes.subarray(from, from + size), () => {
				const isFree = seen.inputLine()?.isFree === true;
				if (isFree !== (frees.at(-1) ?? false)) frees.push(isFree);
			});
		}
		await shown(seen, '');
	}
	return { at, frees };
}

const shown = (seen: SeenScreen, output: string | Uint8Array) =>
	new Promise<void>(resolve => seen.write(Buffer.from(output), resolve));

const FREE = { typed: '', isFree: true };
const BUSY = { typed: '', isFree: false };

describe('the screen of Copilot CLI', () => {
	// Each byte is drawn and looked at by itself: of the longer recordings that takes a minute.
	for (const size of [7, 4096])
		it(
			`is free before a turn and after it, and neither at work nor at a question (${size} bytes at a time)`,
			longIf(size !== 4096),
			async () => {
				const { at, frees } = await replay('flow', size);
				expect(at).toEqual({
					idle: FREE,
					'busy-thinking': BUSY,
					'permission-1': undefined,
					'after-accept-once': BUSY,
					'permission-2': undefined,
					'busy-tool-running': BUSY,
					'idle-after': FREE,
				});
				expect(frees).toEqual([true, false, true]);
			},
		);

	for (const size of [1, 7, 4096])
		it(
			`is not free while a prompt of two lines is in it (${size} bytes at a time)`,
			longIf(size !== 7),
			async () => {
				const { at, frees } = await replay('paste', size);
				expect(at).toEqual({
					idle: FREE,
					pasted: { typed: 'line one SECOND-PASTE\nline two', isFree: false },
					after: FREE,
				});
				expect(frees).toEqual([true, false, true]);
			},
		);

	it('is free again only once an interrupted turn is over', async () => {
		const { at, frees } = await replay('interrupt', 4096);
		expect(at).toEqual({ idle: FREE, streaming: BUSY, 'after-esc': BUSY, 'after-ctrlc': FREE });
		expect(frees).toEqual([true, false, true]);
	});

	it('has no input line while words are typed into a question', async () => {
		const { at, frees } = await replay('feedback', 4096);
		expect(at).toEqual({ idle: FREE, 'after-reject-key': undefined, typed: undefined, after: undefined });
		expect(frees).toEqual([true, false]);
	});
});

describe('a picture of a free screen', () => {
	const rule = '─'.repeat(60);
	const free = [rule, '❯', rule, ' Interactive · Manual Approval · / commands · ? help'];
	const FULL_SCREEN = '\u001b[?1049h\u001b[H';
	const look = async (begin: string, lines: readonly string[]) => {
		const seen = new SeenScreen(copilot, 60, lines.length);
		await shown(seen, begin + lines.join('\r\n'));
		return seen.inputLine();
	};

	it('counts as the last lines of a full screen', async () => {
		expect(await look(FULL_SCREEN, [' ● Done.', ...free])).toEqual(FREE);
	});

	it.each([
		' ← open sidebar · Plan · Manual Approval · / commands · tab next tab      claude-sonnet-4',
		' ← open sidebar · Interactive · Manual Approval · / commands    claude-sonnet-4',
		' Interactive · Manual Approval · / commands claude-sonnet-4',
	])('counts on a narrow screen too:%s', async footer => {
		const rows = [rule, '❯', rule, footer].map(line => (line === rule ? '─'.repeat(footer.length) : line));
		const seen = new SeenScreen(copilot, footer.length, rows.length);
		await shown(seen, FULL_SCREEN + rows.join('\r\n'));
		expect(seen.inputLine()).toEqual(FREE);
	});

	it('counts where the CLI has written blanks over what was taken back', async () => {
		const cleared = [rule, '❯      ', rule, free.at(-1) ?? ''];
		expect(await look(FULL_SCREEN, cleared)).toMatchObject({ isFree: true });
	});

	it('does not count where a model or a program has printed it', async () => {
		const working = [rule, '❯', rule, ' ● Working esc esc interrupt'];
		expect(await look(FULL_SCREEN, [...free, ...working])).toEqual(BUSY);
		const question = ['│ ❯ 1. Yes', `╰${'─'.repeat(58)}╯`];
		expect(await look(FULL_SCREEN, [...free, ...question])).toBeUndefined();
		expect(await look(FULL_SCREEN, [...free.map(line => ` ${line}`.slice(0, 60)), ''])).toBeUndefined();
		expect(await look('', free)).toBeUndefined();
	});

	it('does not count once half of it is drawn anew', async () => {
		expect(await look(FULL_SCREEN, ['', '❯', rule, free.at(-1) ?? ''])).toBeUndefined();
		expect(await look(FULL_SCREEN, [rule, '', rule, free.at(-1) ?? ''])).toBeUndefined();
		expect(await look(FULL_SCREEN, [rule, '❯ half a thought', rule, free.at(-1) ?? ''])).toEqual({
			typed: 'half a thought',
			isFree: false,
		});
	});
});
