import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { smallAgent, talkRoom } from '../../support/talkRoom.ts';

const ESC = '\u001b';
const UP = `${ESC}[A`;
const pasted = (...lines: string[]) => `${ESC}[200~${lines.join('\r')}${ESC}[201~`;
/** It repeats each prompt, in JSON. */
const REPEATS = "words('Got ' + JSON.stringify(params.prompt[0].text) + '\\n');";

/** It asks, and its turn is over with the answer. */
const ASK = `say({ id: 'q', method: 'session/request_permission', params: {
	sessionId: 's1', toolCall: { toolCallId: 'c' }, options: [{ optionId: 'a', kind: 'allow_once', name: 'Allow' }] } })`;
const ANSWERED = "if (id === 'q') { words('Over\\n'); return say({ id: open, result }); }";

let room: ReturnType<typeof talkRoom>;
beforeEach(() => {
	room = talkRoom();
	room.set({ mine: { command: 'node' } });
	room.does(smallAgent(REPEATS));
});
afterEach(() => room.folder.remove());

describe('the input line', () => {
	it('brings back a pasted text as a whole, and sends it as it was', async () => {
		const shown = await room.talk();
		await shown.waitForText(/Got "Begin\."\s+>$/);
		shown.type(`${pasted('first', '', 'third')}\r`);
		await shown.waitForText(/Got "first\\n\\nthird"\s+>$/);
		shown.type('another\r');
		await shown.waitForText(/Got "another"\s+>$/);
		shown.type(UP + UP);
		await shown.waitForText(/> first\n[| ]*\n[| ]*third$/);
		shown.type('\r');
		await shown.waitForText(/(Got "first\\n\\nthird"[^]*){2}>$/);
		await shown.close();
	});

	it('brings back no answer to a question', async () => {
		room.does(
			`let open;${smallAgent(`if (params.prompt[0].text !== 'Ask.') { ${REPEATS} } else { open = id; return ${ASK} }`, ANSWERED)}`,
		);
		const shown = await room.talk();
		await shown.waitForText(/Got "Begin\."\s+>$/);
		shown.type('Ask.\r');
		await shown.waitForText(/Your answer.*:$/);
		shown.type('y\r');
		await shown.waitForText(/Over\s+>$/);
		shown.type(UP);
		await shown.waitForText(/> Ask\.$/);
		await shown.close();
	});

	it.each([20, 40])('keeps all its rows below what is said meanwhile, on %i columns', async columns => {
		const later = "setTimeout(() => words('One more.\\n'), 1500);";
		room.does(smallAgent(`${REPEATS} if (params.prompt[0].text === 'Go.') ${later}`));
		const shown = await room.talk({ columns });
		await shown.waitForText(/Got "Begin\."\s+>$/);
		shown.type('Go.\r');
		await shown.waitForText(/Got "Go\."\s+>$/);
		const typed = 'a line that is longer than two rows of the terminal here';
		shown.type(typed);
		await shown.waitForText(/One more\./);
		const inRows = `> ${typed}`.replace(new RegExp(`.{${columns}}(?=.)`, 'g'), '$&\n');
		await shown.waitForText(
			new RegExp(`^> Begin\\.\nGot "Begin\\."\n> Go\\.\nGot "Go\\."\nOne more\\.\n${inRows}$`),
		);
		await shown.close();
	});

	it('shows what is typed while the agent works', async () => {
		room.does(smallAgent("words('Working.\\n'); return setTimeout(() => { words('Still.\\n'); }, 1500);"));
		const shown = await room.talk();
		await shown.waitForText(/Working\./);
		shown.type('my next prompt');
		await shown.waitForText(/Working\.\n> my next prompt$/);
		await shown.waitForText(/Working\.\nStill\.\n> my next prompt$/);
		await shown.close();
	});
});

describe('a terminal', () => {
	const written = async (env: Record<string, string>) => {
		let all = '';
		const shown = await room.talk({ env, raw: data => (all += data) });
		await shown.waitForText(/Got "Begin\."[^>]*>/);
		shown.type('hello\r');
		await shown.waitForText(/Got "hello"[^>]*>/);
		shown.type('/exit\r');
		expect(await shown.ended).toBe(0);
		await shown.close();
		return all;
	};

	it('that is dumb gets no control sequence', async () => {
		expect(await written({ TERM: 'dumb' })).not.toContain(ESC);
	});

	it('that is to have no colour gets none', async () => {
		room.does(smallAgent(`${REPEATS} words('# Head\\n**bold**\\n');`));
		const colour = new RegExp(`${ESC}\\[[\\d;]*m`);
		expect(await written({})).toMatch(colour);
		expect(await written({ NO_COLOR: '1' })).not.toMatch(colour);
	});

	it('that is dumb takes nothing that was typed before a question for its answer', async () => {
		room.does(
			`let open;${smallAgent(`words('Working.\\n'); open = id; return setTimeout(() => ${ASK}, 1500);`, ANSWERED)}`,
		);
		const shown = await room.talk({ env: { TERM: 'dumb' } });
		await shown.waitForText(/Working\./);
		shown.type('y');
		await shown.waitForText(/typed too early: y\s+Your answer.*:$/);
		shown.type('\r');
		shown.type('maybe\r');
		await shown.waitForText(/Type one of[^]*Your answer.*:$/);
		expect(shown.screen()).not.toContain('Over');
		shown.type('y\r');
		await shown.waitForText(/Over/);
		await shown.close();
	});
});
