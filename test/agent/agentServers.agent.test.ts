import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { identify, liveness } from '../../src/base/liveness.ts';
import { deploy } from '../../src/core/deployment/deploy.ts';
import { geminiCli } from '../../src/drivers/gemini-cli/driver.ts';
import { descendantsOf, processTable } from '../../src/process/processTable.ts';
import { AskingOutput } from '../../src/protocol/output/questions.ts';
import { InboxOutput } from '../../src/protocol/output/messages.ts';
import { StatusOutput } from '../../src/protocol/output/tasks.ts';
import { eventsOf, isAfter } from '../conformance/evidence.ts';
import { WORKER, type ConformanceLab } from '../conformance/lab.ts';
import { agentLab } from '../support/agentLab.ts';
import { deskOf } from '../support/desk.ts';
import { eventually } from '../support/eventually.ts';
import { long, longIf } from '../support/long.ts';
import { opencodeHome } from '../support/opencodeHome.ts';
import {
	commandOf,
	copilotServed,
	geminiServed,
	holdAnswers,
	opencodeServed,
	readAgain,
	servedLab,
} from '../support/servedAgents.ts';
import { terminal } from '../support/terminal.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';
import { goesOnOnceResumed, hearsDeskAndTerminal, readsAgainOnceKilled } from './stories.ts';

describe.each([opencodeServed, copilotServed])('$agent.id, named by a setting', served => {
	const decides = served === copilotServed;
	let lab: ConformanceLab;
	afterEach(() => lab[Symbol.asyncDispose]());
	const begin = async (asks = false) => {
		lab = await servedLab(served, { asks, env: { FROM_SETTINGS: 'yes' } });
		return deskOf(lab.nancy);
	};
	/** It is idle, and a message is on its way to it. */
	const handingOver = async () => {
		await begin();
		const worker = await lab.startIdle();
		const letGo = holdAnswers(lab, 'prompt');
		const id = await lab.send(worker.address, 'Use the other port. [[text:Read it]]');
		await lab.delivered(worker.address, id);
		return { worker, letGo };
	};

	it('runs a turn with the variables of the setting, and is idle', longIf(!decides), async () => {
		await begin();
		const worker = await lab.start({
			prompt: 'Hello there. [[sh:echo $FROM_SETTINGS > said]] [[text:All said]]',
		});
		await worker.terminal.waitForText(/All said/);
		await lab.made('said');
		await worker.idle();
		expect((await lab.seen('Hello there.')).text).toContain('Hello there.');
		const view = await lab.view(worker.address);
		expect(view?.record).toMatchObject({ agent: 'acp-mine' });
		expect(view?.record.agentVersion).toBeUndefined();
	});

	it(
		'asks at the desk and in the terminal: a Yes runs the tool, a No does not, and the first answer counts',
		longIf(!decides),
		async () => {
			const desk = await begin(true);
			const worker = await lab.start({ prompt: '[[sh:touch made]] [[sh:touch more]] [[text:Over]]' });
			const [first] = await desk.asked();
			expect(first).toMatchObject({
				driver: 'acp-mine',
				kind: 'tool',
				tool: 'execute',
				body: 'touch made',
				bodyIs: 'command',
				session: await worker.session(),
				choices: [{ effect: 'once' }, { effect: 'no' }],
			});
			await lab.becomes(worker.address, 'waiting', ({ state }) => state.phase === 'waiting');
			await hearsDeskAndTerminal(lab, worker, desk, first);
		},
	);

	it('shows what an edit would change, and writes the file after a Yes', longIf(!decides), async () => {
		const desk = await begin(true);
		const file = lab.workspace.file('new.txt');
		const worker = await lab.start({ prompt: `[[write:${file}|hello]] [[text:Over]]` });
		const [edit] = await desk.asked();
		expect([edit.body, ...(edit.also ?? []).map(({ value }) => value)].join('\n')).toContain('hello');
		expect(edit).toMatchObject({ files: [file] });
		await desk.answer(edit, { effect: 'once' });
		await lab.made('new.txt');
		await worker.idle();
	});

	it('is woken by a message while it is idle', longIf(!decides), async () => {
		await begin();
		const worker = await lab.startIdle();
		const wake = await lab.send(worker.address, 'Look at the log. [[text:Woken up]]', { kind: 'feedback' });
		await lab.seen('Look at the log.');
		expect(await lab.delivered(worker.address, wake)).toMatchObject({
			receipt: { rung: 'waiter', event: 'prompt' },
		});
		await worker.terminal.waitForText(/Woken up/);
		await worker.idle();
	});

	it('is interrupted with the tool that runs, goes on, and ends with its terminal', longIf(!decides), async () => {
		await begin();
		const worker = await lab.start({
			prompt: '[[sh:touch begun; sleep 300; touch never]] [[text:Never said]]',
		});
		await lab.made('begun');
		const working = descendantsOf(worker.terminal.pid, await processTable());
		const sleeping = /\bsleep\s*300\b/;
		expect(working.some(pid => sleeping.test(commandOf(pid)))).toBe(true);
		await worker.interrupt();
		await worker.terminal.waitForText(/— interrupted —/);
		await worker.idle();
		await eventually('the tool has ended', () => !working.some(pid => sleeping.test(commandOf(pid))));
		await worker.submit('[[text:On again]]');
		await worker.terminal.waitForText(/On again\s*\n/);
		const below = descendantsOf(worker.terminal.pid, await processTable()).map(identify);
		expect(below.length).toBeGreaterThan(0);
		await worker.terminal.close();
		await eventually('all of it has ended', () => below.every(each => liveness(each) === 'dead'));
		await lab.becomes(worker.address, 'ended', ({ state }) => state.phase === 'ended');
		expect(lab.has('never')).toBe(false);
	});

	it(
		'reads afterwards what came with a prompt that its user breaks off before the answer',
		longIf(!decides),
		async () => {
			await begin();
			const id = await lab.send(WORKER, 'Use the other port. [[text:Read it]]');
			const letGo = lab.model.hold(request => request.hasTools);
			const worker = await lab.start({ prompt: 'Think about it.' });
			await lab.seen('Use the other port.');
			await lab.delivered(worker.address, id);
			const before = lab.requests().length;
			await worker.interrupt();
			await worker.terminal.waitForText(/— interrupted —/);
			letGo();
			await readAgain(lab, worker, 'Use the other port.', before);
		},
	);

	it('reads afterwards what was being handed over when its user pressed Esc', long, async () => {
		const { worker, letGo } = await handingOver();
		await worker.interrupt();
		// It may be the beginning of another key until half a second is over.
		await sleep(2000);
		letGo();
		await worker.terminal.waitForText(/— interrupted —/);
		await readAgain(lab, worker, 'Use the other port.');
	});

	it(
		'is woken no more than four times by what its turns fail with, and has it after a turn that ends well',
		longIf(!decides),
		async () => {
			await begin();
			const worker = await lab.startIdle();
			const id = await lab.send(worker.address, 'Use the other port. [[err:400]]');
			// The words of an error are words of this agent, and the prompt stays in its conversation.
			if (served.saysErrors) {
				await worker.terminal.waitForText(/Error: 400/);
				expect((await lab.delivered(worker.address, id)).receipt?.lost).toBeUndefined();
				return;
			}
			const isQueuedAfter = (losses: number) =>
				eventually(
					`it was lost ${losses} times`,
					async () => {
						await lab.view(worker.address);
						const { messages } = await lab.nancy.mailbox(worker.address).list(['queued']);
						return messages[0]?.held?.code === 'unanswered' && messages[0].lost === losses;
					},
					{ everyMs: 250 },
				);
			const failures = () => worker.terminal.history().split('✗').length - 1;
			await isQueuedAfter(4);
			expect(failures()).toBe(4);
			await worker.submit('Go on. [[text:Going on]]');
			await worker.terminal.waitForText(/Going on\s*\n/);
			await isQueuedAfter(5);
			expect(failures()).toBe(5);
		},
	);

	it('reads, once it is resumed, what was being handed over when it was killed', long, async () => {
		const { worker, letGo } = await handingOver();
		process.kill(-worker.terminal.pid, 'SIGKILL');
		await worker.terminal.ended;
		letGo();
		await lab.start({ resume: true, prompt: 'Go on. [[text:Going on]]' });
		expect((await lab.seen('Use the other port.')).text).toContain('Use the other port.');
	});

	it.each(['without', 'with'])(
		'reads, once it is resumed, what came at the end of a turn, and was not answered when it was killed %s its terminal',
		long,
		async how => {
			await begin();
			const end = lab.model.hold(({ text }) => text.includes('[[text:First]]'));
			const worker = await lab.start({ prompt: '[[text:First]]' });
			await lab.seen('[[text:First]]');
			const id = await lab.send(worker.address, 'Use the other port. [[text:Read it]]');
			const letGo = lab.model.hold(({ text }) => text.includes('Use the other port.'));
			end();
			await lab.seen('Use the other port.');
			expect(await lab.delivered(worker.address, id)).toMatchObject({ receipt: { event: 'stop' } });
			await readsAgainOnceKilled(lab, worker, { how, letGo, words: 'Use the other port.' });
		},
	);

	it('reads after a command of its own what waits for it, and not with the command', longIf(!decides), async () => {
		await begin();
		const id = await lab.send(WORKER, 'Use the other port. [[text:Read it]]');
		const worker = await lab.start({ prompt: '/nothing [[text:Over]]' });
		await lab.seen('Use the other port.');
		expect(await lab.delivered(worker.address, id)).toMatchObject({ receipt: { event: 'stop' } });
	});

	it('is given no words of a guard that fails', long, async () => {
		await begin();
		const worker = await lab.startIdle();
		const calls = `${lab.runtime.launcher}-calls`;
		// Something else than a message ends with the code of a wake.
		const script = 'echo "$3" >>"$0-calls"; echo unreadable >&2; exit 2';
		rmSync(lab.runtime.launcher);
		writeFileSync(lab.runtime.launcher, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
		await lab.send(worker.address, 'Use the other port.');
		await eventually('it has failed', () => existsSync(calls) && readFileSync(calls, 'utf8').includes('wait'));
		await worker.submit('[[text:On again]]');
		await worker.terminal.waitForText(/On again\s*\n/);
		expect(worker.terminal.screen()).not.toContain('unreadable');
		expect(lab.requests().some(({ text }) => text.includes('unreadable'))).toBe(false);
	});

	it('tells each thing once', longIf(!decides), async () => {
		await begin();
		const worker = await lab.start({ prompt: '[[sh:touch made; sleep 1]] [[text:First end]]' });
		await worker.terminal.waitForText(/First end/);
		await worker.idle();
		const events = await eventsOf(lab, worker);
		expect(events.map(({ kind }) => kind)).toEqual(['session-start', 'prompt', 'tool-start', 'tool-end', 'stop']);
		expect(events.at(-2)).toMatchObject({ tool: 'execute', summary: 'touch made; sleep 1' });
		expect(events.at(-1)).toMatchObject({ summary: 'First end' });
	});

	it('goes on with its conversation once it is resumed', long, async () => {
		await begin();
		await goesOnOnceResumed(lab);
	});
});

it('reads what comes while it works as its next prompt where it cannot be steered', async () => {
	await using lab = await servedLab(copilotServed);
	const worker = await lab.start({ prompt: `${lab.held} [[text:First end]]` });
	await lab.made('begun');
	const directive = await lab.send(worker.address, 'Use the other port. [[text:Second end]]');
	lab.letGo();
	expect(isAfter(await lab.seen('Use the other port.'), 'First end')).toBe(true);
	expect(await lab.delivered(worker.address, directive)).toMatchObject({
		receipt: { rung: 'prompt', event: 'stop' },
	});
	await worker.terminal.waitForText(/Second end/);
	await worker.idle();
});

it('tells each thing once where Set Up has written hooks that the same CLI runs', long, async () => {
	await using lab = await servedLab(geminiServed);
	await deploy(lab.nancy, geminiCli, { runtime: lab.runtime, agentVersion: lab.version, scope: 'workspace' });
	const worker = await lab.start({ prompt: '[[text:First end]]' });
	await worker.terminal.waitForText(/First end/);
	await worker.idle();
	const message = await lab.send(worker.address, 'Look at it. [[text:Looked at]]');
	await worker.terminal.waitForText(/Looked at\s*\n/);
	await worker.idle();
	expect(await lab.delivered(worker.address, message)).toMatchObject({ receipt: { driver: 'acp-mine' } });
	expect((await eventsOf(lab, worker)).map(event => `${event.driver} ${event.kind}`)).toEqual([
		'acp-mine session-start',
		'acp-mine prompt',
		'acp-mine stop',
		'acp-mine prompt',
		'acp-mine stop',
	]);
	expect((await lab.nancy.tasks()).tasks).toHaveLength(1);
});

describe('nancy orchestrate with an agent of the settings file', () => {
	let nancy: NancyCommand;
	beforeAll(async () => {
		nancy = await NancyCommand.build({ isPackage: true });
	});
	afterAll(() => nancy[Symbol.asyncDispose]());

	it('starts it by its name, and its question is answered by nancy answer', long, async () => {
		await using lab = await agentLab(opencodeHome, { settings: { permission: { bash: 'ask' } } });
		const [cwd, config] = [lab.workspace.path, `${lab.home}/.config`];
		const settings = `${config}/nancy/settings.json`;
		mkdirSync(dirname(settings), { recursive: true });
		const mine = { command: lab.agent.command, args: ['acp'], env: { SECRET: 'of-the-setting' } };
		writeFileSync(settings, JSON.stringify({ agentServers: { mine, wrong: { command: 1 } } }), { mode: 0o600 });
		const env = { ...lab.env, XDG_DATA_HOME: nancy.dataFolder, XDG_CONFIG_HOME: config };
		const call = (...args: string[]) => nancy.start(args, { cwd, env });
		const prompt = 'Begin. [[sh:touch made]] [[text:All said]]';
		const shown = terminal(
			process.execPath,
			[nancy.program, 'orchestrate', 'build', '--agent', 'mine', '--prompt', prompt],
			{ cwd, env },
		);
		await shown.waitForText(/touch made[^]*Your answer/);
		const asked = async () => AskingOutput.parse(JSON.parse((await call('questions', '--json')).stdout)).questions;
		const [question] = await eventually('the question', async () => {
			const found = await asked();
			return found.length > 0 ? found : undefined;
		});
		const id = question?.question.id ?? '';
		const answering = terminal(process.execPath, [nancy.program, 'answer', id, 'yes'], { cwd, env });
		await answering.ended;
		await answering.close();
		await shown.waitForText(/All said/);
		expect(lab.model.requests.some(({ text }) => text.includes('Begin.'))).toBe(true);
		await call('wait', 'build', '--until', 'idle', '--timeout', '600');
		const { stdout: sent } = await call('send', 'build', 'Look. [[text:Looked]]');
		await shown.waitForText(/Looked/);
		const { messages } = InboxOutput.parse(JSON.parse((await call('inbox', '--json')).stdout));
		expect(messages).toMatchObject([{ id: sent.trim(), state: 'delivered', receipt: { rung: 'waiter' } }]);
		const { tasks } = StatusOutput.parse(JSON.parse((await call('status', '--json')).stdout));
		expect(tasks).toMatchObject([{ task: 'build', workers: [{ agent: 'acp-mine', queued: 0 }] }]);
		expect((await call('stop', 'build')).stdout).toMatch(/^build\/worker (stopped|killed)/);
		await shown.close();
		// Beside the user's own file, nothing holds a value of the setting.
		const kept = await nancy.start(['traffic', 'build', '--json'], { cwd, env });
		expect(kept.stdout).not.toContain('of-the-setting');
	});
});
