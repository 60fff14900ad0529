import { beforeEach, describe, expect, it } from 'vitest';
import { KeyRows } from '../../../../src/ui/kit/keyRows.ts';
import { Emitter } from '../../../../src/base/event.ts';

describe('a key of a view', () => {
	const selected = new Emitter<{ selection: readonly string[] }>();
	type Listener = (change: { selection: readonly string[] }) => void;
	let rows: KeyRows;
	beforeEach(() => {
		const view = { onDidChangeSelection: (listener: Listener) => selected.event(change => listener(change)) };
		rows = new KeyRows(view);
		return () => rows.dispose();
	});
	const select = (...selection: string[]) => selected.fire({ selection });
	/** As VS Code tells of it: by two changes of the selection. */
	const press = (before: readonly string[], focused: string) => {
		select(...(before.includes(focused) ? before.filter(row => row !== focused) : [...before, focused]));
		select(...before);
		return rows.take();
	};

	it('acts on the focused row, which is not selected', () => {
		select('clicked');
		expect(press(['clicked'], 'focused')).toEqual(['focused']);
		select('b', 'c');
		expect(press(['b', 'c'], 'a')).toEqual(['a']);
	});

	it('acts on all selected rows, if the focused one is one of them, as often as it is pressed', () => {
		select('a', 'b', 'c');
		for (const _ of [1, 2]) expect(press(['a', 'b', 'c'], 'b')).toEqual(['b', ['a', 'b', 'c']]);
	});

	it('acts on no row if none has the focus', () => {
		select('a');
		expect(press(['a'], 'a')).toEqual(['a', ['a']]);
		expect(rows.take()).toEqual([undefined]);
	});
});
