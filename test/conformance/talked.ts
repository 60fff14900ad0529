import { headlessOf } from '../../src/core/driver/headlessOf.ts';
import { driverById } from '../../src/drivers/index.ts';
import { descendantsOf, processTable } from '../../src/process/processTable.ts';
import { signal } from '../../src/process/signal.ts';
import { deskOf } from '../support/desk.ts';
import { eventually } from '../support/eventually.ts';
import { geminiUnderTest } from '../support/agents/gemini.ts';
import { qwenUnderTest } from '../support/agents/qwen.ts';
import { pinnedAgent, type LocalAgent } from '../support/pinnedAgent.ts';
import {
	claudeAdapterServed,
	codexAdapterServed,
	commandOf,
	copilotServed,
	opencodeServed,
	servedLab,
	type ServedAgent,
} from '../support/servedAgents.ts';
import type { AgentUnderTest } from '../support/agents/agentUnderTest.ts';
import { must, partly, WORKS, type Cell } from './cell.ts';
import { answerOf } from './cells/headless.ts';
import { eventsOf, isAfter } from './evidence.ts';
import { conformanceLab, type ConformanceLab } from './lab.ts';

/** A row of the table of agents that Nancy's own program in the terminal talks with. */
export type TalkedCell = Pick<Cell, 'id' | 'title' | 'run'> & { asks?: boolean };

/** A column of it. */
export interface TalkedAgent {
	readonly id: string;
	readonly displayName: string;
	readonly installed: LocalAgent;
	lab(asks: boolean): Promise<ConformanceLab>;
	/** Why a cell is not possible, by its id. */
	readonly lacks?: Readonly<Record<string, string>>;
}

/** By its own driver, which starts it in Nancy's program where its user lets Nancy answer. */
function byDriver(agent: AgentUnderTest, lacks: TalkedAgent['lacks'] = {}): TalkedAgent {
	const driver = driverById(agent.driver);
	if (!driver) throw new Error(`there is no driver ${agent.driver}`);
	const installed = pinnedAgent(agent.id);
	return {
		id: agent.id,
		displayName: driver.displayName,
		installed,
		lacks,
		lab: asks => conformanceLab({ agent, driver, installed }, { asks, answers: true }),
	};
}

/** Named by `nancy.agentServers`. */
function bySetting(served: ServedAgent, displayName: string): TalkedAgent {
	const { id } = served.agent;
	return { id, displayName, installed: pinnedAgent(id), lab: asks => servedLab(served, { asks }) };
}

const BY_ITSELF = 'Its delegates are runs of the CLI’s own without a terminal: see the table above.';

/** Every column, in its order. */
export const talkedAgents: readonly TalkedAgent[] = [
	byDriver(qwenUnderTest, { delegate: BY_ITSELF }),
	byDriver(geminiUnderTest, {
		delegate: BY_ITSELF,
		resume: 'It finds no earlier conversation when it is talked with. Nancy resumes it in its own terminal.',
	}),
	bySetting(copilotServed, 'GitHub Copilot CLI'),
	bySetting(opencodeServed, 'opencode'),
	bySetting(claudeAdapterServed, 'Claude Code’s adapter'),
	bySetting(codexAdapterServed, 'Codex’s adapter'),
];

const turn: TalkedCell = {
	id: 'turn',
	title: 'Runs a turn in Nancy’s terminal; its sidebar row follows it',
	async run(lab) {
		const worker = await lab.start({ prompt: 'Hello there. [[sh:touch made]] [[text:All said]]' });
		await worker.terminal.waitForText(/All said/);
		await worker.idle();
		must(lab.has('made'), 'The command did not run');
		const kinds = (await eventsOf(lab, worker)).map(({ kind }) => kind);
		for (const kind of ['prompt', 'tool-start', 'tool-end', 'stop'] as const)
			must(kinds.includes(kind), `${kind} was not told, but ${kinds.join(', ')}`);
		return WORKS;
	},
};

const directive: TalkedCell = {
	id: 'directive',
	title: 'A directive sent while a tool runs is read in the middle of the turn',
	async run(lab) {
		// A model takes longer for an answer than Nancy for a message.
		const worker = await lab.start({ prompt: `((lat:2000)) ${lab.held} [[sh:true]] [[text:First end]]` });
		await lab.made('begun');
		await lab.send(worker.address, 'Use the other port.');
		lab.letGo();
		const request = await lab.seen('Use the other port.');
		return isAfter(request, 'First end')
			? partly('It is the next prompt, when the turn ends: the agent does not say that it can be steered.')
			: WORKS;
	},
};

const feedback: TalkedCell = {
	id: 'feedback',
	title: 'Feedback waits until the agent would stop, and keeps it going',
	async run(lab) {
		const worker = await lab.start({ prompt: `${lab.held} [[sh:true]] [[text:First end]]` });
		await lab.made('begun');
		await lab.send(worker.address, 'Well done. [[text:Second end]]', { kind: 'feedback' });
		lab.letGo();
		must(isAfter(await lab.seen('Well done.'), 'First end'), 'It came before the end');
		await worker.terminal.waitForText(/Second end/);
		await worker.idle();
		return WORKS;
	},
};

const question: TalkedCell = {
	id: 'question',
	title: 'A permission question is answered at the desk: a Yes runs the tool, a No does not',
	asks: true,
	async run(lab) {
		const desk = deskOf(lab.nancy);
		const worker = await lab.start({ prompt: '[[esc:touch made]] [[esc:touch more]] [[text:Over]]', asks: true });
		const [first] = await desk.asked();
		must(!lab.has('made'), 'The command ran before the answer');
		await desk.answer(first, { effect: 'once' });
		await lab.made('made');
		must((await desk.outcome(first))?.state === 'applied', 'The desk does not say that the Yes was applied');
		const [second] = await desk.asked();
		// Some end their turn with a No, and say so.
		const no = second.choices.some(({ effect }) => effect === 'no') ? 'no' : 'end';
		await desk.answer(second, { effect: no });
		must((await desk.outcome(second))?.state === 'applied', 'The desk does not say that the No was applied');
		await worker.idle();
		must(!lab.has('more'), 'The command ran after a No');
		return WORKS;
	},
};

const cancel: TalkedCell = {
	id: 'cancel',
	title: 'Esc ends the turn and the command that runs, and the agent goes on with the next prompt',
	async run(lab) {
		const worker = await lab.start({ prompt: '[[sh:touch begun; sleep 300]] [[text:Never said]]' });
		await lab.made('begun');
		const below = descendantsOf(worker.terminal.pid, await processTable());
		const running = () => below.filter(pid => /\bsleep\s*300\b/.test(commandOf(pid)));
		must(running().length > 0, 'The command was not found');
		await worker.interrupt();
		await worker.terminal.waitForText(/— interrupted —/);
		await worker.idle();
		await worker.submit('[[text:On again]]');
		await worker.terminal.waitForText(/On again\s*\n/);
		const isOver = await eventually('it has ended', () => running().length === 0).catch(() => false);
		for (const pid of running()) signal(pid, 'SIGKILL');
		return isOver ? WORKS : partly('The turn ends, and the command goes on: the agent does not end it.');
	},
};

const resume: TalkedCell = {
	id: 'resume',
	title: 'Resumed, it goes on with the same conversation',
	async run(lab) {
		const worker = await lab.start({ prompt: 'The door is blue. [[text:It is blue]]' });
		await worker.idle();
		const session = await worker.session();
		await worker.terminal.close();
		const again = await lab.start({ prompt: 'Which door? [[text:The blue one]]', resume: true });
		must((await lab.seen('Which door?')).text.includes('The door is blue.'), 'It does not know what was said');
		await again.idle();
		must((await again.session()) === session, 'It has another session');
		return WORKS;
	},
};

const wake: TalkedCell = {
	id: 'wake',
	title: 'An idle agent is woken by a message, again and again, without a key typed',
	async run(lab) {
		const worker = await lab.startIdle();
		for (const words of ['Look at the log.', 'And at the tests.']) {
			await lab.send(worker.address, `${words} [[text:Looked]]`, { kind: 'feedback' });
			await lab.seen(words);
			await worker.idle();
		}
		return WORKS;
	},
};

const delegate: TalkedCell = {
	id: 'delegate',
	title: 'A delegate works without a terminal and answers; what it asks without permission is denied, and that is told',
	asks: true,
	async run(lab) {
		const run = await lab.runHeadless('Work alone. [[esc:touch never]] [[text:I could not.]]', {
			permissions: headlessOf(lab.driver).permissionModes[0]?.id ?? '',
		});
		await lab.seen('Work alone.');
		const { answer, events } = await answerOf(run);
		must(!lab.has('never'), 'the tool ran');
		must(
			events.some(({ is }) => is === 'denied'),
			'it does not tell what was denied',
		);
		return answer.failure === undefined
			? WORKS
			: { is: 'works', because: 'The agent ends its turn with a No, so its delegate then has no answer.' };
	},
};

/** Every row, in its order. */
export const talkedCells: readonly TalkedCell[] = [turn, directive, feedback, question, cancel, resume, wake, delegate];
