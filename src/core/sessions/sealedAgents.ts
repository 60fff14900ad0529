import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { writeFileAtomicSync } from '../../base/atomicFile.ts';
import { isSameProcess, liveness, PROCESS_WORD, processOf, processWord } from '../../base/liveness.ts';
import type { ProcessIdentity } from '../../base/liveness.ts';
import { realOr } from '../../base/realPath.ts';
import { TaskName, WorkerName } from '../../protocol/names.ts';
import { ProcessRecord } from '../../protocol/records.ts';
import { jsonText, parseJsonFile } from '../files/jsonFile.ts';
import { ifOwn, requireOwn } from '../files/ownFolder.ts';
import { isSameAddress, type WorkerAddress } from '../workspace/workspace.ts';

/** A worker of a workspace. */
export interface AgentOf {
	/** The folder of the workspace. */
	folder: string;
	address: WorkerAddress;
}

/** Which worker a process is. No file below the workspace says that. */
export interface SealedAgent {
	process: ProcessIdentity;
	/** Nancy started it, and it is this worker for good. For any other process, its hooks say which worker it is, and may say it anew. */
	isStarted: boolean;
	/** Its hooks have called. */
	hasCalled: boolean;
	/** `undefined` for a run that nobody steers. */
	worker: AgentOf | undefined;
}

/**
 * `agents/<process>.json` in the user's data folder, by what has started the process. `agents/<process>.called.json`, by its hooks. Two
 * programs may write in one moment, and neither writes over the other. Earlier versions had one file for both.
 */
const Sealed = z.lazy(() =>
	z.object({
		version: z.literal(1),
		process: ProcessRecord,
		isStarted: z.boolean(),
		hasCalled: z.boolean(),
		worker: z.optional(z.object({ folder: z.string(), address: z.object({ task: TaskName, worker: WorkerName }) })),
	}),
);
const FOLDER = 'agents';
const NAME = new RegExp(`^${PROCESS_WORD}(?:\\.called)?\\.json$`);
const nameOf = (process: ProcessIdentity) => `${processWord(process)}.json`;
const calledNameOf = (process: ProcessIdentity) => `${processWord(process)}.called.json`;

/**
 * Seals a process that Nancy has just started.
 * @param worker `undefined` for a run that nobody steers
 */
export function sealStart(dataFolder: string, process: ProcessIdentity, worker?: AgentOf): void {
	// Its first event may come before its terminal has told its process. What is another worker's is of an earlier process with its pid.
	const called = read(dataFolder, calledNameOf(process));
	if (called && !(worker && isWorker(called, worker)))
		rmSync(join(dataFolder, FOLDER, calledNameOf(process)), { force: true });
	write(dataFolder, nameOf(process), { process, isStarted: true, hasCalled: false, worker });
}

/** Seals what a process's hooks say. A process that Nancy started stays the worker that it was started as. */
export function sealCall(dataFolder: string, process: ProcessIdentity, worker: AgentOf): void {
	const known = sealedAgent(dataFolder, process);
	if (known?.hasCalled && (known.isStarted || isWorker(known, worker))) return;
	write(dataFolder, calledNameOf(process), { process, isStarted: false, hasCalled: true, worker });
}

/**
 * `undefined` for a process that Nancy did not start and whose hooks have not called. Also for one of an earlier version, and in a data
 * folder that is not the user's own.
 */
export function sealedAgent(dataFolder: string, process: ProcessIdentity): SealedAgent | undefined {
	const isSame = (found: SealedAgent | undefined) => found && isSameProcess(found.process, process);
	const [started, called] = [nameOf, calledNameOf]
		.map(name => read(dataFolder, name(process)))
		.map(each => (isSame(each) ? each : undefined));
	if (!started?.isStarted) return called ?? started;
	return { ...started, hasCalled: started.hasCalled || called !== undefined };
}

/** The processes of a worker that have not ended, and those of other machines. */
export function processesOf(dataFolder: string, worker: AgentOf): SealedAgent[] {
	return processes(dataFolder).filter(found => isWorker(found, worker));
}

/** {@link processesOf} for all workers of a task. */
export function processesOfTask(
	dataFolder: string,
	{ folder, task }: { folder: string; task: TaskName },
): SealedAgent[] {
	return processes(dataFolder).filter(({ worker }) => worker?.address.task === task && isIn(worker, folder));
}

/**
 * The living processes that Nancy started as workers of a task, whatever files the workspace has. Only where the system tells start times:
 * elsewhere a later process may have the pid of one that has ended.
 */
export function startedFor(
	dataFolder: string,
	of: { folder: string; task: TaskName },
): { process: ProcessIdentity; address: WorkerAddress }[] {
	return processesOfTask(dataFolder, of).flatMap(({ isStarted, process, worker }) =>
		worker && isStarted && process.startedTicks > 0 && liveness(process) === 'alive'
			? [{ process, address: worker.address }]
			: [],
	);
}

function processes(dataFolder: string): SealedAgent[] {
	const found = new Map(names(dataFolder).map(({ process }) => [processWord(process), process]));
	return [...found.values()].flatMap(process =>
		liveness(process) === 'dead' ? [] : (sealedAgent(dataFolder, process) ?? []),
	);
}

/** Removes the seals of processes that have ended. */
export function forgetSealedAgents(dataFolder: string): void {
	for (const { name, process } of names(dataFolder))
		if (liveness(process) === 'dead') rmSync(join(dataFolder, FOLDER, name), { force: true });
}

export function isWorker({ worker }: SealedAgent, { folder, address }: AgentOf): boolean {
	return worker !== undefined && isSameAddress(worker.address, address) && isIn(worker, folder);
}

function isIn(worker: AgentOf, folder: string): boolean {
	return realOr(worker.folder) === realOr(folder);
}

function names(dataFolder: string): { name: string; process: ProcessIdentity }[] {
	const found = ifOwn(() => {
		const folder = join(dataFolder, FOLDER);
		requireOwn([dataFolder, folder]);
		return existsSync(folder) ? readdirSync(folder) : [];
	});
	return (found ?? []).flatMap(name => {
		const parts = NAME.exec(name)?.groups;
		return parts ? [{ name, process: processOf(parts) }] : [];
	});
}

function read(dataFolder: string, name: string): SealedAgent | undefined {
	return ifOwn(() => {
		const folder = join(dataFolder, FOLDER);
		const file = join(folder, name);
		requireOwn([dataFolder, folder], file);
		if (!existsSync(file)) return undefined;
		const { version: _version, ...found } = parseJsonFile(file, readFileSync(file, 'utf8'), Sealed);
		return { ...found, worker: found.worker };
	});
}

/** In a folder that is not the user's own, nothing is sealed: each agent is then one without a worker. */
function write(dataFolder: string, name: string, agent: SealedAgent): void {
	ifOwn(() => {
		const folder = join(dataFolder, FOLDER);
		if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
		requireOwn([dataFolder, folder]);
		writeFileAtomicSync(join(folder, name), jsonText({ version: 1, ...agent }));
	});
}
