import { writeSync } from 'node:fs';
import { errorText } from '../base/errors.ts';
import { boundSpool, SPOOL_BACKLOG, SPOOL_LIMITS } from '../core/traffic/spoolBound.ts';
import { readCall, wakingOf, type Call } from './call.ts';
import { collectLater } from './collectLater.ts';
import { deliver, type Print } from './deliver.ts';
import { note } from './notes.ts';
import { isInTime } from './inTime.ts';
import { print, readInput } from './pipes.ts';
import { decideWake } from './wake.ts';

const STDERR = 2;

/** A hook that takes longer delays the agent. What it has claimed goes back to the inbox once it has ended. In milliseconds. */
const LIMIT_MS = 3000;
/** Of the time that the CLI waits, the rest is for the CLI to read what was printed. */
const USABLE_SHARE = 0.6;

/** Prints for whoever has called the hook, unless that is gone or does not wait any more: what is printed then is lost. */
const printInTime =
	({ parentPid, timeoutMs }: Call): Print =>
	async text =>
		process.ppid === parentPid && isInTime(timeoutMs * USABLE_SHARE) && print(text);

async function run(call: Call): Promise<number> {
	try {
		const input = await readInput();
		if (!wakingOf(call)) {
			await deliver(call, input, printInTime(call));
			if (call.slot === 'program') await keepSpoolSmall(call);
			return 0;
		}
		const verdict = await decideWake(call, input);
		if (verdict.exitCode === 2) writeSync(STDERR, verdict.answer.stderr);
		return verdict.exitCode;
	} catch (error) {
		complain(call, errorText(error));
		return 0;
	}
}

/**
 * At the start of a session, for events that nobody collects: no window is open, and no command asks for traffic. They are collected
 * by the command, in a process of its own; dropped is only what is far more than it would have left.
 */
async function keepSpoolSmall(call: Call): Promise<void> {
	const { dropped, waiting } = boundSpool(call.workspace.paths.spool);
	if (waiting > SPOOL_BACKLOG) await collectLater(call.workspace.folder);
	if (dropped === 0) return;
	const { files, bytes } = SPOOL_LIMITS;
	const most = `${files} or ${Math.round(bytes / 1024 / 1024)} MB wait at most`;
	complain(call, `dropped the ${dropped} oldest events that nobody had collected: ${most}`);
}

function complain(call: Call, reason: string): void {
	try {
		note(call, {
			nancy: 'trouble',
			at: new Date().toISOString(),
			driver: call.driver.id,
			...(call.session && { session: call.session }),
			event: call.event,
			reason,
		});
	} catch {
		// Nowhere left to say it: the disk is full, or the folder is gone.
	}
}

const call = readCall(process.argv.slice(2), process.env);
if (call) {
	if (!wakingOf(call)) setTimeout(() => process.exit(0), LIMIT_MS).unref();
	void run(call).then(exitCode => process.exit(exitCode));
}
