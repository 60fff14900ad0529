import { basename, dirname, join } from 'node:path';
import { hasCode } from '../base/errors.ts';
import { dataFolder } from '../base/folders.ts';
import { deploy } from '../core/deployment/deploy.ts';
import { DeploymentRecords } from '../core/deployment/records.ts';
import { installedLauncher } from '../core/deployment/launcher.ts';
import { headlessOf } from '../core/driver/headlessOf.ts';
import { bindSession } from '../core/sessions/bindings.ts';
import { Workspace } from '../core/workspace/workspace.ts';
import { findAgent, knownDriver } from '../operations/shared/agents.ts';
import type { RunContext } from '../operations/run.ts';
import { SessionId } from '../protocol/names.ts';
import type { RemoteJob } from '../protocol/remoteJob.ts';
import type { Context } from './command.ts';

/** What a run gets, so that its hooks report and deliver. */
interface Hooks {
	/** Arguments for the agent's CLI. */
	extra: string[];
	/** The settings that these arguments name. */
	settings: string[];
	recorded: NonNullable<RunContext['recorded']>;
}

/**
 * On the other machine: writes hooks into the folder of a job, and ties a new session to the job's mailbox. This folder is the workspace of
 * the job's agent. The agent works in a folder below. It gets no `nancy` command: what it sent would stay on this machine.
 */
export async function hooksThere(job: RemoteJob, folder: string, context: Context): Promise<Hooks | undefined> {
	const { agent: id, mailbox: address, permissions } = job;
	const driver = knownDriver(id);
	const { settingsFrom, permissionModes } = headlessOf(driver);
	// Nobody here would answer what such a mode asks.
	const asks = permissionModes.some(mode => mode.id === permissions && mode.asks);
	if (!address || settingsFrom === 'none' || asks) return undefined;
	const workspace = new Workspace(folder);
	const runtime = runtimeAt(dirname(context.program));
	const { agent } = await findAgent(driver, { env: context.env, workspace }, 'shell');
	await deploy(workspace, driver, { runtime, agentVersion: agent.version, scope: 'launch' });
	await begin(workspace, job, address);
	const session = SessionId.parse(crypto.randomUUID());
	await bindSession(workspace, session, { address, watched: false });
	const [edit] = driver.deployment({
		version: agent.version,
		launcher: runtime.launcher,
		workspaceFolder: folder,
		scope: 'launch',
	}).edits;
	const settings = edit === undefined ? [] : [join(folder, edit.file)];
	const launches = new DeploymentRecords(workspace, runtime.dataFolder).launchFolder(id);
	return {
		extra: settings.flatMap(settingsFrom),
		settings,
		recorded: { session, resume: undefined, hooks: { launcher: runtime.launcher, folder: launches } },
	};
}

/** The records of task and worker, which have the same names as where the job came from. */
async function begin(workspace: Workspace, { agent }: RemoteJob, { task, worker }: NonNullable<RemoteJob['mailbox']>) {
	const now = new Date().toISOString();
	try {
		await workspace.createTask({
			version: 1,
			name: task,
			title: task,
			prompt: '',
			agent,
			createdAt: now,
			origin: 'nancy',
		});
	} catch (error) {
		if (!hasCode(error, 'task-exists')) throw error;
	}
	await workspace.createWorker({ version: 1, task, name: worker, agent, sessions: [], startedAt: now });
}

/** The runtime that was shipped here, which has no skills, no plugin and no desk. */
function runtimeAt(folder: string) {
	const version = basename(folder);
	const data = dataFolder();
	return {
		folder,
		launcher: installedLauncher(data, version),
		bin: join(folder, 'bin'),
		skills: join(folder, 'skills'),
		version,
		dataFolder: data,
	};
}
