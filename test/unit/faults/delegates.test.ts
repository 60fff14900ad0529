import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
	appendFileSync,
	chmodSync,
	existsSync,
	mkdirSync,
	readFileSync,
	readdirSync,
	rmSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { hasErrno } from '../../../src/base/errors.ts';
import { liveness } from '../../../src/base/liveness.ts';
import { Budgets } from '../../../src/core/budgets/budgets.ts';
import { isFinal } from '../../../src/core/delegates/delegate.ts';
import { endDelegate, writeAnswer } from '../../../src/core/delegates/ending.ts';
import { sessionBinding } from '../../../src/core/sessions/bindings.ts';
import { stopDelegate } from '../../../src/delegates/delegateQueue.ts';
import { onPath } from '../../../src/base/searchPath.ts';
import { tmuxSocket } from '../../../src/process/runnerHost.ts';
import { RUN_MARK, RUNNER_MARK, markedProcesses } from '../../../src/process/marked.ts';
import { ORCHESTRATOR, SessionId, TaskName, type DriverId } from '../../../src/protocol/names.ts';
import { bundledChild } from '../../support/bundledChild.ts';
import { eventually, HANG_MS } from '../../support/eventually.ts';
import { fakeDriver } from '../../support/fakeDriver.ts';
import { otherHeadlessDriver, ownSessionDriver } from '../../support/fakeHeadless.ts';
import { gitRepository } from '../../support/gitRepository.ts';
import { long } from '../../support/long.ts';
import { roundsOr } from '../../support/rounds.ts';
import { RunnerRoom } from '../../support/runnerRoom.ts';
import { cannotMount, skippedUnless } from '../../support/skipped.ts';
import { killNow } from '../../support/killNow.ts';
import { taskRecord } from '../../support/taskRecord.ts';

/** Rounds of the kill test: some here, 200 when asked for. */
const ROUNDS = roundsOr(1);
/** Each of them queues several. */
const STARTERS = Math.max(2, Math.round(ROUNDS / 10));

const withoutTmux = skippedUnless(onPath('tmux', process.env), 'needs tmux');

/** The most memory that a process had, in MB; 0 where it has just ended. */
function mostMemoryOf(pid: number): number {
	try {
		return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
	} catch {
		return 0;
	}
}

describe('a runner', () => {
	it.concurrent('runs a delegate to its answer, and tells how it goes', async () => {
		await using room = new RunnerRoom();
		const { delegates, run, outputOf, logOf } = room;
		const done = await run('tool:Read tool:Edit denied:Bash garbage wait:300 answer:done');
		expect(done).toMatchObject({
			state: 'done',
			status: {
				status: 'done',
				tool_calls: 2,
				last_tool: 'Edit',
				last_file: '/src/Edit.ts',
				iteration: 1,
				denied: ['Bash'],
				model: 'fake-1',
				input_tokens: 10,
				cost_usd: 0.01,
			},
		});
		expect(outputOf(done)).toBe('done');
		expect(logOf(done)).toMatch(/^— fake-1 —\n● Read\n● Edit\n/);
		expect(logOf(done)).toContain('not json');
		expect(done.status.runner).toBeUndefined();
		expect(await delegates.workspace.worker(done.record)).toMatchObject({ stoppedAt: expect.any(String) });
	});

	it.concurrent.each([
		['crash', /ended with code 3/],
		['wait:1', /ended with code 0 and no answer/],
		['answer:', /without an answer/],
		['fail:final', /final failed/],
	])('calls %j a failure and says why', async (prompt, error) => {
		await using room = new RunnerRoom();
		const { run } = room;
		const failed = await run(prompt);
		expect(failed).toMatchObject({ state: 'failed', error });
	});

	it.concurrent('is stopped when its budget is used up, or that of its task', async () => {
		await using room = new RunnerRoom();
		const { delegates, delegate, ended, look } = room;
		const budgets = new Budgets(delegates.workspace.own);
		const own = await delegate('use:100 use:199 tool:Read wait:20000 answer:late');
		await budgets.set({ delegate: own.record.id }, { tokens: 200 });
		await look();
		await eventually('it has begun', async () => (await delegates.get(own.record.id)).status.tool_calls === 1);
		expect((await delegates.get(own.record.id)).status.input_tokens).toBe(199);
		await budgets.set({ delegate: own.record.id }, { tokens: 150 });
		expect(await ended(own)).toMatchObject({
			state: 'failed',
			error: 'budget: 150 tokens is used up, with 199 tokens',
		});
		await budgets.noteLevel({ task: own.record.task }, 'spent');
		const other = await delegate('wait:20000 answer:late');
		await look();
		expect(await ended(other)).toMatchObject({ state: 'failed', error: 'budget: that of its task is used up' });
	});

	it.concurrent('says that the agent is missing', async () => {
		await using room = new RunnerRoom();
		const { run } = room;
		const failed = await run('answer:x', {}, { FAKE_AGENT: '/nonexistent/agent' });
		expect(failed).toMatchObject({ state: 'failed', error: /nonexistent/ });
	});

	it.concurrent(
		'says that its folder is not there, or not in its worktree, and not that the agent is missing',
		long,
		async () => {
			await using room = new RunnerRoom();
			const { folder, run } = room;
			const gone = await run('answer:x', { folder: folder.file('gone') });
			expect(gone).toMatchObject({ state: 'failed', error: `there is no folder ${folder.file('gone')}` });
			await using repository = gitRepository();
			repository.commit({ 'b.txt': 'b' });
			repository.write({ 'new/a.txt': 'a' });
			const inside = { folder: join(repository.root, 'new') };
			const failed = await run('answer:x', { ...inside, worktree: { withChanges: false } });
			expect(failed).toMatchObject({ state: 'failed', error: /the worktree has no folder new\/.*not committed/ });
			const done = await run('answer:x', { ...inside, worktree: { withChanges: true } });
			expect(done.state).toBe('done');
		},
	);

	it.concurrent('tries a transient failure again, a limited number of times, and goes on in the conversation it had begun', async () => {
		await using room = new RunnerRoom();
		const { run, outputOf } = room;
		const failed = await run('fail:transient', { limits: { retries: 1 } });
		expect(failed).toMatchObject({ state: 'failed', status: { iteration: 2 } });
		const wentOn = await run('tool:Read fail:transient', { limits: { retries: 1 } });
		expect(wentOn).toMatchObject({ state: 'done', status: { iteration: 2 } });
		expect(outputOf(wentOn)).toBe('went on');
	});

	it.concurrent('goes on in a session that the CLI has chosen itself, without hooks, and begins anew where it told of none', async () => {
		await using room = new RunnerRoom();
		const { delegates, run, outputOf } = room;
		const agent = ownSessionDriver.id;
		const done = await run('tool:Read fail:transient', { agent });
		expect(done).toMatchObject({ state: 'done', status: { iteration: 2 } });
		expect(outputOf(done)).toBe('went on');
		const { sessions } = (await delegates.workspace.worker(done.record)) ?? {};
		expect(sessions?.map(({ id }) => id)).toEqual([done.status.session]);
		const anew = await run('anonymous tool:Read fail:transient', { agent });
		expect(anew).toMatchObject({
			state: 'failed',
			error: 'transient failed',
			status: { iteration: 3, tool_calls: 3 },
		});
	});

	it.concurrent('begins anew if its conversation could not be bound to it, as on a full disk', long, async () => {
		await using room = new RunnerRoom();
		const { folder, delegates, look, delegate, ended } = room;
		const gate = folder.file('gate');
		const limits = { retries: 1 };
		const queued = await delegate(`tool:Read until:${gate} fail:transient`, { agent: ownSessionDriver.id, limits });
		await look();
		const session = await eventually('its session', async () => {
			const [noted] = (await delegates.workspace.worker(queued.record))?.sessions ?? [];
			return noted && (await sessionBinding(delegates.workspace, noted.id)) && noted.id;
		});
		await delegates.workspace.own.remove('sessions', `${session}.json`);
		writeFileSync(gate, '');
		expect(await ended(queued)).toMatchObject({
			state: 'failed',
			error: 'transient failed',
			status: { iteration: 2, tool_calls: 2 },
		});
	});

	it.concurrent('goes on in no conversation that its worker’s record names meanwhile', long, async () => {
		await using room = new RunnerRoom();
		const { folder, delegates, look, delegate, ended, outputOf } = room;
		const gate = folder.file('gate');
		const queued = await delegate(`tool:Read until:${gate} fail:transient`, { limits: { retries: 1 } });
		await look();
		const begun = await eventually('its session', async () => {
			const { status } = await delegates.get(queued.record.id);
			return status.tool_calls === 1 && status.session;
		});
		const other = SessionId.parse('a-session-of-the-user');
		const { task, worker } = queued.record;
		await delegates.workspace.updateWorker(
			{ task, worker },
			record => record && { ...record, sessions: [{ id: other, startedAt: record.startedAt }] },
		);
		writeFileSync(gate, '');
		const wentOn = await ended(queued);
		expect(outputOf(wentOn)).toBe('went on');
		expect(wentOn.status.session).toBe(begun);
	});

	it.concurrent('tries a transient failure again also after a word about the limit', long, async () => {
		await using room = new RunnerRoom();
		const { run } = room;
		const wentOn = await run('tool:Read warning:60000 fail:transient', { limits: { retries: 1 } });
		expect(wentOn).toMatchObject({ state: 'done', status: { iteration: 2 } });
	});

	it.concurrent('that was killed while it wrote down a failure reports the failure, not what the agent printed as an answer', async () => {
		await using room = new RunnerRoom();
		const { delegates, tickets, look, delegate, outputOf, startedBy } = room;
		const queued = await delegate('x');
		const { id } = queued.record;
		const runner = { pid: 999_999_999, startedTicks: 1 };
		await startedBy(queued, runner);
		const running = await delegates.get(id);
		// The final status of the failure is never written.
		const { files } = running;
		const write = files.writeOutput.bind(files);
		vi.spyOn(files, 'writeOutput').mockImplementation(async output => {
			await write(output);
			throw new Error('killed');
		});
		const failure = { ok: false, reason: 'no credit', output: 'API Error: no credit' } as const;
		await expect(endDelegate(delegates, tickets, running, failure)).rejects.toThrow('killed');
		await look();
		expect(await delegates.get(id)).toMatchObject({ state: 'failed', error: 'no credit' });
		expect(outputOf(queued)).toBe('API Error: no credit');
	});

	it.concurrent('does not run again what has ended, but for the word that it has', async () => {
		await using room = new RunnerRoom();
		const { delegates, tickets, nancy, delegate, outputOf } = room;
		const queued = await delegate('answer:again');
		const { id } = queued.record;
		await endDelegate(delegates, tickets, queued, { ok: true, output: 'The answer.' });
		rmSync(queued.files.done);
		execFileSync(nancy, ['-C', delegates.workspace.folder, 'run', '--delegate', id]);
		expect(await delegates.get(id)).toMatchObject({ state: 'done', status: { iteration: 0 } });
		expect(outputOf(queued)).toBe('The answer.');
	});

	it.concurrent.each(['ended', 'started'])(
		'one that cannot be %s holds up no other, and the error is told',
		async what => {
			await using room = new RunnerRoom();
			const { delegates, tickets, look, delegate, ended } = room;
			const task = TaskName.parse('build');
			await delegates.workspace.createTask(taskRecord(task, fakeDriver.id));
			const bad = await delegate('answer:bad', { parent: { task, worker: ORCHESTRATOR } });
			const good = await delegate('answer:good');
			if (what === 'ended') {
				const { status, record } = bad;
				await delegates.writeStatus(record.id, { ...status, status: 'failed', error: 'no', reported: true });
				await tickets.end(record.id, { error: 'no', report: status.report, isReported: false });
			} else {
				await tickets.remove(bad.record.id);
				mkdirSync(bad.files.output);
			}
			const record = delegates.workspace.paths.taskRecord(task);
			const before = readFileSync(record);
			writeFileSync(record, 'garbage');
			await expect(look(1)).rejects.toThrow(what === 'ended' ? 'cannot be read' : 'EISDIR');
			expect(await ended(good)).toMatchObject({ state: 'done' });
			writeFileSync(record, before);
			rmSync(bad.files.output, { recursive: true, force: true });
			await look(1);
			expect((await ended(bad)).state).toBe('failed');
		},
	);

	it.concurrent('that was taken for dead and deleted leaves nothing behind when it ends', async () => {
		await using room = new RunnerRoom();
		const { folder, delegates, tickets, look, delegate, results } = room;
		const gate = folder.file('gate');
		const queued = await delegate(`tool:Read until:${gate} answer:done`);
		await look();
		const { runner } = await eventually('its start', async () => {
			const { status } = await delegates.get(queued.record.id);
			return status.tool_calls > 0 && status;
		});
		const left = () => readdirSync(delegates.folder).filter(name => name.startsWith(queued.record.id));
		await tickets.remove(queued.record.id);
		for (const name of left()) rmSync(join(delegates.folder, name));
		writeFileSync(gate, '');
		await eventually('its end', () => runner && liveness(runner) === 'dead');
		expect(left()).toEqual([]);
		expect(await results()).toEqual([]);
	});

	it.concurrent('whose folder was cleaned up around it reports its answer all the same', async () => {
		await using room = new RunnerRoom();
		const { folder, delegates, look, delegate, outputOf, results } = room;
		const gate = folder.file('gate');
		const queued = await delegate(`tool:Read until:${gate} answer:done`);
		await look();
		const { runner } = await eventually('its start', async () => {
			const { status } = await delegates.get(queued.record.id);
			return status.tool_calls > 0 && status;
		});
		rmSync(delegates.workspace.paths.root, { recursive: true });
		writeFileSync(gate, '');
		await eventually('its end', () => runner && liveness(runner) === 'dead');
		expect(outputOf(queued)).toBe('done');
		expect(await results()).toEqual([expect.stringContaining(queued.record.id)]);
	});

	it.concurrent('waits for its account alone where the others cannot be told', long, async () => {
		await using room = new RunnerRoom();
		const { delegates, look, delegate, ended, logOf } = room;
		const first = await delegate('tool:Read quota:500');
		await look();
		mkdirSync(delegates.workspace.own.path('parked.json'), { recursive: true });
		const now = await ended(first);
		expect(now).toMatchObject({ state: 'done', status: { iteration: 2 } });
		expect(logOf(now)).toContain('the others are not told to wait: ');
	});

	it.concurrent('parks the whole batch, then goes on', async () => {
		await using room = new RunnerRoom();
		const { delegates, look, delegate, ended } = room;
		const first = await delegate(`tool:Read quota:${HANG_MS}`);
		await look();
		await eventually('parked', async () => (await delegates.get(first.record.id)).state === 'parked');
		const second = await delegate('answer:second');
		await look();
		expect((await delegates.get(second.record.id)).state).toBe('queued');
		await delegates.locked(() => delegates.unpark());
		expect((await ended(first)).state).toBe('done');
		expect((await ended(second)).state).toBe('done');
	});

	it.concurrent('gives its place away while it is parked, and goes on only when one is free', async () => {
		await using room = new RunnerRoom();
		const { folder, delegates, look, delegate, ended } = room;
		const gate = folder.file('gate');
		const first = await delegate(`tool:Read quota:${HANG_MS}`);
		await look(1);
		const now = () => delegates.get(first.record.id);
		await eventually('parked', async () => (await now()).state === 'parked');
		const other = await delegate(`until:${gate} answer:other`, { agent: otherHeadlessDriver.id });
		await look(1);
		await eventually('the other one', async () => (await delegates.get(other.record.id)).state === 'running');
		expect(await now()).toMatchObject({ state: 'parked', status: { parked_until: expect.any(String) } });
		await delegates.locked(() => delegates.unpark());
		await eventually('a place is waited for', async () => (await now()).status.parked_until === undefined);
		expect((await now()).state).toBe('parked');
		writeFileSync(gate, '');
		expect((await ended(other)).state).toBe('done');
		expect((await ended(first)).state).toBe('done');
	});

	it.concurrent('gets the place of a runner that was killed, though nobody else looks', async () => {
		await using room = new RunnerRoom();
		const { delegates, look, delegate, ended } = room;
		const first = await delegate(`tool:Read quota:${HANG_MS}`);
		await look(1);
		const now = () => delegates.get(first.record.id);
		await eventually('parked', async () => (await now()).state === 'parked');
		const other = await delegate('wait:60000', { agent: otherHeadlessDriver.id });
		await look(1);
		const { status } = await eventually('the other one', async () => {
			const found = await delegates.get(other.record.id);
			return found.status.agent_process && found;
		});
		await delegates.locked(() => delegates.unpark());
		await eventually('a place is waited for', async () => (await now()).status.parked_until === undefined);
		process.kill(status.runner!.pid, 'SIGKILL');
		expect((await ended(first)).state).toBe('done');
	});

	it.concurrent('waits for no limit longer than some hours, nor when somebody wants it to go on', long, async () => {
		await using room = new RunnerRoom();
		const { delegates, look, delegate, ended } = room;
		const first = await delegate(`tool:Read quota:${250 * 365 * 24 * 3_600_000}`);
		await look();
		const { status } = await eventually('parked', async () => {
			const now = await delegates.get(first.record.id);
			return now.state === 'parked' && now;
		});
		expect(Date.parse(status.parked_until ?? '') - Date.now()).toBeLessThanOrEqual(6 * 3_600_000);
		expect(await delegates.locked(() => delegates.unpark())).toEqual([fakeDriver.id]);
		expect((await ended(first)).state).toBe('done');
	});

	it.concurrent('tries again a little later after too many requests for now, and parks nobody', long, async () => {
		await using room = new RunnerRoom();
		const { delegates, look, delegate, ended, run, logOf } = room;
		const limited = await run('fail:too-many', { limits: { retries: 0 } });
		expect(limited).toMatchObject({ state: 'failed', error: 'too-many failed' });
		const again = await delegate('tool:Read fail:too-many', { limits: { retries: 1 } });
		await look();
		expect(await ended(again)).toMatchObject({ state: 'done', status: { iteration: 2 } });
		expect(logOf(again)).toContain('trying again in 5 s');
		expect(await delegates.parked(Date.now())).toEqual([]);
	});

	it.concurrent('gives away no secret that an agent complained about', async () => {
		await using room = new RunnerRoom();
		const { run, logOf, results } = room;
		const failed = await run('leak crash');
		const shown = [failed.error, readFileSync(failed.files.done, 'utf8'), logOf(failed), ...(await results())].join(
			'\n',
		);
		expect(shown).toContain('ended with code 3');
		expect(shown).not.toContain('uvwxyz');
	});

	it.concurrent('ends an agent that takes too long or says nothing, with all it has started, however deaf', async () => {
		await using room = new RunnerRoom();
		const { look, delegate, ended } = room;
		const slow = delegate('deaf orphan wait:60000', { limits: { wallSeconds: 1 } });
		const silent = delegate('orphan wait:60000', { limits: { idleSeconds: 1 } });
		const both = await Promise.all([slow, silent]);
		await look();
		expect(await ended(both[0])).toMatchObject({ state: 'failed', error: 'timeout: it took too long' });
		expect(await ended(both[1])).toMatchObject({ state: 'failed', error: /nothing came/ });
		for (const { record } of both) expect(await markedProcesses(RUN_MARK, record.id)).toEqual([]);
	});

	it.concurrent('is stopped on purpose, running or waiting', async () => {
		await using room = new RunnerRoom();
		const { delegates, tickets, look, delegate, ended } = room;
		const running = await delegate('orphan wait:60000');
		await look(1);
		const waiting = await delegate('answer:never');
		await eventually('its agent', async () => (await delegates.get(running.record.id)).status.agent_process);
		await stopDelegate(delegates, tickets, waiting.record.id);
		await stopDelegate(delegates, tickets, running.record.id);
		for (const each of [running, waiting])
			expect(await ended(each)).toMatchObject({ state: 'failed', error: 'cancelled' });
		expect(await markedProcesses(RUN_MARK, running.record.id)).toEqual([]);
	});

	it.concurrent('is cancelled by the word of a person that comes without a signal, as from another machine', async () => {
		await using room = new RunnerRoom();
		const { tickets, atWork, ended } = room;
		const queued = await atWork();
		const { id } = queued.record;
		await tickets.stops.byHuman(id);
		expect(await ended(queued)).toMatchObject({ state: 'failed', error: 'cancelled' });
	});

	it.concurrent('is not ended by a runner that was taken for dead, and whose work another one has by now', async () => {
		await using room = new RunnerRoom();
		const { tickets, atWork, results } = room;
		const queued = await atWork();
		const { id } = queued.record;
		const { runner } = queued.status;
		await tickets.takeOver(id, { pid: 999_999_999, startedTicks: 1 });
		await eventually('its end', () => liveness(runner!) === 'dead');
		expect((await tickets.facts(id))?.end).toBeUndefined();
		expect(await results()).toEqual([]);
	});

	it.concurrent('is cancelled, and its set-up has not failed, when it is stopped during that', async () => {
		await using room = new RunnerRoom();
		const { delegates, tickets, look, delegate, logOf } = room;
		await using repository = gitRepository();
		repository.commit({ 'a.txt': 'a' });
		const place = { folder: repository.root, worktree: { withChanges: false }, setUp: 'echo begun; sleep 30' };
		const queued = await delegate('answer:done', place);
		await look();
		await eventually('the set-up', () => existsSync(queued.files.log) && logOf(queued).includes('$ echo begun'));
		await stopDelegate(delegates, tickets, queued.record.id);
		expect(await delegates.get(queued.record.id)).toMatchObject({ state: 'failed', error: 'cancelled' });
	});
	it.concurrent('that does not answer when it is to stop is no delegate that was stopped', async () => {
		await using room = new RunnerRoom();
		const { delegates, tickets, atWork, ended } = room;
		const queued = await atWork();
		const { id } = queued.record;
		const { pid } = queued.status.runner!;
		process.kill(pid, 'SIGSTOP');
		try {
			await expect(stopDelegate(delegates, tickets, id, 300)).rejects.toMatchObject({
				code: 'timeout',
				message: expect.stringContaining(String(pid)),
			});
		} finally {
			process.kill(pid, 'SIGCONT');
		}
		expect(await ended(queued)).toMatchObject({ state: 'failed', error: 'cancelled' });
	});

	it.concurrent('takes a prompt of a megabyte and an answer of 50', long, async () => {
		await using room = new RunnerRoom();
		const { run, outputOf } = room;
		const megabyte = ' answer:read'.padStart(2 ** 20, 'word ');
		const prompt = await run(megabyte);
		expect(readFileSync(prompt.files.prompt).length).toBe(2 ** 20);
		expect(outputOf(prompt)).toBe('read');
		const large = await run('large:50000000');
		expect(large.state).toBe('done');
		expect(outputOf(large).length).toBe(50_000_000);
	});

	it.concurrent('starts what waits in order, never more than may run', async () => {
		await using room = new RunnerRoom();
		const { folder, delegates, look, delegate, results } = room;
		const gates = new Map<string, string>();
		for (let n = 0; n < 6; n++) {
			const gate = folder.file(`gate${n}`);
			gates.set((await delegate(`until:${gate} answer:n${n}`)).record.id, gate);
		}
		await look(2);
		await eventually('two run', async () => {
			const { delegates: now } = await delegates.list();
			return now.filter(({ state }) => state === 'running').length === 2;
		});
		// Each ends only once the next one has noted its start: a slow one would note it later than those behind it.
		const ids = (await delegates.list()).delegates.map(({ record }) => record.id);
		for (const [index, id] of ids.entries()) {
			const next = ids[index + 1];
			if (next) await eventually('the next one', async () => (await delegates.get(next)).status.started_at);
			writeFileSync(gates.get(id) ?? '', '');
		}
		const ended = await eventually('all ended', async () => {
			const { delegates: now } = await delegates.list();
			return (
				now.every(({ state, status }) => isFinal(state) && status.reported) && now.map(({ status }) => status)
			);
		});
		const begun = ended.map(status => status.started_at);
		// A look at all of them while they run is no moment: one may end, and another start, before the look comes to it.
		const together = begun.map(
			(at = '') => ended.filter(other => (other.started_at ?? '') <= at && at < (other.ended_at ?? '')).length,
		);
		expect(Math.max(...together)).toBe(2);
		// Two are started at once, and either may be the first to note it.
		for (const [index, at = ''] of begun.entries()) expect(at <= (begun[index + 2] ?? '9')).toBe(true);
		expect(await results()).toHaveLength(6);
	});

	it.skipIf(withoutTmux).concurrent(`works in a tmux session that one can attach to${withoutTmux}`, async () => {
		await using room = new RunnerRoom();
		const { folder, look, delegate, ended } = room;
		const gate = folder.file('gate');
		const queued = await delegate(`escape tool:Read until:${gate} answer:done`);
		// The user's own settings are for the user's own sessions.
		writeFileSync(folder.file('.tmux.conf'), 'set -g remain-on-exit on\nset -g exit-empty off\n');
		await look(4, { NANCY_DELEGATES_HOST: 'tmux', HOME: folder.path });
		const socket = tmuxSocket(queued.record.id);
		const screen = () => execFileSync('tmux', ['-L', socket, 'capture-pane', '-p'], { encoding: 'utf8' });
		await eventually('what it does on the screen', () => screen().includes('● Read'));
		expect(screen()).toContain('say\\x1b]0;title\\x07');
		writeFileSync(gate, '');
		expect((await ended(queued)).state).toBe('done');
		await eventually('tmux has ended too', () => {
			try {
				screen();
				return false;
			} catch {
				return true;
			}
		});
	});

	it.concurrent('does nothing for a delegate that a repository brought along', async () => {
		await using room = new RunnerRoom();
		const { delegates, tickets, look, delegate } = room;
		const { record } = await delegate('answer:x');
		await tickets.remove(record.id);
		await look();
		expect(await delegates.get(record.id)).toMatchObject({ state: 'failed', error: /not queued by you/ });
		expect(existsSync(delegates.files(record.id).log)).toBe(false);
	});

	it.concurrent(`ends in exactly one of done and failed, wherever runner or agent is killed (${ROUNDS} rounds)`, async () => {
		await using room = new RunnerRoom();
		const { folder, delegates, look, delegate, outputOf, results } = room;
		const ends = new Map<string, number>();
		await using repository = gitRepository();
		repository.commit({ 'a.txt': 'a' });
		const inWorktree = { folder: repository.root, worktree: { withChanges: true } };
		for (let round = 0; round < ROUNDS; round++) {
			// A runner is killed while it makes one, too.
			const place = round % 2 === 1 ? inWorktree : {};
			// Also on a slow machine the agent is met at work: it waits for that.
			const gate = folder.file(`gate-${round}`);
			const isAgent = Math.random() < 0.5;
			if (!isAgent) writeFileSync(gate, '');
			const steps = `orphan until:${gate} tool:Read wait:150 tool:Edit wait:150 answer:done`;
			const queued = await delegate(steps, place);
			const { id } = queued.record;
			await look();
			const marked = () => markedProcesses(RUN_MARK, id);
			if (isAgent) await eventually('an agent', async () => (await marked()).length > 0);
			writeFileSync(gate, '');
			await sleep(Math.random() * (isAgent ? 400 : 900));
			const victim = isAgent ? (await marked())[0] : (await delegates.get(id)).status.runner;
			if (victim && liveness(victim) === 'alive') process.kill(victim.pid, 'SIGKILL');
			const over = await eventually(
				`round ${round}`,
				async () => {
					await look();
					const now = await delegates.get(id);
					return isFinal(now.state) && now.status.reported && now;
				},
				{ everyMs: 100 },
			);
			const done = readFileSync(delegates.files(id).done, 'utf8').trim();
			expect(done).toBe(over.state === 'done' ? 'success' : `error: ${over.error}`);
			ends.set(done, (ends.get(done) ?? 0) + 1);
			expect(over.status.status).toBe(over.state);
			expect(outputOf(over)).toBe(over.state === 'done' ? 'done' : '');
			await eventually('nothing is left', async () => (await markedProcesses(RUN_MARK, id)).length === 0);
			expect((await results()).filter(text => text.includes(id))).toHaveLength(1);
			// No worktree is forgotten, and none is named that is not there.
			const worktree = join(`${repository.root}.worktrees`, id);
			expect(over.status.worktree?.folder).toBe(existsSync(worktree) ? worktree : undefined);
			if (over.state === 'done' && round % 2 === 1) expect(existsSync(join(worktree, 'a.txt'))).toBe(true);
		}
		// Of that many, each of them comes.
		if (ROUNDS >= 100) expect([...ends.keys()].length).toBeGreaterThan(2);
		// A kill in the middle of a write leaves a hidden file, which is removed once nobody can be writing it.
		const begun = () => readdirSync(delegates.folder).filter(name => name.endsWith('.tmp'));
		writeFileSync(join(delegates.folder, '.0123456789ab.tmp'), 'half');
		const hourAgo = new Date(Date.now() - 3_600_000);
		for (const name of begun()) utimesSync(join(delegates.folder, name), hourAgo, hourAgo);
		writeFileSync(join(delegates.folder, '.ba9876543210.tmp'), 'being written');
		await look();
		expect(begun()).toEqual(['.ba9876543210.tmp']);
	});

	it.concurrent('ends with everything below it when it is killed, also with an agent that its agent has started by nancy run', async () => {
		await using room = new RunnerRoom();
		const { delegates, look, delegate } = room;
		const queued = await delegate('nested wait:60000');
		const { id } = queued.record;
		await look();
		// The inner agent and the child that has left it.
		await eventually('the inner run', async () => (await markedProcesses(RUN_MARK, `nested-${id}`)).length >= 2);
		const { status } = await delegates.get(id);
		process.kill(status.runner!.pid, 'SIGKILL');
		await eventually('its end', async () => {
			await look();
			return isFinal((await delegates.get(id)).state);
		});
		expect(await markedProcesses(RUN_MARK, `nested-${id}`)).toEqual([]);
		expect(await markedProcesses(RUN_MARK, id)).toEqual([]);
	});

	it.concurrent('ends also a child that had not become the agent yet when its runner was killed', async () => {
		await using room = new RunnerRoom();
		const { delegates, look, delegate } = room;
		const queued = await delegate('wait:60000');
		const { id } = queued.record;
		await look();
		await eventually('its agent', async () => (await markedProcesses(RUN_MARK, id)).length > 0);
		// Until then it has the runner's environment.
		const child = spawn('sleep', ['60'], { env: { ...process.env, [RUNNER_MARK]: id }, stdio: 'ignore' });
		const { runner } = (await delegates.get(id)).status;
		process.kill(runner!.pid, 'SIGKILL');
		await eventually('its end', async () => {
			await look();
			return isFinal((await delegates.get(id)).state);
		});
		expect(child.exitCode ?? child.signalCode ?? (await once(child, 'exit'))).toBeTruthy();
		expect(await markedProcesses(RUNNER_MARK, id)).toEqual([]);
	});

	it.concurrent(
		'lets different agents work on one prompt as one group, each of which ends by itself',
		long,
		async () => {
			await using room = new RunnerRoom();
			const { delegates, look, delegate, ended, results } = room;
			const group = 'compare';
			// One after the other: of two at once, one waits for the lock, which a command does for ten seconds and no longer.
			const queue = (agent: DriverId) => delegate('tool:Read wait:100 answer:done', { agent, group });
			const both = [await queue(fakeDriver.id), await queue(otherHeadlessDriver.id)];
			// A limit of one agent's account is none of the other's.
			const park = (ms: number) => {
				const until = new Date(Date.now() + ms).toISOString();
				return delegates.park({ version: 1, agent: fakeDriver.id, until, reason: 'limit' });
			};
			await park(HANG_MS);
			await look();
			expect(await ended(both[1]!)).toMatchObject({ state: 'done', record: { agent: 'other', group } });
			expect((await delegates.get(both[0]!.record.id)).state).toBe('queued');
			await park(300);
			await eventually(
				'the first goes on',
				async () => {
					await look();
					return isFinal((await delegates.get(both[0]!.record.id)).state);
				},
				{ everyMs: 200 },
			);
			expect(await ended(both[0]!)).toMatchObject({ state: 'done', record: { agent: 'fake', group } });
			expect(await results()).toHaveLength(2);
		},
	);

	it.concurrent(`goes on whenever the one that queues and starts them is killed (${STARTERS} rounds)`, async () => {
		await using room = new RunnerRoom();
		const { folder, delegates, nancy, look, results } = room;
		let queued = 0;
		for (let round = 0; round < STARTERS; round++) {
			const args = [delegates.workspace.folder, folder.file('data'), nancy, '4'];
			const starter = spawn(process.execPath, [bundledChild('startDelegates'), ...args], {
				stdio: ['ignore', 'pipe', 'inherit'],
			});
			let begun = 0;
			starter.stdout.on('data', (data: Buffer) => (begun += data.toString().split('\n').length - 1));
			await eventually('it queues', () => begun > 0);
			await sleep(Math.random() * 500);
			starter.kill('SIGKILL');
			await once(starter, 'close');
			queued += begun;
		}
		const all = await eventually(
			'all have ended',
			async () => {
				await look(2);
				const { delegates: now } = await delegates.list();
				return now.every(({ state, status }) => isFinal(state) && status.reported) && now;
			},
			{ timeoutMs: STARTERS * HANG_MS, everyMs: 100 },
		);
		// One more may have been queued than it had time to say.
		expect(all.length).toBeGreaterThanOrEqual(queued);
		expect(all.map(({ state, error }) => error ?? state)).toEqual(all.map(() => 'done'));
		for (const { record, status } of all) {
			expect(status.iteration).toBe(1);
			expect(await markedProcesses(RUN_MARK, record.id)).toEqual([]);
		}
		const told = await results();
		for (const { record } of all) expect(told.filter(text => text.includes(record.id))).toHaveLength(1);
	});

	it.concurrent('keeps an answer that was on the disk when its runner was killed', async () => {
		await using room = new RunnerRoom();
		const { delegates, tickets, look, delegate, outputOf } = room;
		const queued = await delegate('wait:60000');
		await look();
		const { status } = await eventually('its agent', async () => {
			const now = await delegates.get(queued.record.id);
			return now.status.agent_process && now;
		});
		await writeAnswer(tickets, queued, 'The answer.');
		process.kill(status.runner!.pid, 'SIGKILL');
		await eventually('its end', async () => {
			await look();
			return isFinal((await delegates.get(queued.record.id)).state);
		});
		expect((await delegates.get(queued.record.id)).state).toBe('done');
		expect(outputOf(queued)).toBe('The answer.');
		expect(await markedProcesses(RUN_MARK, queued.record.id)).toEqual([]);
	});

	it.concurrent('has its answer on the disk before it may write down that it has ended, and keeps it when it is killed there', async () => {
		await using room = new RunnerRoom();
		const { folder, delegates, look, delegate, outputOf } = room;
		const gate = folder.file('gate');
		const queued = await delegate(`tool:Read until:${gate} answer:done`);
		await look();
		const { runner } = await eventually('its work', async () => {
			const { status } = await delegates.get(queued.record.id);
			return status.tool_calls > 0 && status;
		});
		await delegates.locked(async () => {
			writeFileSync(gate, '');
			await eventually('the answer', () => existsSync(queued.files.output) && outputOf(queued) === 'done');
			expect(existsSync(queued.files.done)).toBe(false);
			killNow(runner);
		});
		await eventually('its end', async () => {
			await look();
			return isFinal((await delegates.get(queued.record.id)).state);
		});
		expect(await delegates.get(queued.record.id)).toMatchObject({ state: 'done' });
	});

	it.concurrent.each([
		['keeps an answer', 'The answer.', undefined, { state: 'done' }],
		['keeps a failure', 'API Error: no credit', 'no credit', { state: 'failed', error: 'no credit' }],
		['has nothing', undefined, undefined, { state: 'failed', error: 'cancelled' }],
	])('%s when it is stopped after its runner was killed', async (_what, output, error, end) => {
		await using room = new RunnerRoom();
		const { delegates, tickets, delegate, outputOf, results, startedBy } = room;
		const queued = await delegate('x');
		const runner = { pid: 999_999_999, startedTicks: 1 };
		await startedBy(queued, runner);
		if (error !== undefined)
			await tickets.end(queued.record.id, { error, report: queued.status.report, isReported: false });
		if (output !== undefined) await writeAnswer(tickets, queued, output);
		await stopDelegate(delegates, tickets, queued.record.id);
		expect(await delegates.get(queued.record.id)).toMatchObject(end);
		expect(outputOf(queued)).toBe(output ?? '');
		expect(await results()).toEqual([expect.stringContaining(output ?? 'cancelled')]);
	});

	it.concurrent('is not forgotten with its worktree when it is stopped after its runner was killed', async () => {
		await using room = new RunnerRoom();
		const { delegates, tickets, ofKilledRunner } = room;
		await using repository = gitRepository();
		const { id, made } = await ofKilledRunner(repository);
		await stopDelegate(delegates, tickets, id);
		expect(await delegates.get(id)).toMatchObject({ state: 'failed', status: { worktree: made } });
	});

	it.concurrent('has no worktree made or remembered that the user did not ask for when its runner was killed', async () => {
		await using room = new RunnerRoom();
		const { delegates, tickets, look, ofKilledRunner } = room;
		await using repository = gitRepository();
		const { id } = await ofKilledRunner(repository);
		await tickets.remove(id);
		await look();
		const now = await delegates.get(id);
		expect(now).toMatchObject({ state: 'failed', error: 'runner died' });
		expect(now.status.worktree).toBeUndefined();
	});

	it.concurrent('works in its own worktree, whatever worktree somebody has written into its status', async () => {
		await using room = new RunnerRoom();
		const { folder, delegates, look, delegate, ended } = room;
		await using repository = gitRepository();
		repository.commit({ 'a.txt': 'a' });
		const queued = await delegate('answer:done', { folder: repository.root, worktree: { withChanges: false } });
		const { id } = queued.record;
		const worktree = { repository: repository.root, folder: folder.path, branch: 'nancy/x', base: '0'.repeat(40) };
		await delegates.writeStatus(id, { ...queued.status, worktree });
		await look();
		expect(await ended(queued)).toMatchObject({
			state: 'done',
			status: { worktree: { folder: join(`${repository.root}.worktrees`, id), branch: `nancy/${id}` } },
		});
	});

	it.concurrent('ends with its agent, whoever still holds its pipes', long, async () => {
		await using room = new RunnerRoom();
		const { delegates, look, delegate, ended } = room;
		const queued = await delegate('clean answer:done');
		await look();
		const { runner } = (await delegates.get(queued.record.id)).status;
		expect((await ended(queued)).state).toBe('done');
		await eventually('the runner is gone', () => runner && liveness(runner) === 'dead');
	});

	it.concurrent(
		'has its answer on the disk, however much it prints besides, and the runner stays small',
		long,
		async () => {
			await using room = new RunnerRoom();
			const { delegates, look, delegate, logOf } = room;
			const queued = await delegate('noise:200000 answer:done');
			await look();
			let most = 0;
			const over = await eventually(
				'its end',
				async () => {
					const now = await delegates.get(queued.record.id);
					const { runner } = now.status;
					if (runner && liveness(runner) === 'alive') most = Math.max(most, mostMemoryOf(runner.pid));
					return isFinal(now.state) && now;
				},
				{ everyMs: 50 },
			);
			expect(over.state).toBe('done');
			expect(logOf(queued)).toMatch(/noise 199999 /);
			// 70 and 71 MB were seen, 58 with nothing printed, and 130 without a runner's options for V8.
			if (process.platform === 'linux') expect(most).toBeLessThan(90);
		},
	);

	it.concurrent('goes on while the log cannot be written', long, async () => {
		await using room = new RunnerRoom();
		const { delegates, look, delegate, ended } = room;
		const queued = await delegate('tool:Read wait:100 answer:done');
		appendFileSync(delegates.files(queued.record.id).log, '');
		chmodSync(delegates.files(queued.record.id).log, 0o000);
		await look();
		expect((await ended(queued)).state).toBe('done');
	});
});

describe.skipIf(cannotMount)(`a delegate on a full disk${cannotMount}`, () => {
	/** The project is the disk. */
	function smallDisk() {
		const room = new RunnerRoom();
		const project = room.delegates.workspace.folder;
		mkdirSync(project, { recursive: true });
		execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', project]);
		const filler = join(project, 'filler');
		const fill = () => {
			try {
				writeFileSync(filler, Buffer.alloc(2 * 1024 * 1024));
			} catch (error) {
				if (!hasErrno(error, 'ENOSPC')) throw error;
			}
		};
		onTestFinished(async () => {
			execFileSync('umount', ['-l', project]);
			await room[Symbol.asyncDispose]();
		});
		return { room, fill, empty: () => rmSync(filler) };
	}

	it('keeps its answer until there is room again', async () => {
		const { room, fill, empty } = smallDisk();
		const { delegates, look, delegate, ended, outputOf, results } = room;
		const queued = await delegate('tool:Read wait:1500 tool:Edit answer:done');
		await look();
		await eventually('it works', async () => (await delegates.get(queued.record.id)).status.tool_calls > 0);
		fill();
		await sleep(3000);
		const { runner } = (await delegates.get(queued.record.id)).status;
		expect(existsSync(queued.files.done)).toBe(false);
		expect(runner && liveness(runner)).toBe('alive');
		empty();
		expect(await ended(queued)).toMatchObject({ state: 'done', status: { status: 'done' } });
		expect(outputOf(queued)).toBe('done');
		expect(await results()).toHaveLength(1);
	});

	it('is not queued by halves', async () => {
		const { room, fill, empty } = smallDisk();
		const { delegates, look, delegate, ended } = room;
		await delegate('answer:first');
		fill();
		await expect(delegate('answer:second')).rejects.toThrow(/ENOSPC|no space/);
		empty();
		const { delegates: all, problems } = await delegates.list();
		expect(problems).toEqual([]);
		await look();
		for (const each of all) expect(await ended(each)).toMatchObject({ state: 'done' });
	});
});
