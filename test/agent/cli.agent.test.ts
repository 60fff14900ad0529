import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WorkerAddress } from '../../src/core/workspace/workspace.ts';
import { InboxOutput, WaitOutput } from '../../src/protocol/output/messages.ts';
import { StatusOutput, TokensOutput } from '../../src/protocol/output/tasks.ts';
import { ORCHESTRATOR, SessionId } from '../../src/protocol/names.ts';
import { claudeExecutable } from '../support/claudeHome.ts';
import { claudeLab } from '../support/claudeLab.ts';
import { deployedLab, startedTask, type DeployedLab } from '../support/deployedLab.ts';
import { eventually } from '../support/eventually.ts';
import { gateIn } from '../support/gate.ts';
import { dataFolderIn } from '../support/runtime.ts';
import { terminal } from '../support/terminal.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

/** The real CLI as in a terminal of Nancy's: it knows its worker and has `nancy` on its PATH. */
async function labInNancysTerminal(): Promise<{ lab: DeployedLab; address: WorkerAddress; session: SessionId }> {
	const lab = await deployedLab();
	const session = SessionId.parse(randomUUID());
	const address = await startedTask(lab, session);
	const bin = lab.workspace.file('bin');
	mkdirSync(bin);
	writeFileSync(`${bin}/nancy`, `#!/bin/sh\nexec '${process.execPath}' '${nancy.program}' "$@"\n`);
	chmodSync(`${bin}/nancy`, 0o755);
	lab.env['PATH'] = `${bin}${delimiter}${lab.env['PATH']}`;
	lab.env['NANCY_TASK_DIR'] = lab.nancy.paths.task(address.task);
	lab.env['NANCY_WORKER'] = address.worker;
	// Where the seals of this lab's messages are.
	lab.env['XDG_DATA_HOME'] = dirname(dataFolderIn(lab.home));
	return { lab, address, session };
}

describe('the nancy command in the hands of the real agent', () => {
	it('is steered by nancy send, archives what it has done, answers, and knows its tokens', async () => {
		const { lab, address, session } = await labInNancysTerminal();
		await using _ = lab;
		const place = { cwd: lab.workspace.path, env: { XDG_DATA_HOME: dirname(dataFolderIn(lab.home)) } };
		const gate = gateIn(lab.workspace.path, 'touch started');
		const run = lab.headless(`${gate.step} [[text:Not steered]]`, [
			'--session-id',
			session,
			'--permission-mode',
			'bypassPermissions',
		]);
		await eventually('the tool runs', () => existsSync(lab.workspace.file('started')));
		const waiting = nancy.start(['wait', address.task, '--until', 'message', '--timeout', '600', '--json'], place);

		const steps =
			'Use the retry helper. [[sh:(cd / && nancy inbox --json) > inbox.json]] ' +
			'[[sh:nancy archive "$(nancy inbox | grep -o "[0-9T]*Z-[0-9a-f]*" | head -1)"]] ' +
			'[[sh:nancy tokens --json > tokens.json; nancy send orchestrator "The helper is used."]] [[text:Steered]]';
		const sent = await nancy.start(['send', `${address.task}/${address.worker}`, '-'], { ...place, stdin: steps });
		expect(sent.code).toBe(0);
		const id = sent.stdout.trim();
		gate.open();

		expect((await run).stdout.trim()).toBe('Steered');
		expect(lab.model.requests.some(request => request.text.includes('Use the retry helper.'))).toBe(true);
		const listed = InboxOutput.parse(JSON.parse(readFileSync(lab.workspace.file('inbox.json'), 'utf8')));
		expect(listed.messages).toMatchObject([{ id, state: 'delivered', receipt: { rung: 'hook', session } }]);
		const tokens = TokensOutput.parse(JSON.parse(readFileSync(lab.workspace.file('tokens.json'), 'utf8')));
		expect(tokens).toMatchObject({ session, overThreshold: false });
		expect(tokens.contextTokens).toBeGreaterThan(0);
		expect(await lab.nancy.mailbox(address).list()).toMatchObject({ messages: [{ id, state: 'archived' }] });

		const answered = WaitOutput.parse(JSON.parse((await waiting).stdout));
		expect(answered.messages).toMatchObject([
			{ from: `${address.task}/${address.worker}`, text: 'The helper is used.', state: 'queued' },
		]);
		const human = await lab.nancy.mailbox({ task: address.task, worker: ORCHESTRATOR }).list(['queued']);
		expect(human.messages).toHaveLength(1);
	});

	it('tells from outside what the agent did', async () => {
		const { lab, address, session } = await labInNancysTerminal();
		await using _ = lab;
		const place = { cwd: lab.workspace.path, env: { XDG_DATA_HOME: dirname(dataFolderIn(lab.home)) } };
		await lab.headless('[[sh:echo made-by-agent]] [[text:All done]]', [
			'--session-id',
			session,
			'--permission-mode',
			'bypassPermissions',
		]);

		const { stdout } = await nancy.start(['traffic', address.task], place);
		expect(stdout).toMatch(/PreToolUse Bash: .*made-by-agent/);
		expect(stdout).toMatch(/ Stop/);
		const history = await nancy.start(['sessions', '--show', session.slice(0, 8)], place);
		expect(history.stdout).toMatch(/prompt +\[\[sh:echo made-by-agent/);
		expect(history.stdout).toMatch(/tool +Bash/);
		expect(history.stdout).toMatch(/transcript: .*\.jsonl/);
		expect(await nancy.start(['wait', address.task, '--until', 'idle', '--timeout', '600'], place)).toMatchObject({
			code: 0,
		});
	});
});

describe('nancy orchestrate with the real agent', () => {
	it('starts it, wakes it when it is idle, sees what it does, stops it and resumes it', async () => {
		await using lab = await claudeLab();
		const cwd = lab.workspace.path;
		const env = {
			...lab.env,
			IS_SANDBOX: '1',
			PATH: `${dirname(claudeExecutable)}${delimiter}${lab.env['PATH']}`,
			XDG_DATA_HOME: nancy.dataFolder,
		};
		const inTerminal = (...args: string[]) =>
			terminal(process.execPath, [nancy.program, 'orchestrate', ...args], { cwd, env });
		const call = (...args: string[]) => nancy.start(args, { cwd, env });
		const wait = (until: string) => call('wait', 'fix-login', '--until', until, '--timeout', '600');

		const first = inTerminal('fix-login', '--prompt', 'Begin. [[text:I have begun]]');
		await first.waitForText(/I have begun/);
		expect(await wait('idle')).toMatchObject({ code: 0, stdout: 'fix-login/worker idle\n' });

		const { stdout: id } = await call('send', 'fix-login', 'Wake up. [[text:I am awake]]');
		await first.waitForText(/I am awake/);
		const { messages } = InboxOutput.parse(JSON.parse((await call('inbox', '--json')).stdout));
		expect(messages).toMatchObject([{ id: id.trim(), state: 'delivered', receipt: { rung: 'wake' } }]);
		expect(await wait('idle')).toMatchObject({ code: 0 });

		const { tasks } = StatusOutput.parse(JSON.parse((await call('status', '--json')).stdout));
		expect(tasks).toMatchObject([
			{ task: 'fix-login', workers: [{ phase: 'idle', agent: 'claude-code', queued: 0 }] },
		]);

		expect((await call('stop', 'fix-login')).stdout).toMatch(/^fix-login\/worker (stopped|killed)/);
		expect(await first.ended).toBeGreaterThan(0);
		expect(await wait('stop')).toMatchObject({ code: 0, stdout: 'fix-login/worker ended\n' });
		await first.close();

		const again = inTerminal('fix-login', '--resume', '--prompt', 'Go on. [[text:I go on]]');
		await again.waitForText(/I go on/);
		expect(lab.model.requests.at(-1)?.text).toContain('I am awake');
		expect((await call('stop', 'fix-login')).code).toBe(0);
		await again.close();
		expect((await call('cleanup')).stdout).toContain('took back .claude/settings.local.json');
	});
});
