import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { liveness } from '../../src/base/liveness.ts';
import { codex } from '../../src/drivers/codex/driver.ts';
import { conformanceLab, type ConformanceLab, type StartedWorker } from '../conformance/lab.ts';
import { codexUnderTest } from '../support/agents/codex.ts';
import { answerQuestion } from '../support/answerQuestion.ts';
import { deskOf } from '../support/desk.ts';
import { eventually } from '../support/eventually.ts';
import { long } from '../support/long.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';
import { dataFolderIn } from '../support/runtime.ts';

const dialog = codexUnderTest.question;

// What every agent's question shall do is in the conformance suite. One start serves for the rest: each test is a turn of the same session.
describe('a question of the real Codex', () => {
	let lab: ConformanceLab;
	let worker: StartedWorker;
	let desk: ReturnType<typeof deskOf>;

	beforeAll(async () => {
		// The most that a user may give the sandbox, short of none.
		const sandbox = { sandbox_mode: 'workspace-write', sandbox_workspace_write: { network_access: true } };
		lab = await conformanceLab(
			{ agent: { ...codexUnderTest, asking: sandbox }, driver: codex, installed: pinnedAgent('codex') },
			{ asks: true, answers: true },
		);
		desk = deskOf(lab.nancy);
		worker = await lab.start({ asks: true });
	});
	afterAll(() => lab[Symbol.asyncDispose]());

	const lines = (file: string) => readFileSync(lab.workspace.file(file), 'utf8').trim().split('\n');

	/** The app server's address, and where it really listens. */
	const sockets = () => {
		const folder = join(dataFolderIn(lab.home), 'run');
		return readdirSync(folder).flatMap(name => [join(folder, name), realpathSync(join(folder, name))]);
	};

	it('can be answered by no command of its sandbox, even with the network: the server’s socket is out of reach', async () => {
		const own = lab.workspace.file('own.sock');
		writeFileSync(lab.workspace.file('probe.js'), PROBE);
		const paths = [own, ...sockets()];
		expect(paths).toHaveLength(3);
		await worker.submit(`[[sh:node probe.js ${paths.map(path => `"${path}"`).join(' ')} >seen]] [[text:Looked]]`);
		await worker.terminal.waitForText(/• Looked/);
		const [reached, ...refused] = lines('seen');
		// The sandbox itself forbids no socket.
		expect(reached).toBe(`connected ${own}`);
		// The sandbox shows no folders in memory but those it may write to.
		for (const line of refused) expect(line).toMatch(/^(?:EACCES|ENOENT) /);
		expect(sockets()).toEqual(paths.slice(1));
	});

	it('can be answered by no file that a command of its sandbox writes', async () => {
		const own = lab.workspace.file('own.json');
		const files = ['questions', 'answers', 'handed', 'outcomes'].map(kind =>
			join(desk.folder, kind, 'planted.json'),
		);
		writeFileSync(lab.workspace.file('plant.js'), PLANT);
		const words = [own, ...files].map(path => `"${path}"`).join(' ');
		await worker.submit(`[[sh:node plant.js ${words} >planted]] [[text:Planted]]`);
		await worker.terminal.waitForText(/• Planted/);
		const [wrote, ...refused] = lines('planted');
		expect(wrote).toBe(`wrote ${own}`);
		expect(refused).toHaveLength(4);
		for (const line of refused) expect(line).toMatch(/^(?:EACCES|ENOENT|EROFS) /);
		expect(files.filter(file => existsSync(file))).toEqual([]);
	});

	it('shows the command as the person would type it, and ends the turn with the No that does', async () => {
		await worker.submit('[[esc:touch never]] [[text:Never said]]');
		const [question] = await desk.asked();
		expect(question).toMatchObject({
			tool: 'Bash',
			body: 'touch never',
			cwd: lab.workspace.path,
			also: [{ name: 'sandbox' }, { name: 'shell' }, { name: 'reason' }],
			risk: ['sandbox'],
			choices: [{ effect: 'once' }, { effect: 'no', isMute: true }, { effect: 'end', isMute: true }],
		});
		await worker.terminal.waitForText(dialog);
		await expect(desk.answer(question, { effect: 'no', words: 'Because.' })).rejects.toThrow('takes no words');
		await desk.answer(question, { effect: 'end' });
		expect(await desk.outcome(question)).toMatchObject({ state: 'applied' });
		await worker.idle();
		expect(lab.has('never')).toBe(false);
		expect(worker.terminal.screen()).not.toMatch(/^• Never said/m);
	});

	it('is answered too late at the desk once the terminal has answered: the first answer counts', async () => {
		await worker.submit('[[esc:touch late]] [[text:Second over]]');
		const [question] = await desk.asked();
		// Until it goes on, it learns of neither answer.
		process.kill(question.holder.pid, 'SIGSTOP');
		await answerQuestion(worker.terminal, dialog, codexUnderTest.yes);
		await lab.made('late');
		await desk.answer(question, { effect: 'no' });
		process.kill(question.holder.pid, 'SIGCONT');
		expect(await desk.outcome(question)).toMatchObject({ state: 'late' });
		await worker.terminal.waitForText(/• Second over/);
	});

	it('is its subagent’s', long, async () => {
		if (codexUnderTest.subagent === 'none') throw new Error('it has subagents');
		await worker.submit(`${codexUnderTest.subagent('[[esc:touch sub]] [[text:Made]]')} [[text:Third over]]`);
		const [question] = await desk.asked();
		expect(question).toMatchObject({ body: 'touch sub', session: await worker.session() });
		expect(question.subagent).toMatch(/^[0-9a-f-]{36}$/);
		await desk.answer(question, { effect: 'once' });
		await lab.made('sub');
		expect(await desk.outcome(question)).toMatchObject({ state: 'applied' });
		await worker.idle();
	});
});

describe('a Codex of Nancy’s', () => {
	const candidate = { agent: codexUnderTest, driver: codex, installed: pinnedAgent('codex') };

	it('ends with its terminal, also one that is killed: the server goes with it, and nothing runs', async () => {
		await using lab = await conformanceLab(candidate, { asks: true, answers: true });
		const desk = deskOf(lab.nancy);
		const worker = await lab.start({ prompt: '[[esc:touch made]] [[text:Finished]]', asks: true });
		const [question] = await desk.asked();
		const server = question.agent;
		if (!server) throw new Error('it names no process');
		process.kill(worker.terminal.pid, 'SIGKILL');
		await eventually('the server has ended', () => liveness(server) === 'dead');
		await eventually('no holder', () => liveness(question.holder) === 'dead');
		expect(await desk.outcome(question)).toMatchObject({ state: 'ended' });
		await sleep(1000);
		expect(lab.has('made')).toBe(false);
	});

	it('has no server and asks in its terminal alone where its user does not let Nancy answer', async () => {
		await using lab = await conformanceLab(candidate, { asks: true });
		const worker = await lab.start({ prompt: '[[esc:touch made]] [[text:Over]]', asks: true });
		await lab.becomes(worker.address, 'waiting for an answer', ({ state }) => state.phase === 'waiting');
		await worker.terminal.waitForText(dialog);
		expect(await deskOf(lab.nancy).open()).toEqual([]);
		await answerQuestion(worker.terminal, dialog, codexUnderTest.yes);
		await lab.made('made');
	});
});

/** Writes each file, and says whether it could. */
const PLANT = `
const { writeFileSync } = require('node:fs');
for (const file of process.argv.slice(2)) {
	try {
		writeFileSync(file, '{}');
		console.log('wrote ' + file);
	} catch ({ code }) {
		console.log(code + ' ' + file);
	}
}
`;

/** Listens at the first path, and says of each whether it can be reached. */
const PROBE = `
const net = require('node:net');
const [own, ...others] = process.argv.slice(2);
const tried = path => new Promise(resolve => {
	const socket = net.connect(path, () => resolve('connected ' + path));
	socket.on('error', ({ code }) => resolve(code + ' ' + path));
});
net.createServer().listen(own, async () => {
	for (const path of [own, ...others]) console.log(await tried(path));
	process.exit();
});
`;
