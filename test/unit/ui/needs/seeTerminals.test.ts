import { expect, it } from 'vitest';
import { Emitter } from '../../../../src/base/event.ts';
import { seeTerminals } from '../../../../src/ui/needs/seeTerminals.ts';

type Window = Parameters<typeof seeTerminals>[0];
type Terminal = NonNullable<Window['activeTerminal']>;

/** Only its process counts. */
function terminal(processId: Promise<number | undefined>): Terminal {
	return Object.assign(Object.create(null), { processId });
}

function begin(activeTerminal?: Terminal) {
	const changed = new Emitter<void>();
	const terminals = new Emitter<Terminal | undefined>();
	const focus = new Emitter<Window['state']>();
	const seen: number[] = [];
	const state = { focused: true, active: true };
	const window = {
		activeTerminal,
		state,
		onDidChangeActiveTerminal: terminals.event as Window['onDidChangeActiveTerminal'],
		onDidChangeWindowState: focus.event as Window['onDidChangeWindowState'],
	};
	const seeing = seeTerminals(window, [changed.event], pid => seen.push(pid));
	return {
		seen,
		seeing,
		settles: () => new Promise(resolve => setImmediate(resolve)),
		changes: () => changed.fire(),
		shows: (next: Terminal | undefined) => {
			window.activeTerminal = next;
			terminals.fire(next);
		},
		isFocused: (focused: boolean) => {
			state.focused = focused;
			focus.fire(state);
		},
	};
}

it('sees what an agent does while its terminal is in front', async () => {
	const { seen, settles, changes } = begin(terminal(Promise.resolve(7)));
	await settles();
	expect(seen).toEqual([7]);
	changes();
	expect(seen).toEqual([7, 7]);
});

it('sees nothing in a window without the focus, until it has it', async () => {
	const { seen, settles, changes, shows, isFocused } = begin();
	isFocused(false);
	shows(terminal(Promise.resolve(7)));
	await settles();
	changes();
	expect(seen).toEqual([]);
	isFocused(true);
	expect(seen).toEqual([7]);
});

it('takes no terminal for the one before it', async () => {
	const { seen, settles, changes, shows } = begin(terminal(Promise.resolve(7)));
	await settles();
	shows(terminal(new Promise(() => undefined)));
	changes();
	shows(undefined);
	await settles();
	changes();
	expect(seen).toEqual([7]);
});

it('ends with the window', async () => {
	const { seen, seeing, settles, changes, isFocused } = begin(terminal(Promise.resolve(7)));
	await settles();
	seeing.dispose();
	changes();
	isFocused(true);
	expect(seen).toEqual([7]);
});
