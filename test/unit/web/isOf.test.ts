import { describe, expect, it } from 'vitest';
import { ToPage } from '../../../src/protocol/deskApi.ts';
import { isOf } from '../../../src/web/desk/isOf.ts';
import { toPage, words } from '../../../src/web/desk/shapes.ts';

const empty = { folders: [], questions: [], tasks: [], messages: [], delegates: [] };
const folder = { key: 'f', folder: '0123456789ab', name: 'shop', problems: 0 };
const patch = (section: object) => ({ v: 1, type: 'patch', seq: 2, patch: section });

describe('What the server sends', () => {
	it.each([
		['a state', { v: 1, type: 'state', seq: 1, state: empty }],
		['a state with more fields', { v: 1, type: 'state', seq: 1, state: { ...empty, more: 1 }, later: true }],
		['a patch', patch({ folders: { put: [folder], gone: ['x'] } })],
		['a patch of nothing', patch({})],
		['a word at its end', { v: 1, type: 'bye', reason: 'stopped' }],
	])('is taken by the page if it is %s, as by the schema', (_, message) => {
		expect(ToPage.safeParse(message).success).toBe(true);
		expect(isOf(toPage, message)).toBe(true);
	});

	it.each([
		['nothing', undefined],
		['null', null],
		['a list', []],
		['a type that it does not know', { v: 1, type: 'later' }],
		['another version', { v: 2, type: 'pong' }],
		['a state without a section', { v: 1, type: 'state', seq: 1, state: { ...empty, tasks: undefined } }],
		['a count that is none', { v: 1, type: 'state', seq: 1.5, state: empty }],
		['a folder that is a path', patch({ folders: { put: [{ ...folder, folder: '../../etc' }], gone: [] } })],
		['a text in place of a list', patch({ folders: { put: 'x', gone: [] } })],
		['a word that is none', { v: 1, type: 'bye', reason: 'because' }],
	])('is not taken if it is %s, as by the schema', (_, message) => {
		expect(ToPage.safeParse(message).success).toBe(false);
		expect(isOf(toPage, message)).toBe(false);
	});
});

it('checks the fields of what has no fixed names', () => {
	expect(isOf(words, { de: { No: 'Nein' } })).toBe(true);
	expect(isOf(words, { de: { No: 1 } })).toBe(false);
});
