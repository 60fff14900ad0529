import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatMessage, parseMessage, type MessageContent } from '../../src/protocol/message.ts';

const defaults = { kind: 'directive', priority: 'normal', effect: 'none', from: 'orchestrator' };

describe('a message file', () => {
	it('without header lines is a normal directive from the human', () => {
		expect(parseMessage('Use the retry helper.\n')).toEqual({
			ok: true,
			content: { ...defaults, text: 'Use the retry helper.' },
		});
	});

	it('is read with header lines in any case, with CRLF and a byte order mark', () => {
		const file = '\uFEFF**type:** Feedback\r\n**PRIORITY:** Urgent\r\n**From:** login/worker-2\r\n\r\nDone?\r\n';
		expect(parseMessage(file)).toEqual({
			ok: true,
			content: { ...defaults, kind: 'feedback', priority: 'urgent', from: 'login/worker-2', text: 'Done?' },
		});
	});

	it('keeps a bold line that is no header of ours as text', () => {
		expect(parseMessage('**Type:** feedback\n**Note:** mind the gap')).toEqual({
			ok: true,
			content: { ...defaults, kind: 'feedback', text: '**Note:** mind the gap' },
		});
	});

	it('says which header is wrong and what it may be', () => {
		expect(parseMessage('**Type:** order\n\nx')).toEqual({
			ok: false,
			reason: 'header "type" is not valid: use directive, feedback or result',
		});
		expect(parseMessage('**Order:** soon\n\nx')).toMatchObject({
			ok: false,
			reason: expect.stringContaining('whole number'),
		});
	});

	it('without text is refused', () => {
		expect(parseMessage('**Type:** directive\n\n \n')).toEqual({ ok: false, reason: 'the message has no text' });
	});

	it('survives writing and reading, whatever its text', () => {
		const content: fc.Arbitrary<MessageContent> = fc.record(
			{
				kind: fc.constantFrom('directive', 'feedback', 'result'),
				priority: fc.constantFrom('normal', 'urgent'),
				effect: fc.constantFrom('none', 'halt', 'pause'),
				from: fc.constantFrom('orchestrator', 'login/worker-2', 'delegate:7'),
				order: fc.integer({ min: 1, max: 1e6 }),
				text: fc.string({ minLength: 1, unit: 'binary' }).filter(text => text.trim() !== ''),
			},
			{ requiredKeys: ['kind', 'priority', 'effect', 'from', 'text'] },
		);
		fc.assert(
			fc.property(content, message => {
				const read = parseMessage(formatMessage(message));
				const text = message.text.replace(/\r\n/g, '\n').replace(/^\n+/, '').trimEnd();
				expect(read).toEqual({ ok: true, content: { ...message, text } });
			}),
			{ numRuns: 1000 },
		);
	});
});
