import { describe, expect, it } from 'vitest';
import { Presets } from '../../../../src/ui/start/presets.ts';
import type { StartChoice } from '../../../../src/ui/start/startChoice.ts';
import { mementoOf } from '../../../support/memento.ts';

const reviewer: StartChoice = {
	agents: ['heron'],
	models: 'large',
	place: 'worktree',
	permissions: { heron: 'read-only' },
};
const names = (presets: Presets) => presets.list().map(({ name }) => name);

describe('presets', () => {
	it('are there after a reload, in their order, and known by what they choose', async () => {
		const stored = new Map<string, unknown>();
		await new Presets(mementoOf(stored)).save(' reviewer ', reviewer);
		await new Presets(mementoOf(stored)).save('other', { ...reviewer, models: '' });

		const presets = new Presets(mementoOf(stored));
		expect(names(presets)).toEqual(['reviewer', 'other']);
		expect(presets.list()[0]?.choice).toEqual(reviewer);
		expect(presets.matching(reviewer)?.name).toBe('reviewer');
		expect(presets.matching({ ...reviewer, place: 'folder' })).toBeUndefined();
	});

	it('keep of permissions those of their own agents', async () => {
		const presets = new Presets(mementoOf());
		await presets.save('reviewer', { ...reviewer, permissions: { heron: 'read-only', egret: 'all' } });
		expect(presets.list()[0]?.choice?.permissions).toEqual({ heron: 'read-only' });
		expect(presets.matching({ ...reviewer, permissions: { heron: 'read-only', ibis: 'all' } })).toBeDefined();
	});

	it('are replaced by a later one of the same name, renamed and deleted', async () => {
		const presets = new Presets(mementoOf());
		await presets.save('a', reviewer);
		await presets.save('b', reviewer);
		await presets.save('a', { ...reviewer, models: '' });
		expect(names(presets)).toEqual(['b', 'a']);

		await presets.rename(presets.list()[0]!, ' c ');
		expect(names(presets)).toEqual(['c', 'a']);
		expect(presets.list()[0]?.choice).toEqual(reviewer);
		await presets.delete(presets.list()[0]!);
		expect(names(presets)).toEqual(['a']);
	});

	it('that cannot be read are named, stay as they are, and can be deleted', async () => {
		const broken = { name: 'old', choice: { agents: 'heron' }, more: 1 };
		const stored = new Map<string, unknown>([['startPresets', [broken, 'nonsense']]]);
		const presets = new Presets(mementoOf(stored));
		expect(presets.list()).toEqual([
			{ name: 'old', choice: undefined, kept: broken },
			{ name: '', choice: undefined, kept: 'nonsense' },
		]);
		await presets.save('new', reviewer);
		await presets.rename(presets.list()[0]!, 'older');
		expect(stored.get('startPresets')).toMatchObject([{ ...broken, name: 'older' }, 'nonsense', { name: 'new' }]);
		await presets.delete(presets.list()[1]!);
		expect(names(presets)).toEqual(['older', 'new']);
	});

	it('are one that cannot be read, if what is kept is no list', async () => {
		const presets = new Presets(mementoOf(new Map([['startPresets', { name: 'odd' }]])));
		expect(names(presets)).toEqual(['odd']);
	});
});
