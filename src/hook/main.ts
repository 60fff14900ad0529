import { writeSync } from 'node:fs';
import { errorText, hasCode } from '../base/errors.ts';
import type { Print } from '../core/sessions/turn.ts';
import { boundSpool, SPOOL_BACKLOG, SPOOL_LIMITS } from '../core/traffic/spoolBound.ts';
import { readCall, wakingOf, type Call } from './call.ts';
import { collectLater } from './collectLater.ts';
import { deliver } from './deliver.ts';
import { complain } from './notes.ts';
import { isInTime } from './inTime.ts';
import { print, readInput } from './pipes.ts';
import { mayAct } from './pluginSession.ts';
import { decideWake } from './wake.ts';

const STDERR = 2;

/** A slower hook delays the agent. Its claims go back to the inbox after its end. In milliseconds. */
const LIMIT_MS = 3000;
/** The share of the CLI's waiting time for this program. The CLI needs the rest to read the output. */
const USABLE_SHARE = 0.6;

/** Prints for the hook's caller, unless the caller is gone or no longer waits: the output would be lost. */
const printInTime =
	({ parentPid, timeoutMs }: Call): Print =>
	async text =>
		process.ppid === parentPid && isInTime(timeoutMs * USABLE_SHARE) && print(text);

async function run(call: Call): Promise<number> {
	try {
		const input = await readInput();
		if (!(await mayAct(call, input))) return 0;
		if (!wakingOf(call)) {
			await deliver(call, input, printInTime(call));
			if (call.slot === 'program') await keepSpoolSmall(call);
			return 0;
		}
		const verdict = await decideWake(call, input);
		if (verdict.exitCode === 2) writeSync(STDERR, verdict.answer.stderr);
		return verdict.exitCode;
	} catch (error) {
		// The session has no worker yet. The next event looks again, and nothing is lost.
		const isEarly = hasCode(error, 'starting');
		if (!isEarly && (await mayAct(call, ''))) complain(call, errorText(error));
		return 0;
	}
}

/**
 * Collects events at the start of a session if no window and no command does. The command collects them in a process of its own. Only far
 * larger amounts than it would leave are dropped.
 */
async function keepSpoolSmall(call: Call): Promise<void> {
	const { dropped, waiting } = boundSpool(call.workspace.paths.spool);
	if (waiting > SPOOL_BACKLOG) await collectLater(call.workspace.folder);
	if (dropped === 0) return;
	const { files, bytes } = SPOOL_LIMITS;
	const most = `${files} or ${Math.round(bytes / 1024 / 1024)} MB wait at most`;
	complain(call, `dropped the ${dropped} oldest events that nobody had collected: ${most}`);
}

const call = readCall(process.argv.slice(2), process.env);
if (call) {
	if (!wakingOf(call)) setTimeout(() => process.exit(0), LIMIT_MS).unref();
	void run(call).then(exitCode => process.exit(exitCode));
}
