import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { WAKE_PROMPT } from '../../src/core/driver/hooks.ts';
import { readPhase } from '../../src/core/sessions/phase.ts';
import { WAKE_SUMMARY } from '../../src/drivers/claude-code/wake.ts';
import { SessionId } from '../../src/protocol/names.ts';
import { long } from '../support/long.ts';
import { submit } from '../support/submit.ts';
import { deployedLab, startedTask, type DeployedLab } from '../support/deployedLab.ts';
import { eventually } from '../support/eventually.ts';
import { sessionBinding } from '../../src/core/sessions/bindings.ts';

// How long it takes is for the bench to say: each agent here mostly waits.
vi.setConfig({ maxConcurrency: 2 });

const newSession = () => SessionId.parse(randomUUID());
const requests = (lab: DeployedLab) => lab.model.requests.filter(request => request.hasTools);

async function idle(lab: DeployedLab, session: SessionId): Promise<void> {
	await eventually('the session is idle', async () => (await readPhase(lab.nancy.paths, session)).phase === 'idle');
	await eventually('it watches its bell', async () => (await sessionBinding(lab.nancy, session))?.watched);
	await sleep(300); // the CLI's watcher starts after the hook's answer
}

/** A worker in a terminal that has answered its first prompt. */
async function afterFirstTurn(lab: DeployedLab) {
	const session = newSession();
	const address = await startedTask(lab, session);
	const claude = await lab.interactive(['--session-id', session]);
	await submit(claude, '[[text:First turn]]');
	await claude.waitForText(/● First turn/);
	return { session, address, claude };
}

describe.concurrent('waking an idle agent in a terminal', () => {
	it('wakes it without a key typed, and the words stand outside the wrapper', async () => {
		await using lab = await deployedLab();
		const { session, address, claude } = await afterFirstTurn(lab);
		await idle(lab, session);
		const id = await lab.send(address, 'Look at the log. [[text:Looked]]', { kind: 'feedback' });
		const request = await lab.model.waitForRequest(each => each.text.includes('Look at the log'));
		await claude.waitForText(/● Looked/);
		const message = await lab.delivered(address, id);
		expect(message.receipt).toMatchObject({ event: 'UserPromptSubmit', rung: 'wake', session });
		const turn = request.turns.findLast(each => each.text.includes('Look at the log'));
		expect(turn?.text).not.toContain('NOT USER INPUT');
		expect(claude.screen()).not.toMatch(/hook (failed|error|problem)/i);
	});

	it('wakes it after it changed its folder, with a half-typed draft left alone', long, async () => {
		await using lab = await deployedLab();
		const session = newSession();
		const address = await startedTask(lab, session);
		const claude = await lab.interactive(['--session-id', session, '--permission-mode', 'bypassPermissions']);
		await submit(claude, '[[sh:mkdir sub; cd sub]] [[text:Moved]]');
		await claude.waitForText(/● Moved/);
		await idle(lab, session);
		claude.type('half a thou');
		await claude.waitForText(/half a thou/);
		await lab.send(address, 'After cd. [[text:Read after cd]]');
		await claude.waitForText(/● Read after cd/);
		expect(claude.screen()).toMatch(/❯\shalf a thou/);
	});

	it('wakes it after /clear, as the same worker', long, async () => {
		await using lab = await deployedLab();
		const { address, claude } = await afterFirstTurn(lab);
		await submit(claude, '/clear');
		const next = await eventually('a second session', async () => {
			const sessions = (await lab.nancy.worker(address))?.sessions ?? [];
			return sessions.length === 2 && sessions[1]?.id;
		});
		await idle(lab, next);
		await lab.send(address, 'After clear. [[text:Read after clear]]');
		await claude.waitForText(/● Read after clear/);
		expect((await lab.nancy.tasks()).tasks.map(task => task.name)).toEqual(['build']);
	});

	it('wakes it by a message that came before the CLI watched its bell', long, async () => {
		await using lab = await deployedLab();
		const { address, claude } = await afterFirstTurn(lab);
		await submit(claude, '/clear');
		const sessions = async () => (await lab.nancy.worker(address))?.sessions ?? [];
		const next = await eventually('the hook is at work', async () => (await sessions())[1]?.id, { everyMs: 1 });
		process.kill(claude.pid, 'SIGSTOP');
		await eventually('it has answered', async () => (await readPhase(lab.nancy.paths, next)).phase === 'idle');
		await lab.send(address, 'Too early. [[text:Read all the same]]');
		process.kill(claude.pid, 'SIGCONT');
		await claude.waitForText(/● Read all the same/);
	});

	it(
		'hands over what waits when the prompt of “Wake by Typing” is typed, where nothing else can wake it',
		long,
		async () => {
			await using lab = await deployedLab({ cannotWake: true });
			const { session, address, claude } = await afterFirstTurn(lab);
			await eventually('idle', async () => (await readPhase(lab.nancy.paths, session)).phase === 'idle');
			const id = await lab.send(address, 'Unheard of. [[text:Heard of now]]');
			await sleep(3000);
			expect(lab.model.requests.some(request => request.text.includes('Unheard of'))).toBe(false);
			await submit(claude, WAKE_PROMPT);
			await lab.model.waitForRequest(request => request.text.includes('Unheard of'));
			expect((await lab.delivered(address, id)).receipt).toMatchObject({
				event: 'UserPromptSubmit',
				rung: 'keys',
			});
		},
	);

	it('wakes it after /compact', long, async () => {
		await using lab = await deployedLab();
		const { session, address, claude } = await afterFirstTurn(lab);
		await submit(claude, '/compact');
		await claude.waitForText(/Compacted/i);
		await idle(lab, session);
		const id = await lab.send(address, 'After compact. [[text:Read after compact]]');
		await claude.waitForText(/● Read after compact/);
		expect((await lab.delivered(address, id)).receipt).toMatchObject({ rung: 'wake', session });
	});

	it('does not wake it while it works, and hands the message over at a boundary instead', long, async () => {
		await using lab = await deployedLab();
		const session = newSession();
		const address = await startedTask(lab, session);
		const claude = await lab.interactive(['--session-id', session, '--permission-mode', 'bypassPermissions']);
		await submit(claude, '[[sh:touch started; sleep 3]] [[text:Unsteered]]');
		await eventually('the tool runs', () => existsSync(lab.workspace.file('started')));
		const id = await lab.send(address, 'Mid-run. [[text:Steered]]');
		await claude.waitForText(/● Steered/);
		expect((await lab.delivered(address, id)).receipt).toMatchObject({ event: 'PostToolBatch', rung: 'hook' });
		await sleep(2500);
		expect(requests(lab)).toHaveLength(2);
		expect(requests(lab).filter(request => request.text.includes(WAKE_SUMMARY))).toEqual([]);
	});

	it('wakes it when the user broke the turn off, which no event tells', async () => {
		await using lab = await deployedLab();
		const session = newSession();
		const address = await startedTask(lab, session);
		const claude = await lab.interactive(['--session-id', session, '--permission-mode', 'bypassPermissions']);
		await submit(claude, '[[sh:touch started; sleep 30]] [[text:Unreached]]');
		await eventually('the tool runs', () => existsSync(lab.workspace.file('started')));
		await sleep(500);
		const before = await lab.send(address, 'Sent before. ', { kind: 'feedback' });
		await sleep(1500);
		claude.type('\u001b');
		await claude.waitForText(/Interrupted/);
		expect((await lab.delivered(address, before)).receipt).toMatchObject({
			event: 'UserPromptSubmit',
			rung: 'wake',
		});
		await submit(claude, '[[sh:touch again; sleep 30]] [[text:Unreached]]');
		await eventually('the tool runs', () => existsSync(lab.workspace.file('again')));
		await sleep(500);
		claude.type('\u001b');
		await eventually('interrupted again', () => claude.history().match(/Interrupted/g)?.length === 2);
		const after = await lab.send(address, 'Sent after. [[text:Read after]]');
		await claude.waitForText(/● Read after/);
		expect((await lab.delivered(address, after)).receipt).toMatchObject({ rung: 'wake' });
	});

	it('wakes it when the user said No to a permission question', long, async () => {
		await using lab = await deployedLab();
		const session = newSession();
		const address = await startedTask(lab, session);
		const claude = await lab.interactive(['--session-id', session]);
		await submit(claude, '[[sh:touch never]] [[text:Unreached]]');
		await claude.waitForText(/Do you want to proceed\?/);
		const id = await lab.send(address, 'While it asks. ', { kind: 'feedback' });
		await sleep(2000);
		expect(requests(lab)).toHaveLength(1);
		claude.type('\u001b');
		expect((await lab.delivered(address, id)).receipt).toMatchObject({ rung: 'wake' });
	});

	it('reaches a session that was running before deployment', long, async () => {
		await using lab = await deployedLab({ isDeployed: false });
		const claude = await lab.interactive();
		await submit(claude, '[[text:Before deployment]]');
		await claude.waitForText(/● Before deployment/);
		await lab.deploy();
		await sleep(2500); // the CLI reads changed settings within two seconds
		await submit(claude, '[[text:After deployment]]');
		await claude.waitForText(/● After deployment/);
		const { session, address } = await lab.anySession();
		expect(await sessionBinding(lab.nancy, session)).toMatchObject({ watched: false });
		const isIdle = async () => (await readPhase(lab.nancy.paths, session)).phase === 'idle';
		await eventually('idle', isIdle);
		const id = await lab.send(address, 'For the old session. [[text:Old session reads]]');
		await claude.waitForText(/● Old session reads/);
		expect((await lab.delivered(address, id)).receipt).toMatchObject({ event: 'UserPromptSubmit', rung: 'waiter' });
		await eventually('idle again', isIdle);
		const second = await lab.send(address, 'And again. [[text:Reads again]]');
		await claude.waitForText(/● Reads again/);
		expect((await lab.delivered(address, second)).receipt).toMatchObject({ rung: 'waiter' });
	});

	it('delivers everything once when many messages come while it is woken', long, async () => {
		await using lab = await deployedLab();
		const { session, address } = await afterFirstTurn(lab);
		await idle(lab, session);
		const ids = [];
		for (let index = 0; index < 12; index++) {
			ids.push(await lab.send(address, `Burst number ${index}.`, { kind: index % 2 ? 'directive' : 'feedback' }));
			await sleep(150);
		}
		for (const id of ids) await lab.delivered(address, id);
		const last = await eventually(
			'the last request',
			() => requests(lab).at(-1)?.text.includes('Burst number 11') && requests(lab).at(-1),
		);
		for (let index = 0; index < 12; index++) expect(last.text.split(`Burst number ${index}.`)).toHaveLength(2);
	});
});
