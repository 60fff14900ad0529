import { expect, it } from 'vitest';
import { Held, Touches } from '../../../../src/ui/kit/held.ts';

function seen() {
	const clock = { ms: 1_000_000, isElsewhere: false };
	const touches = new Touches(
		() => clock.isElsewhere,
		() => clock.ms,
	);
	return { clock, touches, held: new Held<string>(touches, () => clock.ms) };
}

it('shows another state at once while nobody is in the view', () => {
	const { held } = seen();
	expect(held.of('t', 'working')).toBe('working');
	expect(held.of('t', 'idle')).toBe('idle');
});

it('keeps the state that is shown for ten seconds after the view was touched', () => {
	const { clock, touches, held } = seen();
	held.of('t', 'working');
	touches.touch();
	expect(held.of('t', 'needs')).toBe('working');
	clock.ms += 9_999;
	expect(held.of('t', 'idle')).toBe('working');
	clock.ms += 1;
	expect(held.of('t', 'idle')).toBe('idle');
});

it('shows a new thing as it is', () => {
	const { touches, held } = seen();
	touches.touch();
	expect(held.of('t', 'needs')).toBe('needs');
});

it('shows rows as they are that VS Code asks for anew', () => {
	const { touches, held } = seen();
	held.of('t', 'none');
	touches.touch();
	expect(held.of('t', 'some', false)).toBe('some');
	expect(held.of('t', 'more')).toBe('some');
});

it('forgets a row that nobody has asked for in a minute', () => {
	const { clock, touches, held } = seen();
	held.of('gone', 'working');
	for (let step = 0; step < 12; step++) {
		held.of('here', 'working');
		clock.ms += 5000;
	}
	touches.touch();
	expect([held.of('here', 'idle'), held.of('gone', 'idle')]).toEqual(['working', 'idle']);
});

it('keeps nothing while the user is elsewhere, and once the user asks for other rows', () => {
	const { clock, touches, held } = seen();
	held.of('t', 'working');
	touches.touch();
	clock.isElsewhere = true;
	expect(held.of('t', 'idle')).toBe('idle');
	clock.isElsewhere = false;
	touches.release();
	expect(held.of('t', 'ended')).toBe('ended');
});
