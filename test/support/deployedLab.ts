import { formatVersion, type Version } from '../../src/base/version.ts';
import { deploy } from '../../src/core/deployment/deploy.ts';
import type { Driver } from '../../src/core/driver/driver.ts';
import { FIRST_WORKER, TaskName, type SessionId } from '../../src/protocol/names.ts';
import { Workspace, type WorkerAddress } from '../../src/core/workspace/workspace.ts';
import { claudeCode } from '../../src/drivers/claude-code/driver.ts';
import { addBoundWorker } from './boundWorker.ts';
import { claudeLab, type ClaudeLab, type ClaudeLabOptions } from './claudeLab.ts';
import { eventually, HANG_MS } from './eventually.ts';
import { labMail, type LabMail } from './labMail.ts';
import { dataFolderIn, installedRuntime } from './runtime.ts';
import { taskRecord } from './taskRecord.ts';

/** The real CLI in a workspace with Nancy's hooks. */
export interface DeployedLab extends ClaudeLab, LabMail {
	nancy: Workspace;
	/** As Set Up does it; called already unless `isDeployed` was false. */
	deploy(): Promise<void>;
	/** The worker whose current session this workspace saw last begin, once there is one. */
	anySession(): Promise<{ session: SessionId; address: WorkerAddress }>;
}

export interface DeployedLabOptions extends ClaudeLabOptions {
	/** False: `deploy()` is called later. */
	isDeployed?: boolean;
	/** Deploys nothing that wakes an idle agent, as for a version that cannot be woken. */
	cannotWake?: boolean;
}

const VERSION: Version = [2, 1, 329];

/** As for a version that nothing can wake. */
const neverWaking: Driver = {
	...claudeCode,
	deployment: request => {
		const plan = claudeCode.deployment(request);
		const wakes = ({ value }: { value: unknown }) => JSON.stringify(value).includes('asyncRewake');
		const edits = plan.edits.map(edit => ({ ...edit, entries: edit.entries.filter(entry => !wakes(entry)) }));
		return { ...plan, edits };
	},
};

export async function deployedLab(options: DeployedLabOptions = {}): Promise<DeployedLab> {
	const lab = await claudeLab(options);
	const nancy = new Workspace(lab.workspace.path, dataFolderIn(lab.home));
	await nancy.prepare();
	const driver = options.cannotWake ? neverWaking : claudeCode;
	const deployHooks = async () => {
		const runtime = await installedRuntime(lab.home);
		await deploy(nancy, driver, { runtime, agentVersion: VERSION, scope: 'workspace' });
	};
	if (options.isDeployed !== false) await deployHooks();
	return {
		...lab,
		nancy,
		deploy: deployHooks,
		...labMail(nancy, HANG_MS),
		anySession: () =>
			eventually('a session bound', async () => {
				const { tasks } = await nancy.tasks();
				for (const task of tasks.toReversed()) {
					const { workers } = await nancy.workers(task.name);
					const session = workers.at(-1)?.sessions.at(-1)?.id;
					if (session) return { session, address: { task: task.name, worker: workers.at(-1)!.name } };
				}
				return undefined;
			}),
	};
}

/** A task with its first worker's mailbox, as `nancy orchestrate` makes it before the agent starts. */
export async function startedTask(lab: DeployedLab, session: SessionId, name = 'build'): Promise<WorkerAddress> {
	const task = TaskName.parse(name);
	const address = { task, worker: FIRST_WORKER };
	await lab.nancy.createTask(taskRecord(task, claudeCode.id));
	const agent = claudeCode.id;
	await addBoundWorker(lab.nancy, address, {
		agent,
		session,
		isWatched: false,
		agentVersion: formatVersion(VERSION),
	});
	return address;
}
