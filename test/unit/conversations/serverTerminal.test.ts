import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { identify, liveness } from '../../../src/base/liveness.ts';
import { eventually } from '../../support/eventually.ts';
import { smallAgent, talkRoom } from '../../support/talkRoom.ts';
import { long } from '../../support/long.ts';

let room: ReturnType<typeof talkRoom>;
beforeEach(() => {
	room = talkRoom();
});
afterEach(() => room.folder.remove());

it('gives the variables of an entry to its agent alone: the guard, and what that starts, never have them', async () => {
	room.set({ mine: { command: 'node', env: { TOKEN: 'of-the-setting' } } });
	const shown = await room.talk();
	await shown.waitForText(/> Begin\.\s+>/);
	shown.type('/exit\r');
	expect(await shown.ended).toBe(0);
	await shown.close();
	expect(JSON.parse(room.seen('agent'))).toMatchObject({ TOKEN: 'of-the-setting', NANCY_HOOKS: 'off' });
	expect(room.seen('guard')).toContain('NANCY_HOOK_SESSION=');
	expect(room.seen('guard')).not.toMatch(/of-the-setting|NANCY_HOOKS=off/);
});

it.each([
	['has gone', {}, /the setting "agentServers" names no agent "mine"/],
	['is wrong', { mine: { command: 'node', env: { PATH: '/evil' } } }, /"agentServers\.mine\.env\.PATH" in/],
])('starts nothing, and says why, if the entry %s meanwhile', async (_what, entries, words) => {
	room.set(entries);
	const shown = await room.talk();
	expect(await shown.ended).toBe(1);
	await shown.waitForText(words);
	await shown.close();
	expect(() => room.seen('agent')).toThrow(/ENOENT/);
	expect(() => room.seen('guard')).toThrow(/ENOENT/);
});

describe('an agent that does what it should not', () => {
	beforeEach(() => room.set({ mine: { command: 'node' } }));

	it('writes what is no message, and the terminal shows the rest of its turn alone', async () => {
		const clears = JSON.stringify('\u001b[2J\u001b[H gone');
		room.does(
			smallAgent(`
				words('Before.\\n');
				console.log('Loading ' + ${clears});
				for (const value of [[], null, 7, {}, { id: ${clears}, result: 1 }, { method: ${clears} }]) console.log(JSON.stringify(value));
				say({ id: ${clears}, result: {} });
				say({ method: ${clears}, params: {} });
				tell({ sessionUpdate: 'of_a_later_version' });
				tell({ sessionUpdate: 'plan', entries: 'none' });
				words('After.\\n');
			`),
		);
		const shown = await room.talk();
		expect(await shown.waitForText(/After\.\s+>/)).toMatch(/^> Begin\.\s+Before\.\s+After\.\s+>$/);
		await shown.close();
	});

	it('writes 15 MB in one turn, and the end of it is shown', long, async () => {
		room.does(
			smallAgent(
				"for (let n = 0; n < 230; n++) words(('x'.repeat(100) + '\\n').repeat(650)); words('The end.\\n');",
			),
		);
		const shown = await room.talk();
		await shown.waitForText(/x\nThe end\.\s+>/);
		await shown.close();
	});

	it('crashes in the middle of a turn, and the terminal ends with its last words', async () => {
		room.does(smallAgent(`words('Before.\\n'); console.error('Out of memory'); process.exit(134);`));
		const shown = await room.talk();
		expect(await shown.ended).toBe(1);
		expect(await shown.waitForText(/Out of memory/)).toContain('Before.');
		await shown.close();
	});

	it('never says what it can, and ends with the terminal that its user leaves', async () => {
		room.does(
			"require('node:fs').writeFileSync(process.env.SEEN + '/agent', String(process.pid)); setInterval(() => {}, 1000);",
		);
		const shown = await room.talk();
		const pid = await eventually(
			'it has begun',
			() => existsSync(room.folder.file('seen', 'agent')) && Number(room.seen('agent')),
		);
		const begun = identify(pid);
		shown.type('\u0003');
		await shown.ended;
		await eventually('it has ended', () => liveness(begun) === 'dead');
		await shown.close();
	});
});
