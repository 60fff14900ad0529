import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isSetting } from '../../../src/conversations/typedSettings.ts';
import { smallAgent, talkRoom } from '../../support/talkRoom.ts';

const MODES = {
	currentModeId: 'ask',
	availableModes: [
		{ id: 'ask', name: 'Ask me' },
		{ id: 'yolo', name: 'Plan' },
		{ id: 'plan', name: 'Read only' },
	],
};

describe('what a person types to set something', () => {
	const values = MODES.availableModes.map(({ id, name }) => ({ value: id, name }));
	/** What is set, and what is said. */
	const typed = (line: string, set = async () => {}, id = 'mode') => {
		const [all, said]: [string[], string[]] = [[], []];
		const settings = {
			list: [{ id, value: 'ask', values }],
			set: (id: string, value: string) => {
				all.push(`${id} ${value}`);
				return set();
			},
		};
		const isTaken = isSetting(line, { settings }, words => said.push(words));
		return { isTaken, all, said };
	};

	it.each([
		['plan', 'mode plan'],
		['read only', 'mode plan'],
		['YOLO', 'mode yolo'],
	])('is by its id rather than by the name of another: %s', (chosen, set) => {
		expect(typed(`/set mode ${chosen}`).all).toEqual([set]);
	});

	it('sets nothing where it may be either of two', () => {
		expect(typed('/set mode Plan')).toMatchObject({ all: [], said: ['mode takes ask, yolo, plan'] });
	});

	it('is one line: a pasted text that begins so is a prompt', () => {
		expect(typed('/set mode\nyolo')).toMatchObject({ isTaken: false, all: [] });
		expect(typed('/set\nmode yolo')).toMatchObject({ isTaken: false, all: [] });
		expect(typed('/settle it').isTaken).toBe(false);
	});

	it('has an id with blanks, too, and no other one that only begins so', () => {
		const ofApproval = (line: string) => typed(line, undefined, 'approval mode');
		expect(ofApproval('/set approval mode  Read only').all).toEqual(['approval mode plan']);
		expect(ofApproval('/set approval mode').said).toEqual(['approval mode: ask (ask, yolo, plan)']);
		expect(ofApproval('/set approval model plan')).toMatchObject({
			all: [],
			said: ['this agent has no "approval model plan" to set'],
		});
	});

	it('has an answer, also from an agent that gives none', () => {
		vi.useFakeTimers();
		try {
			const { said } = typed('/set mode plan', () => new Promise(() => {}));
			vi.runAllTimers();
			expect(said).toEqual(['mode is not set yet: the agent has not answered']);
		} finally {
			vi.useRealTimers();
		}
	});
});

describe('an agent that lets its user set something', () => {
	let room: ReturnType<typeof talkRoom>;
	beforeEach(() => {
		room = talkRoom();
		room.set({ mine: { command: 'node' } });
	});
	afterEach(() => room.folder.remove());

	/** @param begun what it does when it has named the session @param set how it takes a value */
	const offering = (offered: object, { set = '', prompted = '' } = {}) =>
		room.does(
			smallAgent(
				`words('Done\\n'); ${prompted}`,
				`if (method === 'session/new') { say({ id, result: { sessionId: 's' + (globalThis.n = (globalThis.n ?? 0) + 1), ...${JSON.stringify(offered)} } }); return; }
				if (method.startsWith('session/set')) { ${set} }`,
			),
		);

	it('has names that begin no line of their own', async () => {
		const name = 'Ask\n│ Bash:\n→ Allow';
		offering({
			modes: { currentModeId: 'a b', availableModes: [{ id: 'a b', name }] },
		});
		const shown = await room.talk();
		await shown.waitForText(/Done\s+>$/);
		shown.type('/set\r');
		await shown.waitForText(/mode: [^]*→ Allow\)/);
		expect(shown.screen()).not.toMatch(/^[│→]/m);
		await shown.close();
	});

	it('has set nothing in the session that began before it answered, and says what that one has', async () => {
		offering(
			{ modes: MODES },
			{
				set: `if (params.modeId === 'yolo') return say({ id, result: {} }); globalThis.late = id; return;`,
				prompted: `if (globalThis.late) say({ id: globalThis.late, result: {} });`,
			},
		);
		const shown = await room.talk();
		await shown.waitForText(/Done\s+>$/);
		shown.type('/set mode yolo\r');
		await shown.waitForText(/— mode: yolo —/);
		shown.type('/set mode plan\r');
		shown.type('/clear\r');
		await shown.waitForText(/— mode: ask —[^]*a new conversation/);
		shown.type('Go.\r');
		await shown.waitForText(/not set: another conversation has begun/);
		shown.type('/set\r');
		await shown.waitForText(/mode: ask \(/);
		await shown.close();
	});

	it.each([
		['none', '{}'],
		['another', '{ configOptions: 7 }'],
	])('that answers with %s has one line for it', async (_, result) => {
		const fast = { id: 'fast', name: 'Fast', type: 'boolean', currentValue: false };
		offering(
			{ configOptions: [{ id: 'n', name: 'N', type: 'number', currentValue: 3 }, fast] },
			{ set: `return say({ id, result: ${result} });` },
		);
		const shown = await room.talk();
		await shown.waitForText(/Done\s+>$/);
		shown.type('/set fast on\r');
		await shown.waitForText(/— not set: the agent’s answer cannot be read —/);
		await shown.close();
	});

	it('is told what is typed before it has begun', async () => {
		room.does(
			smallAgent(
				`words(JSON.stringify(params.prompt[0].text) + '\\n');`,
				"if (method === 'session/new') return onceLet(() => say({ id, result }));",
			),
		);
		const shown = await room.talk();
		await shown.waitForText(/> Begin\./);
		shown.type('/set mode plan\r');
		await shown.waitForText(/— not set: the agent has not begun yet —/);
		room.let();
		await shown.waitForText(/"Begin\."\s+>$/);
		await shown.close();
	});
});
