import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInside } from '../../src/base/inside.ts';
import type { AgentId, LocalAgent } from './pinnedAgent.ts';
import { testRunMark } from './testRun.ts';

export interface AgentHomeOptions {
	/** An empty folder that becomes HOME. */
	home: string;
	/** Folders that the CLI shall not ask about. */
	trusted: readonly string[];
	/** The model double. */
	modelUrl: string;
	/** Default: the pinned one. */
	installed?: LocalAgent;
	/** Added to the CLI's own settings file, in the CLI's own words. */
	settings?: Record<string, unknown>;
}

/**
 * A HOME in which a real agent CLI starts straight to its prompt, without an account, and talks to the model double on
 * loopback and to nobody else.
 */
export interface AgentHome {
	agent: AgentId;
	version: string;
	/** The real CLI. */
	command: string;
	home: string;
	/** The whole environment for it. Nothing of the real user's is in it but PATH and the locale. */
	env: Record<string, string>;
	/** Arguments for one prompt without a terminal, the answer alone on stdout. The CLI asks, or is denied, as is its own default. */
	headless(prompt: string): string[];
	/** Arguments that let it use every tool without asking. */
	unattended: readonly string[];
	/** Arguments that a terminal of a test needs. */
	interactive: readonly string[];
	/** On the screen as soon as it takes a prompt. */
	ready: RegExp;
}

/**
 * For the CLIs that are made with Bun, Claude Code and opencode. They run for seconds here, too short for code that was compiled twice to pay, and
 * for a collector of garbage with a thread for each core: without, an eighth to a sixth of their CPU time is spared.
 */
const BRIEF = { BUN_JSC_useDFGJIT: 'false', BUN_JSC_numberOfGCMarkers: '1' };

/** What every agent gets from the machine: also, where tests have it, what Node compiled at an earlier start, a quarter of its CPU time. */
export function bareEnvironment(home: string): Record<string, string> {
	const compiled = process.env['NODE_COMPILE_CACHE'];
	return {
		...(compiled !== undefined && { NODE_COMPILE_CACHE: compiled }),
		...BRIEF,
		PATH: process.env['PATH'] ?? '/usr/bin:/bin',
		LANG: process.env['LANG'] ?? 'C.UTF-8',
		SHELL: '/bin/bash',
		HOME: home,
		...temporaryFolderOf(home),
		NO_PROXY: '127.0.0.1,localhost',
		...testRunMark(),
	};
}

/** Below the temporary folder, where agents may write, no desk would take an answer. So such a home has a temporary folder of its own. */
export function temporaryFolderOf(home: string): { TMPDIR?: string } {
	// A program that a test starts inherits the tests' own, and a CLI has the system's.
	if (!['/tmp', tmpdir()].some(folder => isInside(folder, home))) return {};
	const TMPDIR = join(home, 'tmp');
	mkdirSync(TMPDIR, { recursive: true });
	return { TMPDIR };
}
