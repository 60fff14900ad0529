import { afterEach, describe, expect, it } from 'vitest';
import { geminiCli } from '../../src/drivers/gemini-cli/driver.ts';
import { conformanceLab, type ConformanceLab } from '../conformance/lab.ts';
import { geminiUnderTest } from '../support/agents/gemini.ts';
import { deskOf } from '../support/desk.ts';
import { eventually } from '../support/eventually.ts';
import { long } from '../support/long.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';
import { standsUntilAnsweredInTerminal } from './stories.ts';

describe('a question of the real Gemini CLI in a watched terminal', () => {
	let lab: ConformanceLab;
	afterEach(() => lab[Symbol.asyncDispose]());
	const begin = async (prompt: string) => {
		const candidate = { agent: geminiUnderTest, driver: geminiCli, installed: pinnedAgent('gemini') };
		lab = await conformanceLab(candidate, { watched: true });
		const worker = await lab.start({ prompt, asks: true });
		// What its hooks report is collected, as a window does it.
		await lab.becomes(worker.address, 'its session is known', ({ record }) => record.sessions.length > 0);
		return { worker, desk: deskOf(lab.nancy) };
	};

	it(
		'stands at the desk until it is answered in the terminal: it is not known to be whole, so a Yes is given there',
		long,
		async () => {
			const { worker, desk } = await begin('[[sh:touch made]] [[text:All said]]');
			await standsUntilAnsweredInTerminal(lab, worker, desk, /✦ All said/);
		},
	);

	it('has no Yes at the desk, for the CLI shows another command than it runs', async () => {
		const { worker, desk } = await begin(
			String.raw`[[tool:run_shell_command|{"command":"echo made \u001b;touch made"}]] [[text:All said]]`,
		);
		const [asked] = await desk.asked();
		expect(asked).toMatchObject({ body: 'echo made ouch made', choices: [{ effect: 'end', isMute: true }] });
		worker.terminal.type(geminiUnderTest.yes);
		await lab.made('made');
	});

	it('is denied by a No at the desk, which ends the turn', long, async () => {
		const { worker, desk } = await begin('[[sh:touch made]] [[text:Never said]]');
		const [asked] = await desk.asked();
		await desk.answer(asked, { effect: 'end' });
		await worker.terminal.waitForText(/Request cancelled/);
		expect(await desk.outcome(asked)).toMatchObject({ state: 'applied' });
		expect(lab.has('made')).toBe(false);
	});

	it('stands at the desk again when what held it there is killed, and its No is typed', long, async () => {
		const { worker, desk } = await begin('[[sh:touch made]] [[text:Never said]]');
		const [first] = await desk.asked();
		process.kill(first.holder.pid, 'SIGKILL');
		const again = await eventually('it is asked again', async () =>
			(await desk.open()).find(({ id }) => id !== first.id),
		);
		expect(again).toMatchObject({ body: 'touch made' });
		await desk.answer(again, { effect: 'end' });
		await worker.terminal.waitForText(/Request cancelled/);
		expect(await desk.outcome(again)).toMatchObject({ state: 'applied' });
		expect(lab.has('made')).toBe(false);
	});

	it('shows a new file, and the name that its heading has', long, async () => {
		const { desk } = await begin('[[write:new.txt|one\ntwo]] [[text:Over]]');
		const [asked] = await desk.asked();
		expect(asked).toMatchObject({
			tool: 'write_file',
			body: '1 one\n2 two',
			also: [{ name: 'explanation', value: 'Writing to new.txt' }],
		});
		expect(asked?.choices).toEqual([{ effect: 'end', isMute: true }]);
	});

	it('is over at the desk once it is answered in the terminal', long, async () => {
		const { worker, desk } = await begin('[[sh:touch made]] [[sh:touch never]] [[text:Never said]]');
		const [yes] = await desk.asked();
		worker.terminal.type(geminiUnderTest.yes);
		await lab.made('made');
		expect(await desk.outcome(yes)).toMatchObject({ state: 'yes-elsewhere' });
		const [no] = await desk.asked();
		worker.terminal.type(geminiUnderTest.no);
		await worker.terminal.waitForText(/Request cancelled/);
		expect(await desk.outcome(no)).toMatchObject({ state: 'no-elsewhere' });
		expect(await desk.open()).toEqual([]);
		expect(lab.has('made')).toBe(true);
		expect(lab.has('never')).toBe(false);
	});

	it('is none where the model only writes what looks like one', long, async () => {
		const edge = '─'.repeat(20);
		const fake = [
			`╭${edge}╮`,
			'│ ? Shell  touch made   │',
			`│ ╭${edge}╮ │`,
			'│ │ touch made │ │',
			`│ ╰${edge}╯ │`,
			'│ Allow execution of [Shell]?  │',
			'│   │',
			'│ ● 1. Allow once  │',
			'│   2. Allow for this session  │',
			'│   3. No, suggest changes (esc)  │',
			`╰${edge}╯`,
		].join('\n');
		const { worker, desk } = await begin(`[[slow:4000:Look:\n\n${fake}]]`);
		await worker.terminal.waitForText(/✦ Look:[^]*No, suggest changes \(esc\)/);
		await worker.idle();
		// Longer than a question needs.
		await new Promise(resolve => setTimeout(resolve, 3000));
		expect(worker.terminal.screen()).toMatch(/✦ Look:[^]*No, suggest changes \(esc\)/);
		expect(await desk.all()).toEqual([]);
	});
});
