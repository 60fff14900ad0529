import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { liveness } from '../../src/base/liveness.ts';
import { opencode } from '../../src/drivers/opencode/driver.ts';
import { SessionId } from '../../src/protocol/names.ts';
import type { Question } from '../../src/protocol/question.ts';
import { conformanceLab, type ConformanceLab } from '../conformance/lab.ts';
import type { AgentLab } from '../support/agentLab.ts';
import { opencodeUnderTest } from '../support/agents/opencode.ts';
import { toolStep } from '../support/agents/agentUnderTest.ts';
import { answerQuestion } from '../support/answerQuestion.ts';
import { deployedLab, startedTask } from '../support/deployedLab.ts';
import { deskOf } from '../support/desk.ts';
import { eventually } from '../support/eventually.ts';
import { gateIn } from '../support/gate.ts';
import { long, longIf } from '../support/long.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';
import { racesOr } from '../support/rounds.ts';
import { submit } from '../support/submit.ts';
import type { Terminal } from '../support/terminal.ts';

/** A CLI that asks. A start takes up to ten seconds of processor time, so one session serves many questions, one after another. */
interface Asking {
	lab: AgentLab;
	terminal: Terminal;
	desk: ReturnType<typeof deskOf>;
	/** Types a prompt once the turn before is over. */
	submit(prompt: string): Promise<void>;
}

interface OpencodeAsking extends Asking {
	lab: ConformanceLab;
	/** Waits until its turn is over. */
	idle(): Promise<void>;
}

async function claudeAsking(args: readonly string[] = []): Promise<Asking> {
	const lab = await deployedLab();
	const session = SessionId.parse(randomUUID());
	await startedTask(lab, session);
	const claude = await lab.interactive(['--session-id', session, ...args]);
	return {
		lab,
		terminal: claude,
		desk: deskOf(lab.nancy),
		// The screen also changes by itself: a subagent ends, or a turn that was broken off.
		submit: prompt => {
			const { length } = lab.model.requests;
			return submit(claude, prompt, () => lab.model.requests.length > length);
		},
	};
}

async function opencodeAsking(): Promise<OpencodeAsking> {
	const permission = { bash: 'ask', edit: 'ask', 'own_*': 'ask', external_directory: 'ask' };
	const mcp = { own: { type: 'local', command: [process.execPath, '-e', MCP_SERVER] } };
	const agent = { ...opencodeUnderTest, asking: { permission, mcp } };
	const installed = pinnedAgent('opencode');
	const lab = await conformanceLab({ agent, driver: opencode, installed }, { asks: true });
	const worker = await lab.start({ asks: true });
	let isFirst = true;
	return {
		lab,
		terminal: worker.terminal,
		desk: deskOf(lab.nancy),
		idle: () => worker.idle(),
		submit: async prompt => {
			if (!isFirst) await worker.idle();
			isFirst = false;
			await worker.submit(prompt);
		},
	};
}

const agents = [
	{
		name: 'Claude Code',
		start: () => claudeAsking(),
		tool: 'Bash',
		dialog: /Do you want to proceed\?|Do you want to make this edit|Do you want to create/,
		yes: '1',
		said: (words: string) => new RegExp(`● ${words}`),
		byDesk: /Allowed by PermissionRequest hook/,
	},
	{
		name: 'opencode',
		start: (): Promise<Asking> => opencodeAsking(),
		tool: 'bash',
		dialog: opencodeUnderTest.question,
		yes: opencodeUnderTest.yes,
		said: saidByOpencode,
		byDesk: undefined,
	},
];

describe.each(agents)('a question of the real $name', ({ start, tool, dialog, yes, said, byDesk }) => {
	let asking: Asking;
	beforeAll(async () => {
		asking = await start();
	});
	afterAll(() => asking.lab[Symbol.asyncDispose]());

	const made = (file: string) => existsSync(asking.lab.workspace.file(file));
	/** The agent asks whether it may make the file. */
	const ask = async (file: string): Promise<Question> => {
		await asking.submit(`[[sh:touch ${file}]] [[text:Finished ${file}]]`);
		const [question] = await asking.desk.asked();
		expect(question).toMatchObject({ kind: 'tool', tool, body: `touch ${file}`, bodyIs: 'command' });
		return question;
	};

	it('is answered with Yes from the desk while its own dialog is open, and the tool runs', async () => {
		const { desk, terminal } = asking;
		const question = await ask('yes');
		await terminal.waitForText(dialog);
		expect(made('yes')).toBe(false);
		await desk.answer(question, { effect: 'once' });
		await terminal.waitForText(said('Finished yes'));
		expect(made('yes')).toBe(true);
		expect(await desk.outcome(question)).toMatchObject({ state: 'applied' });
	});

	it('is answered with No and words, which the model reads, and the tool does not run', async () => {
		const { lab, desk, terminal } = asking;
		const question = await ask('no');
		await desk.answer(question, { effect: 'no', words: 'Use the other folder.' });
		await terminal.waitForText(said('Finished no'));
		expect(made('no')).toBe(false);
		const read = lab.model.requests.filter(({ hasTools }) => hasTools).at(-1)?.text;
		expect(read?.includes('Use the other folder.')).toBe(true);
		expect(await desk.outcome(question)).toMatchObject({ state: 'applied' });
	});

	it.each([
		{ keys: yes, state: 'yes-elsewhere', runs: true },
		{ keys: '\u001b', state: 'no-elsewhere', runs: false },
	])('is seen to be answered in the terminal: $state', longIf(!byDesk), async ({ keys, state, runs }) => {
		const { desk, terminal } = asking;
		const question = await ask(state);
		await answerQuestion(terminal, dialog, keys);
		expect(await desk.outcome(question)).toMatchObject({ state });
		if (runs) await terminal.waitForText(said(`Finished ${state}`));
		expect(made(state)).toBe(runs);
		await expect(desk.answer(question, { effect: 'once' })).rejects.toMatchObject({ code: 'wrong-state' });
	});

	it(
		'is answered too late at the desk once the terminal has answered: the first answer counts',
		longIf(!byDesk),
		async () => {
			const { desk, terminal } = asking;
			const question = await ask('late');
			// Until it goes on, it learns of neither answer.
			process.kill(question.holder.pid, 'SIGSTOP');
			await answerQuestion(terminal, dialog, yes);
			await terminal.waitForText(said('Finished late'));
			await desk.answer(question, { effect: 'no', words: 'Too late.' });
			process.kill(question.holder.pid, 'SIGCONT');
			expect(await desk.outcome(question)).toMatchObject({ state: 'late' });
			expect(made('late')).toBe(true);
		},
	);

	it('lets nothing run by a Yes of the desk after the terminal’s No, though its holder has not heard of the No', async () => {
		const { desk, terminal } = asking;
		const question = await ask('denied');
		process.kill(question.holder.pid, 'SIGSTOP');
		await answerQuestion(terminal, dialog, '\u001b');
		// A CLI kills a holder that takes its time to end: then it has said nothing, and a later answer is refused.
		await desk.answer(question, { effect: 'once' }).catch(() => undefined);
		if (liveness(question.holder) === 'alive') process.kill(question.holder.pid, 'SIGCONT');
		expect(['late', 'no-elsewhere', 'silent']).toContain((await desk.outcome(question)).state);
		await eventually('the holder has ended', () => liveness(question.holder) === 'dead');
		// The next turn runs, and has not run that of the last one.
		const next = await ask('after');
		await desk.answer(next, { effect: 'once' });
		await terminal.waitForText(said('Finished after'));
		expect([made('denied'), made('after')]).toEqual([false, true]);
	});

	// What ran tells who was first if one says No. If both say Yes, only a CLI that shows it does.
	it.each(byDesk ? (['no', 'once'] as const) : (['no'] as const))(
		'has one answer where Yes in the terminal and "%s" at the desk meet, and its outcome names the first',
		longIf(!byDesk),
		async effect => {
			const { desk, terminal } = asking;
			for (let round = 0; round < racesOr(2); round += 1) {
				const file = `${effect}-${round}`;
				const question = await ask(file);
				await terminal.waitForText(dialog);
				// A key that comes as the dialog is drawn may be lost.
				await sleep(500);
				// It is refused if the desk knows already that it is too late.
				const answering = desk.answer(question, { effect }).catch(() => undefined);
				// An answer of the desk is on its way for longer than a key.
				await sleep((30 + 70 * round) % 310);
				terminal.type(yes);
				await terminal.waitForText(said(`Finished ${file}`));
				await answering;
				const { state } = await desk.outcome(question);
				const isAnswered = (await desk.all()).some(
					({ question: { id }, answer }) => id === question.id && answer,
				);
				const screen = terminal.screen();
				const isFromDesk =
					effect === 'no' ? !made(file) : byDesk?.test(screen.slice(screen.lastIndexOf(`touch ${file}`)));
				expect([round, state]).toEqual([round, isFromDesk ? 'applied' : isAnswered ? 'late' : 'yes-elsewhere']);
				// The key, if it came too late.
				terminal.type('\u0015');
			}
		},
	);

	it('stays in the terminal when its holder is killed, and nothing runs', async () => {
		const { desk, terminal } = asking;
		const question = await ask('killed');
		await terminal.waitForText(dialog);
		process.kill(question.holder.pid, 'SIGKILL');
		expect(await desk.outcome(question)).toMatchObject({ state: 'silent' });
		// Long enough for a CLI to take the end of the holder for an answer.
		await sleep(2000);
		expect(terminal.screen()).toMatch(dialog);
		expect(made('killed')).toBe(false);
	});
});

/** Whether its holder waits for a day. One that has ended did not. */
function isPatient({ holder }: Question): boolean {
	const file = `/proc/${holder.pid}/environ`;
	try {
		return readFileSync(file, 'utf8').split('\0').includes('NANCY_HOOK_TIMEOUT=86400');
	} catch {
		return false;
	}
}

describe('a question of the real Claude Code', () => {
	let asking: Asking;
	beforeAll(async () => {
		asking = await claudeAsking(['--permission-mode', 'plan']);
	});
	afterAll(() => asking.lab[Symbol.asyncDispose]());

	const read = () => asking.lab.model.requests.filter(({ hasTools }) => hasTools).at(-1)?.text ?? '';
	const settings = (name: string) => {
		const file = asking.lab.workspace.file(`.claude/${name}`);
		return existsSync(file) ? readFileSync(file, 'utf8') : '';
	};
	const rules = () => (JSON.parse(settings('settings.local.json')) as { permissions?: object }).permissions;

	it('is a plan: No with words, Yes, and Yes with edits accepted from then on', async () => {
		const { lab, desk, terminal } = asking;
		await asking.submit('[[text:Hello]]');
		await terminal.waitForText(/● Hello/);
		// The CLI takes the plan from a file that it names to the model.
		const [file] = /\S+\/plans\/[\w.-]+\.md/.exec(read()) ?? expect.unreachable();
		const load = toolStep('ToolSearch', { query: 'select:ExitPlanMode', max_results: 1 });
		const leave = toolStep('ExitPlanMode', {});
		await asking.submit(`[[write:${file}|# Build it]] ${load} ${leave} [[text:Revising]]`);
		const [first] = await desk.asked();
		expect(first).toMatchObject({ kind: 'plan', title: 'Build it', body: '# Build it' });
		await desk.answer(first, { effect: 'no', words: 'Test it first.' });
		await terminal.waitForText(/● Revising/);
		expect(read()).toContain('Test it first.');
		expect(terminal.screen()).toContain('plan mode on');
		expect(await desk.outcome(first)).toMatchObject({ state: 'applied' });

		await asking.submit(`${leave} [[write:asked.txt|x]] [[text:Asked]]`);
		const [second] = await desk.asked();
		await desk.answer(second, { effect: 'once' });
		const [edit] = await desk.asked();
		expect(edit).toMatchObject({ kind: 'tool', tool: 'Write', body: 'x', bodyIs: 'text' });
		expect(read()).toContain('User has approved your plan');
		await desk.answer(edit, { effect: 'once' });
		await terminal.waitForText(/● Asked/);

		for (const mode of [/accept edits on/, /plan mode on/]) {
			terminal.type(SHIFT_TAB);
			await terminal.waitForText(mode);
		}
		await asking.submit(`${leave} [[write:unasked.txt|x]] [[text:Built]]`);
		const [third] = await desk.asked();
		expect(third.choices).toContainEqual({ effect: 'session', rule: 'acceptEdits' });
		await desk.answer(third, { effect: 'session' });
		await terminal.waitForText(/● Built/);
		expect(existsSync(lab.workspace.file('unasked.txt'))).toBe(true);
		for (const question of [second, edit, third])
			expect(await desk.outcome(question)).toMatchObject({ state: 'applied' });
	});

	it('is the model’s, with several fields, labels and a text of the person’s own', async () => {
		const { desk, terminal } = asking;
		const options = (...labels: string[]) => labels.map(label => ({ label, description: `${label} it is` }));
		const questions = [
			{ question: 'Which colours?', header: 'Colours', options: options('Blue', 'Red'), multiSelect: true },
			{ question: 'Which name?', header: 'Name', options: options('Ada', 'Bo'), multiSelect: false },
		];
		await asking.submit(`${toolStep('AskUserQuestion', { questions })} [[text:Chosen]]`);
		const [question] = await desk.asked();
		expect(question).toMatchObject({ kind: 'choice', fields: [{ isMultiple: true }, { isMultiple: false }] });
		await desk.answer(question, {
			effect: 'once',
			values: { 'Which colours?': ['Blue', 'Red'], 'Which name?': ['Grace, of course'] },
		});
		await terminal.waitForText(/● Chosen/);
		expect(read()).toContain('"Which colours?"="Blue, Red"');
		expect(read()).toContain('Grace, of course');
		expect(await desk.outcome(question)).toMatchObject({ state: 'applied' });
	});

	it('is a subagent’s, and left to the terminal, whose dialog would not open while a hook holds it', async () => {
		const { lab, desk, terminal } = asking;
		const prompt = '[[sh:node -p 1 > inner]] [[text:Over]]';
		const task = { description: 'Look', prompt, subagent_type: 'general-purpose' };
		await asking.submit(`${toolStep('Agent', task)} [[text:Sent]]`);
		const before = await desk.all();
		await answerQuestion(terminal, /Do you want to proceed\?/, '1');
		await eventually('its file', () => existsSync(lab.workspace.file('inner')));
		await terminal.waitForText(/finished/);
		expect(await desk.all()).toEqual(before);
	});

	it.each([
		{ effect: 'session', command: 'node -e 1', kept: undefined },
		{ effect: 'folder', command: 'node -e 2', kept: { allow: ['Bash(node -e 2)'] } },
	] as const)('is answered for the $effect: its file has the rule, and the same command runs unasked', async each => {
		const { effect, command, kept } = each;
		const { lab, desk, terminal } = asking;
		const others = () => [settings('settings.json'), readFileSync(join(lab.home, '.claude/settings.json'), 'utf8')];
		const before = others();
		await asking.submit(`[[sh:${command}]] [[sh:${command}]] [[text:By the rule for the ${effect}]]`);
		const [question] = await desk.asked();
		const keptIn = kept && { keptIn: '.claude/settings.local.json' };
		expect(question.choices).toContainEqual({ effect, rule: `Bash(${command})`, ...keptIn });
		await desk.answer(question, { effect });
		await terminal.waitForText(new RegExp(`● By the rule for the ${effect}`));
		expect(await desk.outcome(question)).toMatchObject({ state: 'applied' });
		expect(rules()).toEqual(kept);
		expect(others()).toEqual(before);
	});

	it('is answered too late by a Yes while the command runs that the terminal allowed, whatever else it adds', async () => {
		const { lab, desk, terminal } = asking;
		const gate = gateIn(lab.workspace.path);
		await asking.submit(`${gate.step} [[text:Over at last]]`);
		const [question] = await desk.asked();
		expect(question.choices.map(({ effect }) => effect)).toContain('folder');
		await answerQuestion(terminal, /Do you want to proceed\?/, '1');
		await desk.answer(question, { effect: 'folder' });
		gate.open();
		await terminal.waitForText(/● Over at last/);
		expect(await desk.outcome(question)).toMatchObject({ state: 'late' });
		expect(rules()).toEqual({ allow: ['Bash(node -e 2)'] });
	});

	it(
		'is no longer asked at the desk once the time of the hook is over, and stays in the terminal',
		long,
		async () => {
			const { lab, desk, terminal } = asking;
			const dialog = /Do you want to proceed\?/;
			const file = lab.workspace.file('.claude/settings.local.json');
			const before = settings('settings.local.json');
			/** A new question, also if it is over. */
			const asked = async () => {
				const known = new Set((await desk.all()).map(({ question }) => question.id));
				await asking.submit(`[[sh:node -e 3]] [[text:Unanswered after ${known.size}]]`);
				const isNew = ({ question }: { question: Question }) => !known.has(question.id);
				return (await eventually('a question', async () => (await desk.all()).find(isNew))).question;
			};
			/** The CLI takes changed settings a moment later, and the holder of a question has what it was started with. */
			const askedOnce = async (isReloaded: (question: Question) => boolean) => {
				for (;;) {
					const question = await asked();
					if (isReloaded(question)) return question;
					await answerQuestion(terminal, dialog, '\u001b');
					await desk.outcome(question);
				}
			};
			writeFileSync(file, before.replaceAll('86400', '10'));
			const question = await askedOnce(each => !isPatient(each));
			expect(await desk.outcome(question)).toMatchObject({ state: 'silent' });
			await sleep(1000);
			expect(terminal.screen()).toMatch(dialog);
			await answerQuestion(terminal, dialog, '\u001b');
			// The same where the machine sleeps until the time is over.
			const slept = await asked();
			expect(isPatient(slept)).toBe(false);
			const stopped = [slept.agent!.pid, slept.holder.pid];
			for (const pid of stopped) process.kill(pid, 'SIGSTOP');
			await sleep(11_000);
			for (const pid of stopped.toReversed()) process.kill(pid, 'SIGCONT');
			expect(await desk.outcome(slept)).toMatchObject({ state: 'silent' });
			await sleep(1000);
			expect(terminal.screen()).toMatch(dialog);
			await expect(desk.answer(slept, { effect: 'once' })).rejects.toMatchObject({ code: 'wrong-state' });
			await answerQuestion(terminal, dialog, '\u001b');
			writeFileSync(file, before);
			const last = await askedOnce(isPatient);
			await answerQuestion(terminal, dialog, '\u001b');
			await desk.outcome(last);
		},
	);

	it('is not answered by another agent that may edit files unasked: in the workspace nobody looks, and elsewhere it may not', async () => {
		const { lab, desk, terminal } = asking;
		await asking.submit('[[sh:node -p 1 > forged]] [[text:Never said]]');
		const [question] = await desk.asked();
		const { id, digest } = question;
		const at = new Date().toISOString();
		const answer = { version: 1, question: id, digest, effect: 'once', by: 'vscode', at, seal: digest };
		const own = desk.folder;
		const near = lab.workspace.file(`.nancy/answers/${id}.json`);
		const far = join(own, 'answers', `${id}.json`);
		const write = (file: string, content: object) => `[[write:${file}|${JSON.stringify(content)}]]`;
		const writes = [
			write(near, answer),
			write(lab.workspace.file(`.nancy/questions/${id}.json`), { ...question, body: 'true' }),
			write(far, answer),
			write(join(own, 'questions', `${randomUUID()}.json`), question),
		];
		const other = await lab.headless(`${writes.join(' ')} [[text:Tried]]`, ['--permission-mode', 'acceptEdits']);
		expect(other.stdout).toContain('Tried');
		expect([existsSync(near), existsSync(far)]).toEqual([true, false]);
		// Long enough for an answer to arrive.
		await sleep(1500);
		expect(terminal.screen()).toMatch(/Do you want to proceed\?/);
		expect(await desk.open()).toEqual([question]);
		await desk.answer(question, { effect: 'end' });
		expect(await desk.outcome(question)).toMatchObject({ state: 'applied' });
		expect(existsSync(lab.workspace.file('forged'))).toBe(false);
	});

	it('is over with a No that ends the turn, and with a Claude Code that is killed after the answer', async () => {
		const { lab, desk } = asking;
		await asking.submit('[[sh:node -p 1 > made]] [[text:Finished]]');
		const [question] = await desk.asked();
		await desk.answer(question, { effect: 'end' });
		expect(await desk.outcome(question)).toMatchObject({ state: 'applied', evidence: 'the turn was broken off' });
		expect(existsSync(lab.workspace.file('made'))).toBe(false);

		rmSync(lab.workspace.file('open.gate'));
		const gate = gateIn(lab.workspace.path);
		await asking.submit(`${gate.step.replace('[[sh:', '[[sh:touch begun; ')} [[text:Never said]]`);
		const [next] = await desk.asked();
		await desk.answer(next, { effect: 'once' });
		await eventually('the tool runs', () => existsSync(lab.workspace.file('begun')));
		process.kill(next.agent!.pid, 'SIGKILL');
		expect(await desk.outcome(next)).toMatchObject({ state: 'ended', evidence: 'the agent has ended' });
		gate.open();
	});
});

describe('a question of the real opencode', () => {
	let asking: OpencodeAsking;
	beforeAll(async () => {
		asking = await opencodeAsking();
	});
	afterAll(() => asking.lab[Symbol.asyncDispose]());

	it('is one of three at once, answered in any order', long, async () => {
		const { lab, desk, terminal } = asking;
		await asking.submit('[[par:touch a||touch b||touch c]] [[text:All three]]');
		const questions = await desk.asked(3);
		for (const question of questions.toReversed()) {
			await desk.answer(question, { effect: 'once' });
			await lab.made(question.body.replace('touch ', ''));
		}
		await terminal.waitForText(saidByOpencode('All three'));
		for (const question of questions) expect(await desk.outcome(question)).toMatchObject({ state: 'applied' });
	});

	it('ends with a No to another question of its session', long, async () => {
		const { lab, desk } = asking;
		await asking.submit('[[par:touch d||touch e]] [[text:Neither]]');
		const [first, second] = await desk.asked(2);
		await desk.answer(first, { effect: 'no', words: 'Neither.' });
		expect(await desk.outcome(second!)).toMatchObject({ state: 'no-elsewhere' });
		expect(await desk.outcome(first)).toMatchObject({ state: 'applied' });
		expect([lab.has('d'), lab.has('e')]).toEqual([false, false]);
	});

	it('is answered for the session: the rule that was shown lets the next command run', long, async () => {
		const { lab, desk } = asking;
		await asking.submit('[[sh:mkdir f]] [[sh:mkdir g]] [[sh:touch h]] [[text:By the rule]]');
		const [question] = await desk.asked();
		const rule = { effect: 'session', rule: 'bash mkdir *', keptIn: 'opencode, until it is restarted' };
		expect(question.choices).toContainEqual(rule);
		await desk.answer(question, { effect: 'session' });
		await lab.made('g');
		const [next] = await desk.asked();
		expect(next.body).toBe('touch h');
		const before = lab.requests().length;
		await desk.answer(next, { effect: 'end' });
		await asking.idle();
		expect(lab.has('h')).toBe(false);
		// The model was not told of the No.
		expect(lab.requests()).toHaveLength(before);
	});

	it('is the model’s, with several fields, labels and a text of the person’s own', async () => {
		const { lab, desk, terminal } = asking;
		const options = (...labels: string[]) => labels.map(label => ({ label, description: `${label} it is` }));
		const questions = [
			{ question: 'Which colours?', header: 'Colours', options: options('Blue', 'Red', 'Green'), multiple: true },
			{ question: 'Which name?', header: 'Name', options: options('Ada') },
		];
		await asking.submit(`${toolStep('question', { questions })} [[text:Chosen]]`);
		const [question] = await desk.asked();
		expect(question).toMatchObject({ kind: 'choice', fields: [{ isMultiple: true }, { isMultiple: false }] });
		await desk.answer(question, {
			effect: 'once',
			values: { 'Which colours?': ['Blue', 'Green'], 'Which name?': ['Grace, of course'] },
		});
		await terminal.waitForText(saidByOpencode('Chosen'));
		const read = lab.requests().at(-1)?.text ?? '';
		expect([read.includes('Blue, Green'), read.includes('Grace, of course')]).toEqual([true, true]);
		expect(await desk.outcome(question)).toMatchObject({ state: 'applied' });
	});

	it('shows what a tool of an MCP server is given, and a folder outside', long, async () => {
		const { lab, desk, terminal } = asking;
		await asking.submit(`${toolStep('own_greet', { name: 'Bo' })} [[read:/etc/hostname]] [[text:Greeted]]`);
		const [greet] = await desk.asked();
		expect(greet).toMatchObject({ tool: 'own_greet', bodyIs: 'json' });
		expect(JSON.parse(greet.body)).toEqual({ name: 'Bo' });
		await desk.answer(greet, { effect: 'once' });
		await lab.seen('Hello Bo');
		const [outside] = await desk.asked();
		expect(outside).toMatchObject({ tool: 'external_directory', title: '/etc/hostname' });
		expect(outside.also).toContainEqual({ name: 'patterns', value: '/etc/*' });
		await desk.answer(outside, { effect: 'once' });
		await terminal.waitForText(saidByOpencode('Greeted'));
		expect(await desk.outcome(outside)).toMatchObject({ state: 'applied' });
	});

	it('shows an edit as its diff, and the subagent that asks', long, async () => {
		const { lab, desk, terminal } = asking;
		const task = { description: 'Look', prompt: '[[write:new.txt|hello]] [[text:Over]]', subagent_type: 'general' };
		await asking.submit(`${toolStep('task', task)} [[text:Edited]]`);
		const [question] = await desk.asked();
		expect(question).toMatchObject({ tool: 'edit', bodyIs: 'diff', subagentName: 'general' });
		expect(question.subagent).toMatch(/^ses_/);
		expect(question.body).toContain('+hello');
		expect(question.files).toEqual([lab.workspace.file('new.txt')]);
		await desk.answer(question, { effect: 'once' });
		await lab.made('new.txt');
		await terminal.waitForText(saidByOpencode('Edited'));
		expect(await desk.outcome(question)).toMatchObject({ state: 'applied' });
	});

	it('ends with an opencode that is killed, and nobody waits any more', long, async () => {
		const { lab, desk } = asking;
		await asking.submit('[[sh:touch made]] [[text:Finished]]');
		const [question] = await desk.asked();
		const agent = await eventually('its process', () => parentOf(question.holder.pid));
		process.kill(agent, 'SIGKILL');
		expect(await desk.outcome(question)).toMatchObject({ state: 'ended' });
		await eventually('the holder is gone', () => liveness(question.holder) === 'dead');
		expect(lab.has('made')).toBe(false);
	});
});

const SHIFT_TAB = '\u001b[Z';

/** At the beginning of a line, unlike the prompt that has told it to. */
function saidByOpencode(words: string): RegExp {
	return new RegExp(String.raw`^\s+${words}`, 'm');
}

/** A server of one tool, by the lines of its protocol. */
const MCP_SERVER = `
const answers = {
	initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'own', version: '1' } }),
	'tools/list': () => ({ tools: [{ name: 'greet', description: 'Greets', inputSchema: { type: 'object', properties: { name: { type: 'string' } } } }] }),
	'tools/call': ({ arguments: { name } }) => ({ content: [{ type: 'text', text: 'Hello ' + name }] }),
};
require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
	const { id, method, params } = JSON.parse(line);
	if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method]?.(params) ?? {} }));
});
`;

/** Of a process of this machine. */
function parentOf(pid: number): number | undefined {
	const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
	return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) || undefined;
}
