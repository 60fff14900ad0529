import { expect, it } from 'vitest';
import { Phrase } from '../../../../src/base/phrase.ts';
import { heldText, parseHeld, PLAIN, wakeLimit } from '../../../../src/core/mailbox/held.ts';
import { drivers, limitOf } from '../../../../src/drivers/index.ts';

it('a driver’s limit is said in the driver’s words; where it has none, in words that hold for every agent', () => {
	for (const driver of drivers) {
		const text = String(heldText(wakeLimit(driver), limitOf));
		if (driver.limits.wake === undefined) expect(text).toContain('cannot be woken when idle');
		else expect(text).toBe(String(driver.limits.wake));
	}
});

it('a file keeps its code; whatever else it says is its text', () => {
	expect(parseHeld('{"code":"ended"}\n')).toEqual({ code: 'ended' });
	const texts = ['Not before Monday.', '{"code":"of a newer version"}', '{"code":"limit"}', '{', '"ended"', ''];
	for (const text of texts) expect(parseHeld(`${text}\n`)).toEqual({ code: 'text', text });
	expect(heldText({ code: 'text', text: 'Not before Monday.' }, limitOf)).toBe('Not before Monday.');
});

it('every reason of Nancy’s own is a phrase, so that the window says it in the user’s language', () => {
	const limits = drivers.map(driver => heldText(wakeLimit(driver), limitOf));
	const reasons = [...PLAIN.map(code => heldText({ code }, limitOf)), ...limits];
	expect(reasons.filter(reason => !(reason instanceof Phrase))).toEqual([]);
});
