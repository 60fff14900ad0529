import { execFile } from 'node:child_process';
import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { errorText } from '../base/errors.ts';
import {
	isAgents,
	isExecutable,
	NO_WORKSPACE,
	onPath,
	onShellPath,
	withSafePath,
	withShellPath,
} from '../base/searchPath.ts';
import { formatVersion, isAtLeast, parseVersion, type Version } from '../base/version.ts';
import { phrase, type Phrase } from '../base/phrase.ts';
import type { Asker } from '../core/asker/asker.ts';
import type { Driver } from '../core/driver/driver.ts';
import { questionEnvironment } from '../core/driver/agentEnvironment.ts';
import type { InstalledAgent } from '../core/driver/foundAgent.ts';
import type { NodeProgram } from '../core/deployment/runtimePrograms.ts';
import type { DriverId } from '../protocol/names.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export type Detection =
	| ({ found: true } & InstalledAgent)
	/** The version is that of a CLI that is too old. No hint says how to install a CLI that is there. */
	| { found: false; obstacle: Obstacle; reason: Phrase; hint: string; version?: Version };

/** `unanswered`: it did not tell its version in time, as on a busy machine. The next one who asks may get an answer. */
export const OBSTACLES = ['missing', 'too-old', 'broken', 'unanswered'] as const;
export type Obstacle = (typeof OBSTACLES)[number];

const run = promisify(execFile);
/** A cold start of a large CLI on a busy machine. */
const VERSION_TIMEOUT_MS = 20_000;
/** The version that the bundles are built for. */
const OLDEST_NODE: Version = [20, 0, 0];
const versions = new Map<string, Version>();

/** Names the agent's program if it is not the one on the PATH: `NANCY_PROGRAM_<AGENT>`, with `_` for `-`. */
export function programVariable(agent: DriverId): string {
	return `NANCY_PROGRAM_${agent.toUpperCase().replaceAll('-', '_')}`;
}

/**
 * For whom an agent CLI is looked up. Agents may have overwritten what is in a workspace. `shell`: a person calls Nancy in a terminal, and gets
 * what the shell there would start at this moment. `person`: a window, which looks by itself, or a delegate, which starts later. Nothing in a
 * workspace is taken, unless the person has named it. `agent`: nothing in a workspace at all.
 */
export type Seeker = 'shell' | 'person' | 'agent';

export function seekerOf(asker: Asker): Seeker {
	return asker.is === 'human' && asker.via === 'terminal' ? 'shell' : seekerForDelegate(asker);
}

/** @param asker `undefined` for a delegate of an earlier version, which only the user may touch */
export function seekerForDelegate(asker: { readonly is: Asker['is'] } | undefined): Seeker {
	return asker?.is === 'agent' ? 'agent' : 'person';
}

/** The executable of an agent CLI: the configured one, or the one on the PATH. */
export function locateAgent(
	{ command }: Driver,
	configuredPath: string | undefined,
	env: Environment,
	seeker: Seeker,
): string | undefined {
	const look = seeker === 'shell' ? onShellPath : onPath;
	const found = configuredPath ? configured(configuredPath, env, look) : look(command, env);
	return found !== undefined && seeker === 'agent' && isAgents(found) ? undefined : found;
}

/**
 * Looks for an agent CLI and asks for its version. Never throws: a missing CLI is an ordinary answer.
 * @param withinMs how long the CLI may take to answer
 */
export async function detectAgent(
	driver: Driver,
	configuredPath: string | undefined,
	env: Environment,
	seeker: Seeker,
	withinMs = VERSION_TIMEOUT_MS,
): Promise<Detection> {
	const no = (obstacle: Obstacle, reason: Phrase): Detection => {
		const hint = obstacle === 'unanswered' ? '' : driver.installHint;
		return { found: false, obstacle, reason, hint };
	};
	const executable = locateAgent(driver, configuredPath, env, seeker);
	if (executable === undefined) {
		const refused = locateAgent(driver, configuredPath, env, 'shell');
		if (refused !== undefined)
			return no('missing', phrase`${refused} is in a workspace, where agents could overwrite it`);
		if (configuredPath) return no('missing', phrase`there is no program at ${configuredPath}`);
		return no(
			'missing',
			seeker === 'agent'
				? phrase`there is no "${driver.command}" on the PATH outside the workspace`
				: phrase`there is no "${driver.command}" on the PATH`,
		);
	}
	const asked = questionEnvironment(driver, env, seeker === 'shell' ? withShellPath : withSafePath);
	try {
		const version = await versionOf(executable, driver.versionArgs, asked, withinMs);
		if (!version) return no('broken', phrase`${executable} does not tell its version`);
		if (isAtLeast(version, driver.oldestVersion)) return { found: true, executable, version };
		const oldest = formatVersion(driver.oldestVersion);
		const reason = phrase`${executable} is version ${formatVersion(version)}; Nancy needs ${oldest}`;
		return { ...no('too-old', reason), version };
	} catch (error) {
		if (hasRunOut(error))
			return no('unanswered', phrase`${executable} did not answer within ${withinMs / 1000} seconds; try again`);
		return no('broken', phrase`${executable} does not run: ${errorText(error).split('\n')[0]}`);
	}
}

/**
 * A Node for the hook program: a `node` on PATH that is new enough, else the program that runs this (VS Code's own). A Node that runs this
 * and is in no workspace comes first.
 */
export async function findNode(env: Environment, running: NodeProgram): Promise<NodeProgram> {
	if (!running.isElectron && !isAgents(running.executable)) return running;
	const executable = onPath('node', env);
	if (executable === undefined) return running;
	try {
		const version = await versionOf(executable, ['--version'], withSafePath(env), VERSION_TIMEOUT_MS);
		return version && isAtLeast(version, OLDEST_NODE) ? { executable, isElectron: false } : running;
	} catch {
		return running; // it does not run, whatever it is: VS Code's own does
	}
}

function configured(path: string, env: Environment, look: typeof onPath): string | undefined {
	if (!path.includes('/')) return look(path, env);
	const home = env['HOME'];
	const file = path.startsWith('~/') && home ? join(home, path.slice(2)) : path;
	return isAbsolute(file) && isExecutable(file) ? file : undefined;
}

/** Asked once for each state of the executable. */
async function versionOf(
	executable: string,
	args: readonly string[],
	env: Environment,
	withinMs: number,
): Promise<Version | undefined> {
	const real = realpathSync(executable);
	const key = `${real} ${statSync(real).mtimeMs}`;
	const known = versions.get(key);
	if (known) return known;
	const { stdout } = await run(executable, [...args], {
		timeout: withinMs,
		// A program that ignores a polite end would delay the window for ever.
		killSignal: 'SIGKILL',
		maxBuffer: 64 * 1024,
		env: { ...env },
		cwd: NO_WORKSPACE,
	});
	const version = parseVersion(stdout);
	if (version) versions.set(key, version);
	return version;
}

/** Node has killed the program at the end of its time, and not because it wrote too much. */
function hasRunOut(error: unknown): boolean {
	return error instanceof Error && 'killed' in error && error.killed === true && !('code' in error && error.code);
}
