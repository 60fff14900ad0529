import { lstatSync } from 'node:fs';
import { basename, join } from 'node:path';
import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { fnvOf } from '../../base/fnv.ts';
import { fileNames } from '../../base/listing.ts';
import { isSameProcess, liveness } from '../../base/liveness.ts';
import { whereIs } from '../../base/machine.ts';
import { DelegateId, DelegateRecord, DelegateStatus, RUNNER_DIED, SwarmFeature } from '../../protocol/delegate.ts';
import { DriverId, TaskName, WorkerName } from '../../protocol/names.ts';
import { holdingLock } from '../files/holdingLock.ts';
import { linkAmong, refuseLinks } from '../files/links.ts';
import { readPlainText } from '../files/plainFile.ts';
import type { Delegate } from './delegate.ts';
import { DelegateFiles } from './files.ts';
import { isSwarmWorker } from './swarmMark.ts';

/** Where claude-swarm keeps its workers: `<feature>.prompt`, `.status`, `.log`, `.done`. */
const FOLDERS = ['.claude', 'orchestrator', 'workers'] as const;

const ENDINGS = ['.prompt', '.status', '.log', '.done'] as const;

/**
 * A new delegate's worker of a swarm, by the environment or the settings.
 * @param feature its name; by default that of its mailbox
 */
export function swarmOf(
	feature: string | undefined,
	env: Readonly<Record<string, string | undefined>>,
	settings: { swarmWorker?: boolean | undefined },
): { feature: string | undefined } | undefined {
	return isSwarmWorker(env, settings) ? { feature } : undefined;
}

/**
 * The name of the worker whose prompt is in a file: the file's own, without its ending, unchanged.
 * @throws NancyError `bad-name` for a name that files cannot have
 */
export function swarmFeature(name: string): SwarmFeature {
	const feature = SwarmFeature.safeParse(name);
	if (feature.success) return feature.data;
	throw new NancyError(
		'bad-name',
		phrase`"${name}" cannot be the name of a swarm's worker; rename the prompt's file`,
	);
}

/** @throws NancyError `bad-file` where a folder on the way is a link */
export function swarmFiles(folder: string, feature: SwarmFeature): DelegateFiles {
	const folders = foldersIn(folder);
	refuseLinks(folders);
	return new DelegateFiles(join(folder, ...FOLDERS, feature), folders);
}

/**
 * Clears the files for a new run, `status` first.
 * @throws NancyError `busy` while another living run has the name: they would overwrite each other's files
 */
export async function beginSwarmRun(files: DelegateFiles, prompt: string, status: DelegateStatus): Promise<void> {
	await holdingLock(`${files.base}.lock`, async () => {
		const { runner } = await readStatus(files);
		if (runner && liveness(runner) !== 'dead') {
			const name = basename(files.base);
			throw new NancyError(
				'busy',
				phrase`the swarm's worker ${name} is at work already (pid ${runner.pid}); give this one its prompt in a file of another name`,
			);
		}
		await files.begin(prompt);
		await files.writeStatus(status);
	});
}

/**
 * Ends a killed run of this machine, because the swarm waits for its `.done`. The status names its owner; a status from a repository names
 * no machine, or another one.
 */
export async function endKilledRun({ files, status: { runner } }: Pick<Delegate, 'files' | 'status'>): Promise<void> {
	if (runner?.machine === undefined || whereIs(runner.machine) === 'elsewhere' || liveness(runner) !== 'dead') return;
	if ((await files.readDone()) !== undefined) return;
	await holdingLock(`${files.base}.lock`, async () => {
		const { runner: now } = await readStatus(files);
		const isSame = now !== undefined && isSameProcess(now, runner);
		if (isSame && (await files.readDone()) === undefined) await files.writeDone(RUNNER_DIED);
	});
}

function foldersIn(folder: string): string[] {
	return FOLDERS.map((_, index) => join(folder, ...FOLDERS.slice(0, index + 1)));
}

/** Whether a swarm works, or has worked, in this folder. A target behind a link is elsewhere. */
export function hasSwarm(folder: string): boolean {
	if (linkAmong(foldersIn(folder)) !== undefined) return false;
	return lstatSync(join(folder, ...FOLDERS), { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/**
 * Workers of a swarm in this folder, whoever runs them. Nancy shows them and changes nothing.
 * @param own features of Nancy's own delegates, which are shown as such
 */
export async function swarmWorkers(folder: string, own: ReadonlySet<string>): Promise<Delegate[]> {
	if (!hasSwarm(folder)) return [];
	const features = new Set<string>();
	for (const ending of ENDINGS) {
		for (const name of await fileNames(join(folder, ...FOLDERS), ending))
			features.add(name.slice(0, -ending.length));
	}
	const others = [...features].filter(feature => !own.has(feature)).toSorted(byName);
	return Promise.all(
		others.flatMap(name => {
			const feature = SwarmFeature.safeParse(name);
			return feature.success ? [swarmWorker(folder, feature.data)] : [];
		}),
	);
}

async function swarmWorker(folder: string, feature: SwarmFeature): Promise<Delegate> {
	const id = idOf(feature);
	const files = new DelegateFiles(join(folder, ...FOLDERS, feature), foldersIn(folder));
	// Another program's file: an unreadable one says nothing, and stops no delegate.
	const done = await files.readDone().catch(() => undefined);
	const status = await readStatus(files);
	const record = DelegateRecord.parse({
		version: 1,
		id,
		title: feature,
		createdAt: status.started_at ?? new Date(0).toISOString(),
		agent: SWARM,
		permissions: 'default',
		place: { is: 'folder', folder },
		limits: {},
		task: SWARM_TASK,
		worker: SWARM_WORKER,
	});
	const { runner } = status;
	const error =
		done === undefined ? runner && liveness(runner) === 'dead' && RUNNER_DIED : done.replace(/^error: /, '');
	if (done === 'success') return { record, status, files, state: 'done', isForeign: true };
	if (error) return { record, status, files, state: 'failed', error, isForeign: true };
	return { record, status, files, state: 'running', isForeign: true };
}

/** The name itself if it can be an id, else an id that no other name has. */
function idOf(feature: SwarmFeature): DelegateId {
	const asItIs = DelegateId.safeParse(feature);
	if (asItIs.success) return asItIs.data;
	const words = feature
		.toLowerCase()
		.replaceAll(/[^a-z0-9]+/g, '-')
		.slice(0, 40);
	return DelegateId.parse(`swarm-${words}-${fnvOf(feature).toString(16)}`.replaceAll(/-+/g, '-'));
}

/** Another program writes it: a differing format says nothing. */
async function readStatus(files: DelegateFiles): Promise<DelegateStatus> {
	const blank = DelegateStatus.parse({ task_id: basename(files.base), status: 'running', reported: true });
	try {
		const parsed = DelegateStatus.safeParse(JSON.parse((await readPlainText(files.status)) ?? ''));
		return parsed.success ? { ...parsed.data, reported: true } : blank;
	} catch {
		return blank;
	}
}

function byName(a: string, b: string): number {
	return a < b ? -1 : 1;
}

const SWARM = DriverId.parse('swarm');
const SWARM_TASK = TaskName.parse('swarm');
const SWARM_WORKER = WorkerName.parse('worker');
