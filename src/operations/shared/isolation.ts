import { NancyError, said } from '../../base/errors.ts';
import { phrase, type Phrase } from '../../base/phrase.ts';
import type { Driver } from '../../core/driver/driver.ts';
import { homeFoldersOf } from '../../core/driver/headlessOf.ts';
import type { ExecutorId } from '../../protocol/executorId.ts';
import { requireBubblewrap } from '../../process/bubblewrap.ts';
import { ISOLATED_MARK, type Isolation, type IsolationChoice } from '../../protocol/isolation.ts';
import type { CommonSettings } from '../../protocol/settings.ts';
import type { OperationContext } from '../operation.ts';
import { executorIdOf } from './executors.ts';
import { knownMode } from './starting.ts';

/** The sandbox of a new delegate: the one that a person chose, else the user's setting for its machine or for all. */
export function isolationOf(
	{ isolate, on }: { isolate?: IsolationChoice | undefined; on?: ExecutorId | undefined },
	settings: CommonSettings,
): Isolation | undefined {
	const machines = Object.entries(settings.executors ?? {}).filter(([name, each]) => on === executorIdOf(name, each));
	const ofMachine = machines.find(([, each]) => each.isolate !== undefined)?.[1].isolate;
	const chosen = isolate ?? ofMachine ?? settings.isolate ?? 'none';
	return chosen === 'none' ? undefined : chosen;
}

/**
 * How delegates are isolated unless a person chooses for one, and why they cannot be on this machine. In Restricted Mode no delegate starts, and
 * nothing is tried.
 */
export async function isolationHere({
	workspace,
	env,
	isTrusted,
	readSettings,
}: OperationContext): Promise<{ byDefault: IsolationChoice; obstacle: string | Phrase | undefined }> {
	const { isolate: byDefault = 'none' } = await readSettings(workspace.folder);
	const tried = isTrusted ? requireBubblewrap(env).then(() => undefined, said) : undefined;
	return { byDefault, obstacle: await tried };
}

/** @throws NancyError for a delegate that would have to run without the sandbox, or could not work in it */
export function requireIsolable(driver: Driver, permissions: string): void {
	homeFoldersOf(driver);
	// What is asked and answered is sealed where an isolated agent cannot write.
	if (knownMode(driver, permissions).asks)
		throw new NancyError('bad-usage', phrase`an isolated delegate cannot ask you; choose other permissions`);
}

/**
 * An isolated agent cannot write where tickets are sealed. Otherwise it could queue what runs without the sandbox.
 * @throws NancyError `not-trusted` in a sandbox of Nancy's
 */
export function refuseInSandbox(env: Readonly<Record<string, string | undefined>>): void {
	if (!env[ISOLATED_MARK]) return;
	throw new NancyError(
		'not-trusted',
		phrase`an isolated agent has no delegates; do the work yourself, or say what is left`,
	);
}
