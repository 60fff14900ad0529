import type { Command } from './command.ts';
import { archive } from './commands/archive.ts';
import { cleanup } from './commands/cleanup.ts';
import { delegate } from './commands/delegate.ts';
import { delegates } from './commands/delegates.ts';
import { doctor } from './commands/doctor.ts';
import { inbox } from './commands/inbox.ts';
import { orchestrate } from './commands/orchestrate.ts';
import { run } from './commands/run.ts';
import { send } from './commands/send.ts';
import { sessions } from './commands/sessions.ts';
import { setup, update } from './commands/setup.ts';
import { status } from './commands/status.ts';
import { stop } from './commands/stop.ts';
import { tokens } from './commands/tokens.ts';
import { traffic } from './commands/traffic.ts';
import { wait } from './commands/wait.ts';
import { withdraw } from './commands/withdraw.ts';

/** Every command, in the order of `nancy --help`. */
export const commands: readonly Command[] = [
	orchestrate,
	status,
	send,
	inbox,
	archive,
	withdraw,
	wait,
	stop,
	delegate,
	delegates,
	run,
	traffic,
	tokens,
	sessions,
	setup,
	update,
	cleanup,
	doctor,
];
