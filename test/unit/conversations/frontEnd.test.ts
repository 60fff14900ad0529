import { existsSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { long } from '../../support/long.ts';
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
/** In the turn of its first prompt it asks once the test has let it. An interrupted turn is over once its question is. */
const asksOnceLet = `let open, stopReason = 'end_turn';
	${smallAgent(
		`if (params.prompt[0].text !== 'Begin.') { ${REPEATS} } else { words('Working.\\n'); open = id; return onceLet(() => ${ASK}); }`,
		`if (id === 'q') result.stopReason = stopReason;
		${ANSWERED}
		if (method === 'session/cancel') { stopReason = 'cancelled'; return; }`,
	)}`;
/** It asks while this line is being typed. */
async function askedBelow(draft: string, env: Record<string, string> = {}) {
	room.does(asksOnceLet);
	const shown = await room.talk({ env });
	await shown.waitForText(/Working\./);
	shown.type(draft);
	await shown.waitForText(new RegExp(`> ${draft}$`));
	room.let();
	await shown.waitForText(new RegExp(`1\\. Allow[^]*First end your line.*\\n> ${draft}$`));
	return shown;
}

let room: ReturnType<typeof talkRoom>;
beforeEach(() => {
	room = talkRoom();
	room.set({ mine: { command: 'node' } });
	room.does(smallAgent(REPEATS));
});
afterEach(() => room.folder.remove());

/** The desk has each question until the file `ask` is there, and no answer then. A call of another kind may wait for its own file too. */
function holdAtTheDesk(...others: string[]): void {
	const held = ['ask', ...others].join('|');
	const script = `#!/bin/sh\ncase "$3" in ${held}) until [ -e "$SEEN/$3" ]; do sleep 0.05; done;; esac\nexec cat >/dev/null\n`;
	writeFileSync(room.folder.file('guard'), script, { mode: 0o755 });
}

it('a question outside of a turn holds up neither the next turn nor what it says, and is denied if nobody answers it', async () => {
	holdAtTheDesk();
	const denied = "if (id === 'q') return words('Outcome: ' + JSON.parse(line).result.outcome.outcome + '\\n');";
	room.does(smallAgent(`${REPEATS} if (params.prompt[0].text === 'Begin.') onceLet(() => ${ASK});`, denied));
	const shown = await room.talk();
	await shown.waitForText(/Got "Begin\."\s+>$/);
	room.let();
	await shown.waitForText(/Answer it in Nancy’s view Questions\.\n>$/);
	shown.type('Go on.\r');
	await shown.waitForText(/Got "Go on\."\s+>$/);
	writeFileSync(room.folder.file('seen', 'ask'), '');
	await shown.waitForText(/Nobody has answered it: it is denied\.[^]*Outcome: cancelled\s+>$/);
	await shown.close();
});

it('a question that is left when its turn is over, and one behind it, hold up no question of the next turn', async () => {
	holdAtTheDesk('end');
	const ask = (name: string) => ASK.replace("id: 'q'", `id: '${name}'`).replace("'Allow'", `'Allow ${name}'`);
	const prompted = `const { text } = params.prompt[0];
		if (text === 'Begin.') { ${ask('one')}; ${ask('two')}; result.stopReason = 'max_tokens'; } else { open = id; return ${ask('three')} }`;
	const over =
		"if (!method) { words('Answered ' + id + '\\n'); if (id === 'three') say({ id: open, result }); return; }";
	room.does(`let open;${smallAgent(prompted, over)}`);
	const shown = await room.talk();
	await shown.waitForText(/Allow one[^]*limit of tokens[^]*Your answer.*:$/);
	shown.type('y\r');
	await shown.waitForText(/Nancy’s view Questions\.\s+Answered one/);
	writeFileSync(room.folder.file('seen', 'end'), '');
	await shown.waitForText(/Answered one\s+>$/);
	shown.type('Go on.\r');
	await shown.waitForText(/Allow three[^]*Your answer.*:$/);
	shown.type('y\r');
	await shown.waitForText(/Answered three\s+>$/);
	await shown.close();
});

it('a turn that ends without a reason is an error, and the conversation goes on', async () => {
	room.does(smallAgent(`${REPEATS} if (params.prompt[0].text === 'Begin.') return say({ id, result: {} });`));
	const shown = await room.talk();
	await shown.waitForText(/ended its turn without a reason\s+>$/);
	shown.type('Go on.\r');
	await shown.waitForText(/Got "Go on\."\s+>$/);
	await shown.close();
});

it.each(['/exit\r', '\u0004'])(
	'an idle agent is ended by the end of its input, and is not asked to terminate (%j)',
	async keys => {
		const note = (file: string) => `require('node:fs').writeFileSync(process.env.SEEN + '/${file}', '')`;
		room.does(`process.on('SIGTERM', () => ${note('terminated')}); process.on('exit', () => ${note('over')});
		${smallAgent(REPEATS)}`);
		const shown = await room.talk();
		await shown.waitForText(/Got "Begin\."\s+>$/);
		shown.type(keys);
		expect(await shown.ended).toBe(0);
		expect([existsSync(room.folder.file('seen/over')), existsSync(room.folder.file('seen/terminated'))]).toEqual([
			true,
			false,
		]);
	},
);

it('words with a No are the next prompt, for the protocol’s answer takes none', async () => {
	const options =
		"[{ optionId: 'a', kind: 'allow_once', name: 'Allow' }, { optionId: 'r', kind: 'reject_once', name: 'Reject' }]";
	const ask = ASK.replace(/options: .*/, `options: ${options} } })`);
	const over =
		"if (id === 'q') { words('Chosen: ' + JSON.parse(line).result.outcome.optionId + '\\n'); return say({ id: open, result }); }";
	room.does(
		`let open;${smallAgent(`if (params.prompt[0].text !== 'Begin.') { ${REPEATS} } else { open = id; return ${ask} }`, over)}`,
	);
	const shown = await room.talk();
	await shown.waitForText(/3\. No, and say why\nYour answer \(y, n, w, a number\):$/);
	shown.type('w\r');
	await shown.waitForText(/Say why:$/);
	shown.type('Use the other port.\r');
	await shown.waitForText(/Chosen: r\n[^]*Got "Use the other port\."\s+>$/);
	await shown.close();
});

describe('the input line', () => {
	it('reads keys as ever after Ctrl+Z, which cannot put it into the background', async () => {
		const shown = await room.talk();
		await shown.waitForText(/Got "Begin\."\s+>$/);
		shown.type('One\r');
		await shown.waitForText(/Got "One"\s+>$/);
		shown.type('\u001a');
		shown.type(UP);
		await shown.waitForText(/> One$/);
		await shown.close();
	});

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

	it.each([20, 40])('keeps all its rows below what is said meanwhile, on %i columns', long, async columns => {
		const later = "onceLet(() => words('One more.\\n'));";
		room.does(smallAgent(`${REPEATS} if (params.prompt[0].text === 'Go.') ${later}`));
		const shown = await room.talk({ columns });
		await shown.waitForText(/Got "Begin\."\s+>$/);
		shown.type('Go.\r');
		await shown.waitForText(/Got "Go\."\s+>$/);
		const typed = 'a line that is longer than two rows of the terminal here';
		shown.type(typed);
		const inRows = `> ${typed}`.replace(new RegExp(`.{${columns}}(?=.)`, 'g'), '$&\n');
		await shown.waitForText(new RegExp(`\n${inRows}$`));
		room.let();
		await shown.waitForText(
			new RegExp(`^> Begin\\.\nGot "Begin\\."\n> Go\\.\nGot "Go\\."\nOne more\\.\n${inRows}$`),
		);
		await shown.close();
	});

	it('shows what is typed while the agent works', async () => {
		room.does(smallAgent("words('Working.\\n'); return onceLet(() => words('Still.\\n'));"));
		const shown = await room.talk();
		await shown.waitForText(/Working\./);
		shown.type('my next prompt');
		await shown.waitForText(/Working\.\n> my next prompt$/);
		room.let();
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
		const shown = await askedBelow('y', { TERM: 'dumb' });
		shown.type('\r');
		await shown.waitForText(/Your answer.*:$/);
		shown.type('maybe\r');
		await shown.waitForText(/Type one of[^]*Your answer.*:$/);
		expect(shown.screen()).not.toContain('Over');
		shown.type('y\r');
		await shown.waitForText(/Over[^]*Got "y"/);
		await shown.close();
	});
});

describe('a line that was begun before a question came', () => {
	it('is sent as the line that it is, and its last keys answer nothing', async () => {
		const shown = await askedBelow('Is it read');
		shown.type('y\r');
		await shown.waitForText(/> Is it ready\nYour answer.*:$/);
		expect(shown.screen()).not.toContain('Over');
		shown.type('y\r');
		await shown.waitForText(/→ Allow[^]*Over[^]*Got "Is it ready"\s+>$/);
		await shown.close();
	});

	it('comes back by the Up key where Ctrl-C put it aside', async () => {
		const shown = await askedBelow('Is it');
		shown.type('\u0003');
		await shown.waitForText(/First end your line.*\nYour answer.*:$/);
		shown.type('y\r');
		await shown.waitForText(/Over\s+>$/);
		shown.type(`${UP} open?\r`);
		await shown.waitForText(/Got "Is it open\?"\s+>$/);
		await shown.close();
	});

	it('makes room for the answer once it is empty', async () => {
		const shown = await askedBelow('no');
		shown.type('\u007f\u007f');
		await shown.waitForText(/First end your line.*\nYour answer.*:$/);
		shown.type('y\r');
		await shown.waitForText(/Over\s+>$/);
		await shown.close();
	});

	it('stays as it is where the question is over without an answer from here', async () => {
		const shown = await askedBelow('Is it');
		shown.type(ESC);
		await shown.waitForText(/Over\n— interrupted —\n> Is it$/);
		shown.type(' open?\r');
		await shown.waitForText(/Got "Is it open\?"\s+>$/);
		await shown.close();
	});
});

describe('what an agent lets its user set', () => {
	const MODES = {
		currentModeId: 'ask',
		availableModes: [
			{ id: 'ask', name: 'Ask me' },
			{ id: 'https://agent.example/modes#all', name: 'Allow all' },
		],
	};
	const option = (currentValue: string) => ({
		id: 'model',
		name: 'Model',
		category: 'model',
		type: 'select',
		currentValue,
		options: [{ group: 'g', name: 'Group', options: ['small', 'large'].map(value => ({ value, name: value })) }],
	});
	const isOn = (currentValue: boolean) => ({ id: 'fast', name: 'Fast', type: 'boolean', currentValue });
	/** It says in a turn what was set. */
	const offering = (offered: object, set = '') =>
		room.does(
			smallAgent(
				`words(JSON.stringify(globalThis.chosen ?? 'nothing') + '\\n');`,
				`if (method === 'session/new') return say({ id, result: { sessionId: 's1', ...${JSON.stringify(offered)} } });
				if (method.startsWith('session/set')) { globalThis.chosen = { method, ...params }; ${set} }`,
			),
		);

	it('is its mode, by its name, also while it works', async () => {
		offering({ modes: MODES }, 'return say({ id, result: {} });');
		const shown = await room.talk();
		await shown.waitForText(/"nothing"\s+>$/);
		shown.type('/set\r');
		await shown.waitForText(/mode: ask \(ask, Allow all\)/);
		shown.type('/set mode allow all\r');
		await shown.waitForText(/— mode: Allow all —/);
		shown.type('Now.\r');
		await shown.waitForText(/"session\/set_mode","sessionId":"s1","modeId":"https:[^]*#all"/);
		shown.type('/set mode none\r');
		await shown.waitForText(/mode takes ask, Allow all/);
		await shown.close();
	});

	it('is each of its options, of which it also tells by itself', async () => {
		const told = `tell({ sessionUpdate: 'config_option_update', configOptions: [${JSON.stringify(option('large'))}, ${JSON.stringify(isOn(true))}] });`;
		offering(
			{ modes: MODES, configOptions: [option('small'), isOn(false)] },
			`${told} return say({ id, result: { configOptions: [${JSON.stringify(option('large'))}, ${JSON.stringify(isOn(true))}] } });`,
		);
		const shown = await room.talk();
		await shown.waitForText(/"nothing"\s+>$/);
		shown.type('/set\r');
		await shown.waitForText(/model: small \(small, large\)[^]*fast: off \(on, off\)/);
		expect(shown.screen()).not.toContain('mode:');
		shown.type('/set fast on\r');
		await shown.waitForText(/— model: large —\s+— fast: on —/);
		shown.type('Now.\r');
		await shown.waitForText(/"sessionId":"s1","configId":"fast","type":"boolean","value":true/);
		await shown.close();
	});

	it('is set by the agent’s own command where a second slash names that', async () => {
		room.does(
			smallAgent(
				REPEATS,
				`if (method === 'session/new') tell({ sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'set', description: '' }] });`,
			),
		);
		const shown = await room.talk();
		await shown.waitForText(/Got "Begin\."\s+>$/);
		shown.type('//\t');
		await shown.waitForText(/> \/\/set$/);
		shown.type(' mode plan\r');
		await shown.waitForText(/Got "\/set mode plan"\s+>$/);
		shown.type('// A comment\r');
		await shown.waitForText(/Got "\/\/ A comment"\s+>$/);
		await shown.close();
	});

	it('is set by nobody who only brings a prompt', async () => {
		offering({ modes: MODES }, 'return say({ id, result: {} });');
		const shown = await room.talk({ prompt: '/set mode allow all' });
		await shown.waitForText(/"nothing"\s+>$/);
		await shown.close();
	});

	it('is nothing for many an agent, and what it refuses is said', async () => {
		const shown = await room.talk();
		await shown.waitForText(/Got "Begin\."\s+>$/);
		shown.type('/set\r');
		await shown.waitForText(/this agent has nothing to set/);
		await shown.close();
		offering(
			{ modes: MODES },
			"return say({ id, error: { code: -32602, message: 'Invalid params', data: { details: 'Not as root' } } });",
		);
		const again = await room.talk();
		await again.waitForText(/"nothing"\s+>$/);
		again.type('/set mode allow all\r');
		await again.waitForText(/— not set: Invalid params: Not as root —/);
		await again.close();
	});
});

describe('the row below all while the agent works', () => {
	const half = `if (params.prompt[0].text === 'Begin.') { words('First.\\nHalf a line'); return onceLet(() => { words(' that ends.\\n'); say({ id, result }); }); } ${REPEATS}`;

	it('shows words that have no line end yet, and gives way to them', async () => {
		room.does(smallAgent(half));
		const shown = await room.talk();
		await shown.waitForText(/First\.\nHalf a line$/);
		room.let();
		await shown.waitForText(/First\.\nHalf a line that ends\.\n>$/);
	});

	it('says that it works while nothing else says so', async () => {
		room.does(smallAgent('return onceLet(() => { words("Done.\\n"); say({ id, result }); });'));
		const shown = await room.talk();
		await shown.waitForText(/> Begin\.\n— working(?:, \d+ s)?; Esc interrupts —$/);
		room.let();
		await shown.waitForText(/> Begin\.\nDone\.\n>$/);
	});

	it('gives way to a line that is typed, and comes back below it', async () => {
		room.does(smallAgent(half));
		const shown = await room.talk();
		await shown.waitForText(/Half a line$/);
		shown.type('And more');
		await shown.waitForText(/First\.\n> And more$/);
		shown.type('\r');
		await shown.waitForText(/First\.\n> And more\nHalf a line$/);
		room.let();
		await shown.waitForText(/> And more\nHalf a line that ends\.\n(.*\n)*Got "And more"\n>$/);
	});

	it('is one row, the end of what is longer, whatever its characters', async () => {
		room.does(
			smallAgent(
				`words('First.\\n' + '字'.repeat(200) + ' the end'); return onceLet(() => { words('.\\n'); say({ id, result }); });`,
			),
		);
		const shown = await room.talk({ columns: 40 });
		await shown.waitForText(/First\.\n….{0,38} the end$/);
		room.let();
		await shown.waitForText(/ the end\.\n>$/);
		expect(shown.screen()).not.toContain('…');
	});

	it('counts a tab as more than one column, and a line of many rows as its end', async () => {
		const says = (text: string) => `words(${JSON.stringify(text)});`;
		room.does(
			smallAgent(
				`${says('First.\n')} ${says('\t'.repeat(12))} ${says('x'.repeat(100))} return onceLet(() => { ${says(' the end')} return onceLet(() => { ${says('.\n')} say({ id, result }); }); });`,
			),
		);
		const shown = await room.talk({ columns: 40 });
		await shown.waitForText(/First\.\n…x{37}$/);
		room.let();
		await shown.waitForText(/First\.\n +x\n(x+\n)+x+ the end\.\n>$/);
	});

	it('leaves a pasted text alone that is not sent yet', async () => {
		room.does(smallAgent(half));
		const shown = await room.talk();
		await shown.waitForText(/Half a line$/);
		shown.type(pasted('one', 'two', ''));
		await shown.waitForText(/First\.\none\ntwo$/);
		shown.type('three\r');
		await shown.waitForText(/First\.\none\ntwo\n(?:> )?three\nHalf a line$/);
		room.let();
		await shown.waitForText(/Half a line that ends\.\n(.*\n)*Got "one\\ntwo\\nthree"\n>$/);
	});

	it('comes back where a line was typed and erased', async () => {
		room.does(smallAgent(half));
		const shown = await room.talk();
		await shown.waitForText(/Half a line$/);
		shown.type('x');
		await shown.waitForText(/First\.\n> x$/);
		shown.type('\u007f');
		await shown.waitForText(/First\.\nHalf a line$/);
		room.let();
		await shown.waitForText(/First\.\nHalf a line that ends\.\n>$/);
	});

	it('is one row after a line that the agent reads at once, and after a question', async () => {
		room.does(asksOnceLet);
		const shown = await room.talk();
		await shown.waitForText(/Working\.\n— working(?:, \d+ s)?; Esc interrupts —$/);
		shown.type('\r\r');
		await shown.waitForText(/Working\.\n\n\n— working(?:, \d+ s)?; Esc interrupts —$/);
		shown.type('/mode x\r');
		await shown.waitForText(/> \/mode x\n(?:—.*—\n)?— working(?:, \d+ s)?; Esc interrupts —$/);
		room.let();
		await shown.waitForText(/1\. Allow/);
		shown.type('y\r');
		const screen = await shown.waitForText(/Over\nGot.*\n>$/);
		expect(screen.match(/working/g) ?? []).toEqual([]);
	});

	it('is none on a terminal that takes nothing back', async () => {
		room.does(smallAgent(half));
		const shown = await room.talk({ env: { TERM: 'dumb' } });
		await shown.waitForText(/First\./);
		room.let();
		await shown.waitForText(/First\.\nHalf a line that ends\.\n>$/);
	});
});
