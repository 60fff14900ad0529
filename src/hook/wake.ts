import { NO_WORKSPACE, withSafePath } from '../base/searchPath.ts';
import type { HookAnswer, HookWake, WakeCommand } from '../core/driver/hooks.ts';
import { mayWake } from '../core/mailbox/due.ts';
import type { Mailbox } from '../core/mailbox/mailbox.ts';
import { isSettled, type StoredMessage } from '../core/mailbox/mailboxFiles.ts';
import { readPhase, writePhase } from '../core/sessions/phase.ts';
import { brokenOffAt } from '../core/sessions/recordSearch.ts';
import type { SessionId } from '../protocol/names.ts';
import { wakingOf, type Call } from './call.ts';
import { mayHandOver } from '../git/mayHandOver.ts';
import { spool } from './notes.ts';
import { isTalkedWith } from './talkedWith.ts';
import { becomeWaiter } from './waiter.ts';
import { sessionBinding } from '../core/sessions/bindings.ts';

/** The guard's next step: end, wake the agent, or ask again later. */
export type WakeVerdict = { exitCode: 0 | 75; answer?: never } | { exitCode: 2; answer: HookAnswer };

const LEAVE: WakeVerdict = { exitCode: 0 };
const LATER: WakeVerdict = { exitCode: 75 };

/**
 * Within this time the prompt of a wake has come, or was dropped. A command puts it into the CLI's own queue, which keeps it while a dialog
 * is open. A second wake would be a second turn.
 */
const WAKE_MS = { answer: 8000, command: 10 * 60_000 } as const satisfies Record<HookWake['by'], number>;

/**
 * Decides whether a queued message is worth waking the session for now. `input` is the event of the ring, and empty if the guard asks
 * again.
 */
export async function decideWake(call: Call, input: string): Promise<WakeVerdict> {
	const { workspace, session, driver } = call;
	const way = wakingOf(call);
	if (!session || !way || driver.hooks.wake === 'none') return LEAVE;
	const { rung, isAgain } = way;
	if (rung === 'wake' && !isAgain) {
		const event = driver.hooks.read({ event: call.event, payload: JSON.parse(input), env: call.env });
		if (event === 'silent') return LEAVE;
		spool(call, input);
		if (event.kind !== 'doorbell' || event.subagent !== undefined) return LEAVE;
	}
	const binding = await sessionBinding(workspace, session);
	if (!binding || (rung === 'waiter' && binding.watched)) return LEAVE;
	const record = await workspace.worker(binding.address);
	const transcript = record?.sessions.find(each => each.id === session)?.transcript;
	if (!(await becomeWaiter(workspace, session, call.guardPid, transcript))) return LEAVE;
	const mailbox = workspace.mailbox(binding.address);
	await mailbox.recover();
	if ((await waking(mailbox)).length === 0) return rung === 'waiter' ? LATER : LEAVE;
	if (!(await isIdle(call, session, transcript, isAgain, WAKE_MS[driver.hooks.wake.by])))
		return call.isAttended || (await isTalkedWith(call)) ? LATER : LEAVE;
	// While the CLI was asked, another hook may have handed the message over. A wake needs a message.
	const due = await waking(mailbox);
	if (due.length === 0) return rung === 'waiter' ? LATER : LEAVE;
	if (!(await mayHandOver(workspace, mailbox, due))) return rung === 'waiter' ? LATER : LEAVE;
	await writePhase(workspace.paths, session, 'woken');
	const { wake } = driver.hooks;
	if (wake.by === 'answer') return { exitCode: 2, answer: wake.answer(rung) };
	// A failed wake has woken nobody. The next question tries again.
	if ((await askCli(call, wake.command(session))) === undefined) await writePhase(workspace.paths, session, 'idle');
	return LATER;
}

/** Whether there is a message worth a wake. A file that is still being written counts a moment later. */
async function waking(mailbox: Mailbox): Promise<StoredMessage[]> {
	const { messages } = await mailbox.list(['queued']);
	return messages.filter(message => mayWake(message) && isSettled(message));
}

/** Whether evidence says that the agent is idle: its last event, its screen, its own record of a broken-off turn, its own status. */
async function isIdle(
	call: Call,
	session: SessionId,
	transcript: string | undefined,
	mayAsk: boolean,
	wakeMs: number,
): Promise<boolean> {
	const { phase, ageMs } = await readPhase(call.workspace.paths, session);
	if (phase === 'idle') return true;
	if (phase === 'woken') return ageMs > wakeMs;
	// No hook has told anything of it: it has had no prompt.
	if (phase === 'unknown' && call.seesIdle) return true;
	return (await isBrokenOff(call, transcript)) || (mayAsk && (await saysIdle(call, session)));
}

async function isBrokenOff(call: Call, file: string | undefined): Promise<boolean> {
	const format = call.driver.transcript;
	return format !== 'none' && file !== undefined && (await brokenOffAt(file, format)) !== undefined;
}

/** Asks the CLI itself. Each question starts the CLI, so questions are rare. */
async function saysIdle(call: Call, session: SessionId): Promise<boolean> {
	const { probe } = call.driver;
	if (probe === 'none') return false;
	const stdout = (await askCli(call, probe)) ?? '';
	return probe.read(stdout).get(session)?.phase === 'idle';
}

/** Runs the CLI itself, as the agent was started, without hooks. Returns its output; undefined if it failed. */
async function askCli(call: Call, { args, timeoutMs }: WakeCommand): Promise<string | undefined> {
	const { id, command } = call.driver;
	// A nested agent of another kind inherits the variables too.
	const own = call.env['NANCY_AGENT'] === id ? call.env['NANCY_AGENT_PROGRAM'] : undefined;
	const env = { ...withSafePath(process.env), NANCY_HOOKS: 'off', NODE_OPTIONS: '' };
	const { execFile } = await import('node:child_process'); // not needed by any other call of this program
	return new Promise<string | undefined>(resolve => {
		execFile(own ?? command, [...args], { timeout: timeoutMs, env, cwd: NO_WORKSPACE }, (error, output) =>
			resolve(error ? undefined : output),
		);
	});
}
