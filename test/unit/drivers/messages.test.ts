import { describe, expect, it } from 'vitest';
import { messageMark, newMessageId } from '../../../src/core/mailbox/messageId.ts';
import { beginsWithMessage, holdsMessage } from '../../../src/drivers/messages.ts';

describe('a message of Nancy’s', () => {
	const words = `${messageMark(newMessageId())} directive from you]\nUse the helper.`;

	it('is found wherever it stands in a text', () => {
		expect([words, `Blocked by a hook: ${words}`].filter(holdsMessage)).toHaveLength(2);
		expect(holdsMessage('a message of Nancy’s')).toBe(false);
	});

	it('begins a prompt that nobody typed', () => {
		expect([words, `\n ${words}`].filter(beginsWithMessage)).toHaveLength(2);
		expect(beginsWithMessage(`What does this mean: ${words}`)).toBe(false);
	});
});
