import { describe, expect, it } from 'vitest';
import { StartMemory } from '../../../../src/ui/start/startMemory.ts';
import { mementoOf } from '../../../support/memento.ts';

function open(everywhere = new Map<string, unknown>(), here = new Map<string, unknown>()) {
	return { everywhere, here, memory: new StartMemory(mementoOf(everywhere), mementoOf(here)) };
}

describe('what is remembered of a start', () => {
	it('is the last choice, of tasks and of delegates apart, without the model', async () => {
		const { memory, everywhere } = open();
		expect(memory.last('task')).toBeUndefined();
		const choice = { agents: ['heron'], models: 'large', place: 'worktree' as const, permissions: {} };
		await memory.remember('task', choice);
		const later = open(everywhere).memory;
		expect(later.last('task')).toEqual({ ...choice, models: '' });
		expect(later.last('delegate')).toBeUndefined();
	});

	it('is what earlier versions kept of delegates, and nothing that makes no sense', () => {
		const kept = { agents: ['heron'], place: 'folder', permissions: { heron: 'edit' } };
		expect(open(new Map([['lastDelegate', kept]])).memory.last('delegate')).toEqual({ ...kept, models: '' });
		expect(open(new Map([['lastDelegate', 'heron']])).memory.last('delegate')).toBeUndefined();
	});
});

describe('a draft', () => {
	it('is there after a reload, for what it was typed for alone, until it is emptied', async () => {
		const { memory, here } = open();
		await memory.keepDraft('task', 'Paint it');
		const later = open(undefined, here).memory;
		expect([later.draft('task'), later.draft('delegate')]).toEqual(['Paint it', '']);
		await later.keepDraft('task', ' ');
		expect(later.draft('task')).toBe('');
		expect(here.get('promptDrafts')).toEqual({});
	});

	it('goes when twenty others are newer', async () => {
		const { memory } = open();
		await memory.keepDraft('first', 'one');
		await memory.keepDraft('second', 'two');
		await memory.keepDraft('first', 'one again');
		for (let count = 0; count < 19; count++) await memory.keepDraft(`task ${count}`, 'x');
		expect([memory.draft('first'), memory.draft('second')]).toEqual(['one again', '']);
	});

	it('is none if what is kept makes no sense', () => {
		expect(open(undefined, new Map([['promptDrafts', 7]])).memory.draft('task')).toBe('');
	});
});

describe('the start of a worker', () => {
	const started = (prompt: string) => ({
		prompt,
		choice: { agents: ['heron'], models: 'large', place: 'worktree' as const, permissions: { heron: 'plan' } },
		images: ['/a.png'],
	});

	it('is there after a reload, with all that was chosen, for that worker alone', async () => {
		const { memory, here } = open();
		await memory.keepStart('paint//worker', started('Paint it.\nGreen.'));
		const later = open(new Map(), here).memory;
		expect(later.startOf('paint//worker')).toEqual(started('Paint it.\nGreen.'));
		expect(later.startOf('paint//worker-2')).toBeUndefined();
	});

	it('is kept for the last twenty', async () => {
		const { memory } = open();
		for (let at = 0; at < 21; at++) await memory.keepStart(`worker-${at}`, started(`${at}`));
		expect(memory.startOf('worker-0')).toBeUndefined();
		expect(memory.startOf('worker-1')?.prompt).toBe('1');
	});
});
