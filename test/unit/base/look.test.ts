import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { look, stampOf } from '../../../src/base/look.ts';
import { countCalls } from '../../support/countedCalls.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';

let folder: TempFolder;
/** Only grows: what one test has made slow is quick again in the next. */
let nowMs = performance.now();

/** The disk takes so long for an answer, by the clock. */
let answersInMs: number;

beforeEach(() => {
	folder = tempFolder();
	nowMs += 60_000;
	answersInMs = 0;
	vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += answersInMs));
});
afterEach(async () => {
	vi.restoreAllMocks();
	await folder.remove();
});

describe.each([
	['a quick disk', 0],
	['a slow disk', 50],
])('a look at %s', (_, ms) => {
	it('finds files, folders and links, and nothing where nobody can tell', async () => {
		answersInMs = ms;
		writeFileSync(folder.file('file'), 'text');
		mkdirSync(folder.file('inside'));
		symlinkSync(folder.file('inside'), folder.file('link'));
		symlinkSync('loop', folder.file('loop'));
		for (let round = 0; round < 2; round++) {
			expect((await look(folder.file('file')))?.size).toBe(4n);
			expect((await look(folder.file('inside')))?.isDirectory()).toBe(true);
			expect((await look(folder.file('link')))?.isSymbolicLink()).toBe(true);
			for (const none of ['none', 'file/below', 'none/below', 'loop/below'])
				expect(await look(folder.file(none))).toBeUndefined();
		}
	});
});

it('lets another thread ask for a second after a slow answer, and then tries again', async () => {
	const calls = countCalls('lstat', 'lstatSync');
	const asked = async (ms: number) => {
		calls.clear();
		answersInMs = ms;
		await look(folder.path);
		return calls.count('lstat') > 0 ? 'another thread' : 'this thread';
	};
	expect(await asked(0)).toBe('this thread');
	expect(await asked(50)).toBe('this thread');
	expect(await asked(0)).toBe('another thread');
	nowMs += 1000;
	expect(await asked(0)).toBe('this thread');
	expect(await asked(0)).toBe('this thread');
	calls.stop();
});

it('gives another stamp to what was replaced or written to, and none to what is not there', async () => {
	const file = folder.file('file');
	writeFileSync(file, 'one');
	const before = stampOf(await look(file));
	expect(stampOf(await look(file))).toBe(before);
	writeFileSync(file, 'longer');
	expect(stampOf(await look(file))).not.toBe(before);
	expect(stampOf(await look(folder.file('none')))).toBe('');
});
