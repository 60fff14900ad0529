import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { identify, liveness } from '../../src/base/liveness.ts';
import { WAKE_PROMPT } from '../../src/core/driver/hooks.ts';
import { geminiCli } from '../../src/drivers/gemini-cli/driver.ts';
import { qwenCode } from '../../src/drivers/qwen-code/driver.ts';
import { descendantsOf, processTable } from '../../src/process/processTable.ts';
import { conformanceLab, type ConformanceLab, type LabOptions } from '../conformance/lab.ts';
import { geminiUnderTest } from '../support/agents/gemini.ts';
import { qwenUnderTest } from '../support/agents/qwen.ts';
import { eventually } from '../support/eventually.ts';
import { long, longIf } from '../support/long.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';
import { countQueued, isWokenByTyping, keepsHalfTypedDraft, LONGER_MS } from './stories.ts';

const clis = [
	{
		agent: geminiUnderTest,
		driver: geminiCli,
		shown: ['─'.repeat(40), ' Shift+Tab to accept edits', '', ' >   Type your message or @path/to/file', ''],
		footer: [' workspace (/directory)      sandbox', ' /workspace      no sandbox'],
		onWake: /Request cancelled/,
		interrupted: /Request cancelled/,
	},
	{
		agent: qwenUnderTest,
		driver: qwenCode,
		shown: ['─'.repeat(40), '>   Type your message or @path/to/file', '─'.repeat(40)],
		footer: ['  ➜ workspace', '  ⏸ Ask permissions (shift + tab to cycle)'],
		onWake: qwenUnderTest.question,
		interrupted: /cancelled/i,
	},
] as const;

describe.each(clis)('the real $driver.displayName in a watched terminal', ({ agent, driver, ...cli }) => {
	const decides = agent === geminiUnderTest;
	let lab: ConformanceLab;
	afterEach(() => lab[Symbol.asyncDispose]());
	const begin = async ({ asks = false, ...options }: LabOptions = {}) => {
		const candidate = { agent, driver, installed: pinnedAgent(agent.id) };
		lab = await conformanceLab(candidate, { watched: true, asks, ...options });
		// Not with its start: Gemini CLI may report that later than the end of its first turn.
		const worker = await lab.start({ asks });
		await worker.submit('[[text:First turn]]');
		await worker.idle();
		return worker;
	};
	for (const columns of [80, 40])
		it(
			`is woken by typing, again and again, and its receipts say so, on ${columns} columns`,
			longIf(columns === 80 || !decides),
			async () => {
				const worker = await begin({ size: { columns, rows: 24 } });
				await isWokenByTyping(lab, worker);
			},
		);

	it('is not woken in shell mode, nor while a draft is half typed, which stays as it is', long, async () => {
		const worker = await begin();
		worker.terminal.type('!');
		await worker.terminal.waitForText(/shell mode enabled/);
		await lab.send(worker.address, 'In the shell. [[text:Looked]]');
		await sleep(LONGER_MS);
		expect(worker.terminal.screen()).not.toContain(WAKE_PROMPT);
		expect(await countQueued(lab, worker)).toBe(1);
		worker.terminal.type('!');
		await lab.seen('In the shell.');
		await worker.idle();
		await keepsHalfTypedDraft(lab, worker, '[>*]');
	});

	it('is not woken at a question, whatever its model has printed', long, async () => {
		const worker = await begin({ asks: true, size: { columns: 40, rows: 40 } });
		await worker.submit(`[[text:${[...cli.shown, ...cli.footer].join('\\n')}]]`);
		await worker.idle();
		await worker.submit('[[sh:touch made]] [[text:Over]]');
		await worker.terminal.waitForText(agent.question);
		await lab.send(worker.address, 'At the question. [[text:Looked]]', { kind: 'feedback' });
		const before = lab.requests().length;
		await sleep(LONGER_MS);
		expect(worker.terminal.screen()).toMatch(agent.question);
		expect(await countQueued(lab, worker)).toBe(1);
		expect(lab.requests().length).toBe(before);
		expect(lab.has('made')).toBe(false);
	});

	it('takes the keys of a wake for no Yes to a question that opens in that moment', longIf(!decides), async () => {
		const worker = await begin({ asks: true });
		await worker.submit('[[sh:touch made]] [[text:Over]]');
		await worker.terminal.waitForText(agent.question);
		worker.terminal.type(WAKE_PROMPT);
		worker.terminal.type(driver.screen === 'none' ? '' : driver.screen.sends);
		// A key that it takes shows at once.
		await sleep(2000);
		await worker.terminal.waitForText(cli.onWake);
		worker.terminal.type(agent.no);
		await sleep(2000);
		expect(lab.has('made')).toBe(false);
	});

	it(
		'is interrupted by keys, goes on, and ends with its terminal; each time its command ends too',
		long,
		async () => {
			const worker = await begin();
			await worker.submit('[[sh:touch begun; exec sleep 1000]] [[text:Never said]]');
			await lab.made('begun');
			const before = descendantsOf(worker.terminal.pid, await processTable()).length;
			await worker.interrupt();
			await worker.terminal.waitForText(cli.interrupted);
			await eventually(
				'its command has ended',
				async () => descendantsOf(worker.terminal.pid, await processTable()).length < before,
			);
			await worker.submit('[[sh:touch again; tail -f /dev/null]] [[text:Never said]]');
			await lab.made('again');
			const table = await processTable();
			const programs = descendantsOf(worker.terminal.pid, table).map(identify);
			expect(programs.length).toBeGreaterThan(2);
			// As a window does whose terminal is closed, and nothing more.
			process.kill(worker.terminal.pid, 'SIGHUP');
			await worker.terminal.ended;
			await eventually('the agent and its command have ended', () =>
				programs.every(each => liveness(each) === 'dead'),
			);
			await lab.becomes(worker.address, 'ended', ({ state }) => state.phase === 'ended');
		},
	);
});
