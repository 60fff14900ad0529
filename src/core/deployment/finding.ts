import type { Phrase } from '../../base/phrase.ts';
import type { DriverId } from '../../protocol/names.ts';
import type { Driver } from '../driver/driver.ts';
import type { InstalledAgent } from '../driver/foundAgent.ts';
import type { AskGit } from './gitView.ts';
import type { InstalledRuntime } from './runtime.ts';

/** One finding of Doctor. */
export interface Finding {
	/** The subject, in one or two words: `hooks`, `runtime`, `settings`. */
	check: string;
	level: 'ok' | 'note' | 'problem';
	/** The state and its consequence, in a sentence for a person. */
	text: string | Phrase;
	/** What Doctor can do about it; absent if only the user can repair it. */
	repair?: { text: Phrase; run: () => Promise<void> };
}

/** The doctor's connection to programs, which the core neither finds nor starts. */
export interface Instruments {
	/** `problem` says why an agent was not found, and what to do. */
	agents: readonly { driver: Driver; found: InstalledAgent | undefined; problem: string | Phrase }[];
	/** The user's, with the records of what was deployed: see base/folders. */
	dataFolder: string;
	/** Installs the programs that hooks call, if they are missing or damaged. Absent in Restricted Mode. */
	installRuntime?: (() => Promise<InstalledRuntime>) | undefined;
	/** Runs a launcher as an agent would at an event that says nothing. Returns the failure, if any. */
	tryLauncher: (launcher: string) => Promise<string | undefined>;
	/** True while an agent may be writing its own settings. */
	isBusy?: (agent: DriverId) => boolean;
	/** Environment that agents will inherit. */
	env: Readonly<Record<string, string | undefined>>;
	/** Keeps repaired files out of the user's commits. */
	askGit?: AskGit;
}
