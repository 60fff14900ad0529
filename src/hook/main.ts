import { writeSync } from 'node:fs';
import { errorText } from '../base/errors.ts';
import { readCall, type Call } from './call.ts';
import { deliver } from './deliver.ts';
import { note } from './notes.ts';
import { print, readInput } from './pipes.ts';
import { decideWake } from './wake.ts';

const STDERR = 2;

/** A hook that takes longer delays the agent. What it has claimed goes back to the inbox once it has ended. */
const LIMIT_MS = 2500;

async function run(call: Call): Promise<number> {
	const isWake = call.slot.startsWith('wa');
	try {
		const input = await readInput();
		if (!isWake) {
			await deliver(call, input, print);
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
	if (!call.slot.startsWith('wa')) setTimeout(() => process.exit(0), LIMIT_MS).unref();
	void run(call).then(exitCode => process.exit(exitCode));
}
