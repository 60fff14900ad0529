import { beforeEach, expect, it } from 'vitest';
import { SeenStops } from '../../../../src/ui/needs/seenStops.ts';

const noon = Date.parse('2026-11-23T12:00:00.000Z');
const at = (seconds: number) => new Date(noon + seconds * 1000).toISOString();

let stored: Map<string, unknown>;
beforeEach(() => {
	stored = new Map();
});

/** As a window has it after a reload. */
function open(nowMs = noon): SeenStops {
	const memory = {
		get: (key: string) => stored.get(key),
		update: async (key: string, value: unknown) => void stored.set(key, JSON.parse(JSON.stringify(value))),
	};
	return new SeenStops(memory, () => nowMs);
}

it('takes no stop for news that was before the first use in a workspace', () => {
	expect(open().isNew('a', at(-1))).toBe(false);
	expect(open().isNew('a', at(1))).toBe(true);
});

it('remembers over a reload what was seen, and what was not', () => {
	const before = open();
	before.see('a', at(10));
	const after = open(noon + 60_000);
	expect(after.isNew('a', at(10))).toBe(false);
	expect(after.isNew('a', at(20))).toBe(true);
	expect(after.isNew('b', at(10))).toBe(true);
});

it('tells of a change only when there is one', () => {
	const seen = open();
	let changes = 0;
	seen.onDidChange(() => changes++);
	seen.see('a', at(10));
	seen.see('a', at(10));
	seen.see('a', at(5));
	expect(changes).toBe(1);
});

it('remembers the workers that stopped last', () => {
	const seen = open();
	for (let i = 0; i < 501; i++) seen.see(`worker ${i}`, at(i + 1));
	expect(open().isNew('worker 0', at(1))).toBe(true);
	expect(open().isNew('worker 1', at(2))).toBe(false);
});

it('takes a memory that holds anything else for empty', () => {
	open().see('a', at(10));
	for (const key of stored.keys()) stored.set(key, 'nonsense');
	expect(open().isNew('a', at(10))).toBe(true);
});
