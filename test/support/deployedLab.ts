import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseVersion } from '../../src/base/version.ts';
import { FIRST_WORKER, TaskName, type SessionId } from '../../src/protocol/names.ts';
import { Workspace, type WorkerAddress } from '../../src/core/workspace.ts';
import { claudeCode } from '../../src/drivers/claude-code/driver.ts';
import { addBoundWorker } from './boundWorker.ts';
import { claudeLab, type ClaudeLab, type ClaudeLabOptions } from './claudeLab.ts';
import { eventually } from './eventually.ts';
import { labMail, type LabMail } from './labMail.ts';
import { hookRuntime } from './runtime.ts';
import { taskRecord } from './taskRecord.ts';

/** The real CLI in a workspace with Nancy's hooks. */
export interface DeployedLab extends ClaudeLab, LabMail {
	nancy: Workspace;
	/** Writes the settings file; called already unless `isDeployed` was false. */
	deploy(): void;
	/** The worker whose current session this workspace saw last begin, once there is one. */
	anySession(): Promise<{ session: SessionId; address: WorkerAddress }>;
}

export interface DeployedLabOptions extends ClaudeLabOptions {
	/** False: `deploy()` is called later. */
	isDeployed?: boolean;
	/** Deploys nothing that wakes an idle agent, as for a version that cannot be woken. */
	cannotWake?: boolean;
}

export async function deployedLab(options: DeployedLabOptions = {}): Promise<DeployedLab> {
	const launcher = await hookRuntime();
	const lab = await claudeLab(options);
	const nancy = new Workspace(lab.workspace.path);
	await nancy.prepare();
	const deploy = () => {
		const plan = claudeCode.deployment({
			version: parseVersion('2.1.329') ?? [0, 0, 0],
			launcher,
			workspaceFolder: lab.workspace.path,
			scope: 'workspace',
		});
		for (const { file, entries } of plan.edits) {
			const settings: Record<string, Record<string, unknown[]>> = {};
			for (const { path, value } of entries) {
				const [top = '', event = ''] = path;
				if (options.cannotWake && JSON.stringify(value).includes('asyncRewake')) continue;
				((settings[top] ??= {})[event] ??= []).push(value);
			}
			mkdirSync(dirname(lab.workspace.file(file)), { recursive: true });
			writeFileSync(lab.workspace.file(file), JSON.stringify(settings, null, 2));
		}
	};
	if (options.isDeployed !== false) deploy();
	return {
		...lab,
		nancy,
		deploy,
		...labMail(nancy, 15_000),
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
	await addBoundWorker(lab.nancy, address, { agent, session, isWatched: false, agentVersion: '2.1.329' });
	return address;
}

export function fileText(lab: ClaudeLab, name: string): string {
	return readFileSync(join(lab.workspace.path, name), 'utf8');
}
