import { appendFile, rename, truncate, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TranscriptFormat } from '../../../../src/core/driver/transcript.ts';
import { Transcript } from '../../../../src/core/sessions/transcripts.ts';
import { claimBatch } from '../../../../src/core/mailbox/batch.ts';
import { Mailbox } from '../../../../src/core/mailbox/mailbox.ts';
import { MessageId, SessionId } from '../../../../src/protocol/names.ts';
import { fakeDriver } from '../../../support/fakeDriver.ts';
import { BY_USER, messageContent } from '../../../support/messageContent.ts';
import { ownSeals } from '../../../support/ownSeals.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';

let folder: TempFolder;
let file: string;
const format = fakeDriver.transcript === 'none' ? expect.unreachable() : fakeDriver.transcript;
const line = (value: unknown) => `${JSON.stringify(value)}\n`;

beforeEach(() => {
	folder = tempFolder();
	file = folder.file('session.jsonl');
});
afterEach(() => folder.remove());

describe('Transcript', () => {
	it('folds what came since the last reading, whatever else is in the file', async () => {
		const transcript = new Transcript(file, format);
		expect(await transcript.read()).toBe(false);
		await writeFile(file, `${line({ model: 'one' })}garbage\n${line({ boom: true })}{"model":"tw`);
		expect(await transcript.read()).toBe(true);
		expect(transcript.facts.model).toBe('one');
		await appendFile(file, 'o"}\n');
		await transcript.read();
		expect(transcript.facts.model).toBe('two');
		expect(await transcript.read()).toBe(false);
	});

	it('finds a message in the text that the hook hands over', async () => {
		const transcript = new Transcript(file, format);
		const mailbox = new Mailbox(folder.path, folder.file('box'), ownSeals(folder.path));
		const id = await mailbox.put(messageContent('hello'), BY_USER, MessageId.parse('20261121T072200000Z-ab12'));
		const { text } = await claimBatch(
			mailbox,
			{ kind: 'tool-start', slot: 'boundary', session: SessionId.parse('s1') },
			10_000,
		);
		await writeFile(file, line({ text: `PreToolUse:Bash hook additional context: ${text}` }));
		await transcript.read();
		const content = messageContent('hello');
		expect(transcript.shows({ id, content, receipt: {} })).toBe(true);
		expect(transcript.shows({ id: MessageId.parse('20261121T072200000Z'), content, receipt: {} })).toBe(false);
	});

	it('begins anew when the file was truncated or replaced', async () => {
		const transcript = new Transcript(file, format);
		await writeFile(file, line({ text: 'a' }) + line({ text: 'b' }));
		await transcript.read();
		await truncate(file, line({ text: 'a' }).length);
		await transcript.read();
		expect(transcript.facts.deliveredTexts).toEqual(['a']);
		await writeFile(folder.file('other'), line({ text: 'c' }) + line({ text: 'd' }) + line({ text: 'e' }));
		await rename(folder.file('other'), file);
		await transcript.read();
		expect(transcript.facts.deliveredTexts).toEqual(['c', 'd', 'e']);
	});

	it('reads a large file without holding it, and lets others run meanwhile', async () => {
		const row = line({ filler: 'x'.repeat(1000) });
		await writeFile(file, row.repeat(60_000));
		let lines = 0;
		const counting: TranscriptFormat = {
			keepsDelivery: () => true,
			isNancys: false,
			words: 'none',
			fold: known => ((lines += 1), known),
		};
		const before = process.memoryUsage().arrayBuffers;
		let ticks = 0;
		const timer = setInterval(() => ticks++, 5);
		await new Transcript(file, counting).read();
		clearInterval(timer);
		expect(lines).toBe(60_000);
		expect(ticks).toBeGreaterThan(5);
		expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(60_000_000);
	});
});
