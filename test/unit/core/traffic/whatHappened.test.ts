import { expect, it } from 'vitest';
import { whatHappened } from '../../../../src/core/traffic/whatHappened.ts';
import type { TrafficRecord } from '../../../../src/protocol/traffic.ts';

const HOSTILE = 'Stop\u001b]0;x\u0007\n';

it.each<[string, unknown]>([
	['an event', { type: 'event', event: { event: HOSTILE, tool: HOSTILE, cause: HOSTILE, summary: HOSTILE } }],
	[
		'a delivery',
		{ type: 'delivery', delivery: { messages: [HOSTILE], event: HOSTILE, tool: HOSTILE, effect: 'none' } },
	],
	['trouble', { type: 'trouble', trouble: { event: HOSTILE, reason: HOSTILE } }],
])('%s is one line that controls no terminal, whatever its words are', (_, record) => {
	expect(whatHappened(record as TrafficRecord)).toMatch(/^[\x20-\x7e]*Stop\\x1b\]0;x\\x07[\x20-\x7e]*$/);
});
