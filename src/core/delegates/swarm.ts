import { join } from 'node:path';
import { readTextIfExists } from '../../base/atomicFile.ts';
import { fileNames } from '../../base/listing.ts';
import { DelegateId, DelegateRecord, DelegateStatus } from '../../protocol/delegate.ts';
import { DriverId, TaskName, WorkerName } from '../../protocol/names.ts';
import type { Delegate } from './delegates.ts';
import { DelegateFiles } from './files.ts';

/** Where claude-swarm keeps its workers: `<feature>.prompt`, `.status`, `.log`, `.done`. */
const FOLDER = join('.claude', 'orchestrator', 'workers');

const ENDINGS = ['.prompt', '.status', '.log', '.done'] as const;

/**
 * The files of a swarm's worker, when this process is one: `CLAUDE_SWARM_WORKER=true`.
 * @param feature the worker's name; by default that of its prompt file
 */
export function swarmFiles(
	env: Readonly<Record<string, string | undefined>>,
	folder: string,
	feature: string | undefined,
): DelegateFiles | undefined {
	if (env['CLAUDE_SWARM_WORKER'] !== 'true') return undefined;
	const name = DelegateId.safeParse((feature ?? 'worker').toLowerCase().replaceAll(/[^a-z0-9-]+/g, '-'));
	return new DelegateFiles(join(folder, FOLDER, name.success ? name.data : 'worker'));
}

/** Workers of a swarm that works in this folder, whoever runs them. Nancy shows them and changes nothing. */
export async function swarmWorkers(folder: string): Promise<Delegate[]> {
	const features = new Set<string>();
	for (const ending of ENDINGS) {
		for (const name of await fileNames(join(folder, FOLDER), ending)) features.add(name.slice(0, -ending.length));
	}
	const workers = await Promise.all([...features].toSorted(byName).map(feature => swarmWorker(folder, feature)));
	return workers.filter(worker => worker !== undefined);
}

async function swarmWorker(folder: string, feature: string): Promise<Delegate | undefined> {
	const id = DelegateId.safeParse(feature.toLowerCase());
	if (!id.success) return undefined;
	const files = new DelegateFiles(join(folder, FOLDER, feature));
	const done = await files.readDone();
	const status = await readStatus(files, id.data);
	const record = DelegateRecord.parse({
		version: 1,
		id: id.data,
		title: feature,
		createdAt: status.started_at ?? new Date(0).toISOString(),
		agent: SWARM,
		permissions: 'default',
		place: { is: 'folder', folder },
		limits: {},
		task: SWARM_TASK,
		worker: SWARM_WORKER,
	});
	if (done === undefined) return { record, status, files, state: 'running', isForeign: true };
	if (done === 'success') return { record, status, files, state: 'done', isForeign: true };
	return { record, status, files, state: 'failed', error: done.replace(/^error: /, ''), isForeign: true };
}

/** Another program writes it: what is not as Nancy writes it tells nothing. */
async function readStatus(files: DelegateFiles, id: DelegateId): Promise<DelegateStatus> {
	const blank = DelegateStatus.parse({ task_id: id, status: 'running', reported: true });
	try {
		const parsed = DelegateStatus.safeParse(JSON.parse((await readTextIfExists(files.status)) ?? ''));
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
