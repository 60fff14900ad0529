import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ErrorOutput } from '../../../src/protocol/output/failure.ts';
import { InboxOutput, MovedOutput, SendOutput } from '../../../src/protocol/output/messages.ts';
import { writePhase } from '../../../src/core/sessions/phase.ts';
import { parseMessage } from '../../../src/protocol/message.ts';
import { SessionId, type TaskName, type WorkerName } from '../../../src/protocol/names.ts';
import { identify } from '../../../src/base/liveness.ts';
import { makeOld } from '../../support/makeOld.ts';
import { BY_USER, messageContent } from '../../support/messageContent.ts';
import { AGENT, Project } from './project.ts';
import { NancyCommand } from './nancyCommand.ts';
import { bindSession } from '../../../src/core/sessions/bindings.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build();
});
afterAll(() => nancy[Symbol.asyncDispose]());

async function projectWithWorker() {
	const project = new Project(undefined, join(nancy.dataFolder, 'nancy'));
	const task = await project.addTask('fix-login');
	const worker = await project.addWorker(task, 'worker');
	const inbox = (name: string = worker) => join(project.workspace.paths.mailbox(task, name as WorkerName), 'inbox');
	const queued = (name?: string) =>
		readdirSync(inbox(name))
			.filter(file => file.endsWith('.md'))
			.map(file => parseMessage(readFileSync(join(inbox(name), file), 'utf8')));
	return { project, task, worker, inbox, queued };
}

async function deliverAll(project: Project, task: TaskName, worker: WorkerName): Promise<void> {
	for (const claim of await project.workspace.mailbox({ task, worker }).claim(() => 'take')) {
		claim.deliver({
			deliveredAt: new Date().toISOString(),
			event: 'PreToolUse',
			tool: 'Bash',
			driver: AGENT,
			session: SessionId.parse('s1'),
			rung: 'hook',
		});
	}
}

describe('nancy send', () => {
	it('queues what the human says and prints the id', async () => {
		const { project, inbox, queued } = await projectWithWorker();
		await using _ = project;

		const sent = await nancy.run(['send', 'fix-login', 'Use the retry helper.'], { cwd: project.path });

		expect(sent).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d{8}T\d{9}Z-[0-9a-f]{8}\n$/) });
		expect(sent.stderr).toBe('nancy: no agent is known to run as fix-login/worker now; the message waits for it\n');
		expect(readdirSync(inbox()).map(file => `${file}\n`)).toEqual([sent.stdout.replace('\n', '.md\n')]);
		expect(queued()).toEqual([
			{
				ok: true,
				content: {
					kind: 'directive',
					priority: 'normal',
					effect: 'none',
					from: 'orchestrator',
					text: 'Use the retry helper.',
				},
			},
		]);
	});

	it('says why an idle agent that hears no bell will not read it yet, and notes it beside the message', async () => {
		const { project, task } = await projectWithWorker();
		await using _ = project;
		const name = await project.addWorker(task, 'worker-2', { process: identify(process.pid) });
		const session = SessionId.parse(`session-${task}-${name}`);
		await bindSession(project.workspace, session, { address: { task, worker: name }, watched: false });
		const args = ['send', `${task}/${name}`, 'Look here.'];
		const sent = async () =>
			SendOutput.parse(JSON.parse((await nancy.run([...args, '--json'], { cwd: project.path })).stdout));
		expect((await sent()).held).toBeUndefined();
		await writePhase(project.workspace.paths, session, 'idle');
		const idle = await sent();
		expect(idle).toMatchObject({ running: true, held: expect.stringContaining('next prompt') });
		const { messages } = await project.workspace.mailbox({ task, worker: name }).list(['queued']);
		expect(messages.find(({ id }) => id === idle.id)?.held).toEqual({ code: 'unheard' });
		const told = await nancy.run(args, { cwd: project.path });
		expect(told.stderr).toContain(`the message waits: ${idle.held}`);
		await bindSession(project.workspace, session, { address: { task, worker: name }, watched: true });
		expect((await sent()).held).toBeUndefined();
	});

	it('says as JSON what it queued, and whether an agent will read it', async () => {
		const { project, task } = await projectWithWorker();
		await using _ = project;
		await project.addWorker(task, 'worker-2', { process: identify(process.pid) });

		const args = [
			'direct',
			'fix-login/worker-2',
			'--priority',
			'urgent',
			'--halt',
			'--json',
			'--',
			'--not an option',
		];
		const { code, stdout, stderr } = await nancy.run(args, { cwd: project.path });

		expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
		expect(SendOutput.parse(JSON.parse(stdout))).toEqual({
			id: expect.any(String),
			to: 'fix-login/worker-2',
			from: 'orchestrator',
			author: { is: 'human', via: 'terminal' },
			kind: 'directive',
			priority: 'urgent',
			effect: 'halt',
			running: true,
		});
	});

	it('says that a message is queued, also where the record of its reader cannot be read', async () => {
		const { project, task, worker, queued } = await projectWithWorker();
		await using _ = project;
		writeFileSync(project.workspace.paths.workerRecord(task, worker), '{');

		const sent = await nancy.run(['send', 'fix-login/worker', 'Once.'], { cwd: project.path });

		expect(sent).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d{8}T/) });
		expect(sent.stderr).toMatch(
			/^nancy: the message is queued for fix-login\/worker, but it could not be told: .*\n$/,
		);
		expect(queued()).toMatchObject([{ content: { text: 'Once.' } }]);
	});

	it('reads the text from stdin, whatever is in it', async () => {
		const { project, queued } = await projectWithWorker();
		await using _ = project;
		const text = '**Type:** result\n\n- ünï "quoted" $HOME `x`\n\t\u{1F600}';

		const { code } = await nancy.start(['send', 'fix-login', '--kind', 'feedback', '-'], {
			cwd: project.path,
			stdin: text,
		});

		expect(code).toBe(0);
		expect(queued()).toMatchObject([{ content: { kind: 'feedback', text } }]);
	});

	it('takes up to a megabyte and refuses more', async () => {
		const { project, queued } = await projectWithWorker();
		await using _ = project;
		const send = (length: number) =>
			nancy.run(['send', 'fix-login', '-'], { cwd: project.path, stdin: 'x'.repeat(length) });

		expect((await send(2 ** 20)).code).toBe(0);
		expect(await send(2 ** 20 + 1)).toMatchObject({ code: 2, stderr: expect.stringContaining('longer than 1 MB') });
		expect(queued()).toHaveLength(1);
	});

	it('speaks as the worker in whose terminal it runs, and reaches the human and its siblings', async () => {
		const { project, task, queued } = await projectWithWorker();
		await using _ = project;
		await project.addWorker(task, 'worker-2');
		const call = { cwd: '/', env: project.terminal(task, 'worker') };

		expect((await nancy.run(['send', 'orchestrator', 'Which database?'], call)).code).toBe(0);
		expect((await nancy.run(['send', 'worker-2', 'Take the tests.'], call)).code).toBe(0);

		expect(queued('orchestrator')).toMatchObject([
			{ content: { from: 'fix-login/worker', text: 'Which database?' } },
		]);
		expect(queued('worker-2')).toMatchObject([{ content: { from: 'fix-login/worker', text: 'Take the tests.' } }]);
	});

	it('rings the bell of an idle agent, but not for a pause', async () => {
		const { project, task } = await projectWithWorker();
		await using _ = project;
		const bells = project.workspace.paths.bells;

		await nancy.run(['send', 'fix-login', '--pause', 'Rest.'], { cwd: project.path });
		expect(readdirSync(bells)).toEqual([]);
		await nancy.run(['send', 'fix-login', 'Go on.'], { cwd: project.path });
		expect(readdirSync(bells)).toEqual([`session-${task}-worker`]);
	});

	it('rings even where somebody has removed the bells', async () => {
		const { project } = await projectWithWorker();
		await using _ = project;
		rmSync(project.workspace.paths.bells, { recursive: true });

		expect((await nancy.run(['send', 'fix-login', 'Go on.'], { cwd: project.path })).code).toBe(0);
		expect(readdirSync(project.workspace.paths.bells)).toHaveLength(1);
	});

	it('asks which worker is meant when several could be', async () => {
		const { project, task, queued } = await projectWithWorker();
		await using _ = project;
		await project.addWorker(task, 'worker-2');

		expect(await nancy.run(['send', 'fix-login', 'Hello'], { cwd: project.path })).toMatchObject({
			code: 2,
			stderr: expect.stringContaining('fix-login/worker, fix-login/worker-2'),
		});
		await project.addWorker(task, 'worker-2', { process: identify(process.pid) });
		expect((await nancy.run(['send', 'fix-login', 'Hello'], { cwd: project.path })).code).toBe(0);
		expect(queued('worker-2')).toHaveLength(1);
	});

	it.each([
		{ args: ['send'], code: 2, says: '<task>[/<worker>] is missing' },
		{ args: ['send', 'fix-login'], code: 2, says: 'TEXT|- is missing' },
		{ args: ['send', 'fix-login', '  '], code: 2, says: 'there is no text' },
		{ args: ['send', 'fix-login', '-x'], code: 2, says: "Unknown option '-x'" },
		{ args: ['send', 'fix-login', '--kind', 'order', 'x'], code: 2, says: 'use directive or feedback' },
		{ args: ['send', 'fix-login', '--priority', 'high', 'x'], code: 2, says: 'use normal or urgent' },
		{ args: ['send', 'fix-login', '--halt', '--pause', 'x'], code: 2, says: 'exclude each other' },
		{ args: ['send', 'fix-login', '--kind', 'feedback', '--halt', 'x'], code: 2, says: 'for directives' },
		{ args: ['send', 'fix-login/orchestrator', '--halt', 'x'], code: 2, says: 'human' },
		{ args: ['send', 'orchestrator', 'x'], code: 2, says: '<task>/orchestrator' },
		{ args: ['send', '../etc', 'x'], code: 2, says: 'is not a task name' },
		{ args: ['send', 'fix-login/../../x', 'x'], code: 2, says: 'is not <task>/<worker>' },
		{ args: ['send', 'other', 'x'], code: 3, says: 'there is no task other' },
		{ args: ['send', 'fix-login/worker-9', 'x'], code: 3, says: 'has no worker "worker-9"; it has worker' },
		{ args: ['-C', '/', 'send', 'fix-login', 'x'], code: 3, says: 'there is no .nancy folder in / ' },
	])('refuses $args with exit code $code', async ({ args, code, says }) => {
		const { project, queued } = await projectWithWorker();
		await using _ = project;

		const outcome = await nancy.run(args, { cwd: project.path });

		expect(outcome).toEqual({ code, stdout: '', stderr: expect.stringContaining(says) });
		expect(outcome.stderr).toMatch(/^nancy: .*\n$/);
		expect(queued()).toEqual([]);
	});

	it('reports a failure as one line of JSON when asked for JSON', async () => {
		const { project } = await projectWithWorker();
		await using _ = project;

		const { code, stdout, stderr } = await nancy.run(['send', 'other', 'x', '--json'], { cwd: project.path });

		expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
		expect(ErrorOutput.parse(JSON.parse(stderr)).error.code).toBe('no-task');
	});

	it('does not follow a link that stands where a mailbox should be', async () => {
		const { project, task } = await projectWithWorker();
		await using _ = project;
		const { rm, symlink } = await import('node:fs/promises');
		const comms = join(project.workspace.paths.task(task), 'comms');
		await rm(comms, { recursive: true });
		mkdirSync(join(project.path, 'elsewhere'));
		await symlink(join(project.path, 'elsewhere'), comms);

		const { code, stderr } = await nancy.run(['send', 'fix-login', 'x'], { cwd: project.path });

		expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('symbolic link') });
		expect(readdirSync(join(project.path, 'elsewhere'))).toEqual([]);
	});
});

describe('nancy inbox', () => {
	it('lists states and receipts, in a folder below the workspace too', async () => {
		const { project, task, worker } = await projectWithWorker();
		await using _ = project;
		await nancy.run(['send', 'fix-login', 'First.'], { cwd: project.path });
		await deliverAll(project, task, worker);
		await nancy.run(['send', 'fix-login', '--priority', 'urgent', 'Second.'], { cwd: project.path });
		mkdirSync(project.workspace.folder + '/deep/er', { recursive: true });
		const cwd = join(project.path, 'deep/er');

		const { stdout } = await nancy.run(['inbox', '--json'], { cwd });
		const { messages, problems } = InboxOutput.parse(JSON.parse(stdout));

		expect(problems).toEqual([]);
		expect(messages).toMatchObject([
			{ mailbox: 'fix-login/worker', state: 'queued', priority: 'urgent', text: 'Second.' },
			{ state: 'delivered', text: 'First.', receipt: { event: 'PreToolUse', tool: 'Bash', rung: 'hook' } },
		]);
		expect((await nancy.run(['inbox', 'fix-login'], { cwd })).stdout).toMatch(
			/^fix-login\/worker\n {2}queued {5}\S+ {2}urgent directive from orchestrator\n {4}Second\.\n {2}delivered {2}\S+ {2}directive from orchestrator\n {4}delivered at PreToolUse Bash \(hook\), \d+ s ago\n {4}First\.\n$/,
		);
	});

	it("shows an agent its own mailbox and the human everybody's", async () => {
		const { project, task } = await projectWithWorker();
		await using _ = project;
		const env = project.terminal(task, 'worker');
		await nancy.run(['send', 'orchestrator', 'A question.'], { cwd: '/', env });
		await nancy.run(['send', 'fix-login', 'An answer.'], { cwd: project.path });
		const texts = async (args: string[], call: { cwd: string; env?: Record<string, string> }) =>
			InboxOutput.parse(JSON.parse((await nancy.run([...args, '--json'], call)).stdout)).messages.map(
				({ text }) => text,
			);

		expect(await texts(['inbox'], { cwd: '/', env })).toEqual(['An answer.']);
		expect(await texts(['inbox', 'orchestrator'], { cwd: '/', env })).toEqual(['A question.']);
		expect(await texts(['inbox'], { cwd: project.path })).toEqual(['A question.', 'An answer.']);
	});

	it('shows control characters instead of sending them to the terminal', async () => {
		const { project } = await projectWithWorker();
		await using _ = project;
		await nancy.run(['send', 'fix-login', '-'], { cwd: project.path, stdin: 'a\u001b]0;title\u0007b' });

		expect((await nancy.run(['inbox'], { cwd: project.path })).stdout).toContain('a\\x1b]0;title\\x07b');
	});

	it('names a file that is not a message and lists the rest', async () => {
		const { project, inbox } = await projectWithWorker();
		await using _ = project;
		writeFileSync(join(inbox(), 'bad.md'), '**Priority:** soon\n\nHello');
		writeFileSync(join(inbox(), 'by hand.md'), 'Dropped by hand.');

		const { code, stdout, stderr } = await nancy.run(['inbox'], { cwd: project.path });

		expect(code).toBe(0);
		expect(stdout).toContain('Dropped by hand.');
		expect(stderr).toContain('bad.md is not a message: header "priority" is not valid: use normal or urgent');
	});
});

describe('nancy archive', () => {
	it('files away what the agent has done, by the beginning of its id', async () => {
		const { project, task, worker } = await projectWithWorker();
		await using _ = project;
		const id = (await nancy.run(['send', 'fix-login', 'Do it.'], { cwd: project.path })).stdout.trim();
		await deliverAll(project, task, worker);

		const call = { cwd: '/', env: project.terminal(task, 'worker') };
		const { code, stdout } = await nancy.run(['archive', id.slice(0, -3), '--json'], call);

		expect(code).toBe(0);
		expect(MovedOutput.parse(JSON.parse(stdout))).toEqual({
			messages: [{ id, mailbox: 'fix-login/worker', state: 'archived' }],
		});
		const { messages } = await project.workspace.mailbox({ task, worker }).list();
		expect(messages).toMatchObject([{ id, state: 'archived', receipt: { event: 'PreToolUse' } }]);
		expect((await nancy.run(['archive', id], call)).code).toBe(0);
	});

	it('prefers the own mailbox, and asks for more where an id is ambiguous', async () => {
		const { project, task, worker, inbox } = await projectWithWorker();
		await using _ = project;
		const drop = () => ['same.md', 'same-too.md'].map(name => writeFileSync(join(inbox(), name), 'mine'));
		drop();
		writeFileSync(join(inbox('orchestrator'), 'same.md'), 'the human’s');
		const call = { cwd: '/', env: project.terminal(task, 'worker') };

		expect(await nancy.run(['archive', 'sam'], call)).toMatchObject({
			code: 2,
			stderr: expect.stringContaining('could be'),
		});
		makeOld(inbox());
		await deliverAll(project, task, worker);
		// Names that were used before: the message that can be archived is meant.
		drop();
		expect((await nancy.run(['archive', 'same'], call)).stdout).toBe('archived same (fix-login/worker)\n');
		expect(readdirSync(inbox('orchestrator'))).toEqual(['same.md']);
		expect(await nancy.run(['archive', 'unknown'], call)).toMatchObject({
			code: 3,
			stderr: expect.stringContaining('nancy inbox lists the messages'),
		});
	});

	it('does not keep from an agent what it has not read, also where the agent itself asks', async () => {
		const { project, task, worker, queued } = await projectWithWorker();
		await using _ = project;
		const id = (await nancy.run(['send', 'fix-login', 'Do it.'], { cwd: project.path })).stdout.trim();

		expect(await nancy.run(['archive', id], { cwd: project.path })).toMatchObject({
			code: 6,
			stderr: expect.stringContaining(`nancy withdraw ${id}`),
		});
		expect(await nancy.run(['archive', id], { cwd: '/', env: project.terminal(task, worker) })).toMatchObject({
			code: 6,
			stderr: expect.stringContaining('has not been handed over yet'),
		});
		expect(queued()).toHaveLength(1);
	});
});

describe('nancy withdraw', () => {
	it('takes a queued message back, once', async () => {
		const { project, queued } = await projectWithWorker();
		await using _ = project;
		const id = (await nancy.run(['send', 'fix-login', 'Do it.'], { cwd: project.path })).stdout.trim();

		expect(await nancy.run(['withdraw', id], { cwd: project.path })).toMatchObject({
			code: 0,
			stdout: `withdrew ${id} (fix-login/worker)\n`,
		});
		expect(queued()).toEqual([]);
		expect(await nancy.run(['withdraw', id], { cwd: project.path })).toMatchObject({
			code: 6,
			stderr: expect.stringContaining('was taken back before'),
		});
		const { stdout } = await nancy.run(['inbox', '--all', '--json'], { cwd: project.path });
		expect(InboxOutput.parse(JSON.parse(stdout)).messages).toMatchObject([{ id, state: 'withdrawn' }]);
	});

	it('is too late once the agent has the message', async () => {
		const { project, task, worker } = await projectWithWorker();
		await using _ = project;
		const mailbox = project.workspace.mailbox({ task, worker });
		const id = await mailbox.put(messageContent('Do it.'), BY_USER);
		await deliverAll(project, task, worker);

		expect((await nancy.run(['withdraw', id], { cwd: project.path })).code).toBe(6);
	});

	it('takes none of several back where one cannot be, and archives none', async () => {
		const { project, task, worker, inbox } = await projectWithWorker();
		await using _ = project;
		const mailbox = project.workspace.mailbox({ task, worker });
		const read = await mailbox.put(messageContent('Do it.'), BY_USER);
		await deliverAll(project, task, worker);
		const queued = await mailbox.put(messageContent('Do that.'), BY_USER);
		const cwd = project.path;

		expect((await nancy.run(['withdraw', queued, 'nope'], { cwd })).code).toBe(3);
		expect((await nancy.run(['withdraw', queued, read], { cwd })).code).toBe(6);
		expect((await nancy.run(['archive', read, queued], { cwd })).code).toBe(6);
		const states = (await mailbox.list()).messages.map(({ state }) => state);
		expect(states).toEqual(['queued', 'delivered']);

		// A name that was used before is the queued message's; said twice, it is taken back once.
		await mailbox.withdraw(queued);
		writeFileSync(join(inbox(), `${queued}.md`), 'Do that again.');
		expect((await nancy.run(['withdraw', queued, queued], { cwd })).stdout).toMatch(/^withdrew \S+ \S+\n$/);
		expect(readdirSync(inbox())).toEqual([]);
	});

	it("lets an agent take back its own words only, never the user's", async () => {
		const { project, task, queued } = await projectWithWorker();
		await using _ = project;
		const call = { cwd: '/', env: project.terminal(task, 'worker') };
		const users = (await nancy.run(['send', 'fix-login', 'Stop that.'], { cwd: project.path })).stdout.trim();
		const own = (await nancy.run(['send', 'orchestrator', 'Hello?'], call)).stdout.trim();

		expect(await nancy.run(['withdraw', users], call)).toMatchObject({ code: 5 });
		expect((await nancy.run(['withdraw', own], call)).code).toBe(0);
		expect(queued()).toHaveLength(1);
	});
});
