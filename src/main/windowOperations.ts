import * as vscode from 'vscode';
import { dataFolder } from '../base/folders.ts';
import type { WorkerAddress } from '../core/workspace/workspace.ts';
import { formatVersion, isAtLeast } from '../base/version.ts';
import { IN_WINDOW } from '../core/asker/asker.ts';
import type { DeployRequest } from '../core/deployment/job.ts';
import { shortcomings, type Driver, type ProbedStatus } from '../core/driver/driver.ts';
import { isRunning, planWorker } from '../core/driver/launch.ts';
import { isAsking } from '../core/live/overview.ts';
import { installRuntime, sourcesIn, type InstalledRuntime, type NodeProgram } from '../core/deployment/runtime.ts';
import { errorText } from '../base/errors.ts';
import { oneByOne } from '../base/oneByOne.ts';
import { driverById, drivers } from '../drivers/index.ts';
import { refuseTracked } from '../git/refuseTracked.ts';
import { askGit } from '../git/askGit.ts';
import { detect, findAgent, knownDriver } from '../operations/agents.ts';
import { hasHooks } from '../operations/hooksChoice.ts';
import { noteSeen } from '../operations/noteSeen.ts';
import { operations } from '../operations/index.ts';
import { perform } from '../operations/operation.ts';
import { askStatus } from '../process/askStatus.ts';
import { findNode, type Detection } from '../process/detect.ts';
import type { DriverId, MessageId, SessionId, TaskName } from '../protocol/names.ts';
import { inform } from '../ui/kit/messages.ts';
import { doctorReport } from '../ui/doctorReport.ts';
import type { Addressee, Folder, Letter, Operations } from '../ui/ports.ts';
import { requireTrust } from '../ui/trust.ts';
import { agentArguments, agentModel } from '../ui/settings.ts';
import { keepHooksChoice } from './keepHooksChoice.ts';
import { WindowDelegates } from './windowDelegates.ts';
import { delegateVariables, operationContext, windowEnvironment, type WindowTools } from './operationContext.ts';
import { WindowWorktrees } from './windowWorktrees.ts';

/** The window's questions to drivers, processes and other programs' files. */
export class WindowOperations implements Operations {
	private runtime: Promise<InstalledRuntime> | undefined;
	readonly delegates: WindowDelegates;
	readonly worktrees: WindowWorktrees;
	private readonly tools: WindowTools;

	/** @param tell reports a failure in the background, for the log */
	constructor(
		private readonly extensionPath: string,
		private readonly version: string,
		tell: (error: unknown) => void,
	) {
		this.tools = { installRuntime: () => this.runtimeFolder(), tell };
		this.delegates = new WindowDelegates(this.tools);
		this.worktrees = new WindowWorktrees(this.tools);
	}

	async agents() {
		return Promise.all(
			drivers.map(async driver => {
				const found = await detect(driver, here());
				return {
					id: driver.id,
					displayName: driver.displayName,
					found: found.found
						? { executable: found.executable, version: formatVersion(found.version) }
						: undefined,
					problem: problemOf(driver, found),
					installHint: driver.installHint,
					...(found.found ? shortcomings(driver, found.version) : { lacks: [], limits: [] }),
					model: agentModel(driver.id),
					permissionModes: driver.headless === 'none' ? [] : driver.headless.permissionModes,
					runsIn: driver.headless === 'none' ? 'workspace' : driver.headless.runsIn,
				};
			}),
		);
	}

	async setUp(folder: Folder): Promise<readonly string[]> {
		const { agents, failed } = await perform(await operations.setUp(), IN_WINDOW, {}, this.contextOf(folder));
		return [
			...failed.map(({ agent, message }) => vscode.l10n.t('{0} was not set up: {1}', nameOf(agent), message)),
			...agents.flatMap(({ warnings }) => warnings),
		];
	}

	async prepareStart(folder: Folder, agent: DriverId): Promise<readonly string[]> {
		return (await perform(await operations.prepareStart(), IN_WINDOW, { agent }, this.contextOf(folder))).warnings;
	}

	async cleanUp(folder: Folder, task: TaskName | undefined): Promise<readonly string[]> {
		const input = task === undefined ? {} : { task };
		const done = await perform(await operations.cleanUp(), IN_WINDOW, input, this.contextOf(folder));
		if (!done.undeployed) return [vscode.l10n.t('Archived. Hooks and skills stay: other tasks need them.')];
		const failures = done.failed.map(({ agent, message }) =>
			vscode.l10n.t('{0} was not cleaned up: {1}', nameOf(agent), message),
		);
		return [...failures, ...cleanedUp(done.changed), ...done.warnings];
	}

	/** After the user has changed it. */
	keepHooksChoice(folder: Folder): Promise<void> {
		return keepHooksChoice(folder);
	}

	/**
	 * The deployment that an agent needs right now; nothing while no worker of it runs. Throws `not-trusted` if nothing may be deployed.
	 */
	async deployRequest(folder: Folder, driver: Driver): Promise<DeployRequest | undefined> {
		if (!vscode.workspace.isTrusted) return undefined;
		const workers = folder.overview().tasks.flatMap(task => task.workers);
		if (!workers.some(({ record }) => record.agent === driver.id && isRunning(record))) return undefined;
		if (!(await hasHooks(this.contextOf(folder)))) return undefined;
		await refuseTracked(folder.workspace);
		const found = await detect(driver, here());
		if (!found.found) return undefined;
		const isBusy = () => isAsking(folder.overview(), driver.id);
		return { runtime: await this.runtimeFolder(), agentVersion: found.version, scope: 'launch', isBusy, askGit };
	}

	async doctor(folder: Folder, { fix }: { fix: boolean }) {
		const installAgain = () => {
			// Not the one this window remembers: the doctor is asked because a file may be gone.
			this.runtime = undefined;
			return this.runtimeFolder();
		};
		const context = operationContext(folder, { ...this.tools, installRuntime: installAgain });
		const done = await perform(await operations.doctor(), IN_WINDOW, { fix }, context);
		if (fix) await folder.refresh();
		return doctorReport(done);
	}

	async plan(folder: Folder, agent: DriverId, request: Parameters<Operations['plan']>[2]) {
		requireTrust();
		await refuseTracked(folder.workspace);
		const context = this.contextOf(folder);
		const { driver, agent: found } = await findAgent(knownDriver(agent), context.env);
		await noteSeen(IN_WINDOW, driver, context, folder.path);
		const runtime = await this.runtimeFolder();
		const extra = agentArguments(agent);
		const planned = await planWorker(folder.workspace, driver, found, {
			...request,
			extra,
			bin: runtime.bin,
			hooks: (await hasHooks(context)) ? runtime : undefined,
			env: process.env,
		});
		// The agent may delegate itself, by the command.
		return { ...planned, env: { ...planned.env, ...delegateVariables() } };
	}

	/** The agent's own report of its sessions. Rejects if the agent is not found or cannot tell. */
	async ask(driver: Driver): Promise<ReadonlyMap<SessionId, ProbedStatus>> {
		const { agent } = await findAgent(driver, windowEnvironment());
		return askStatus(driver, agent.executable, process.env);
	}

	async send<T extends Addressee>(to: readonly T[], words: Letter) {
		requireTrust();
		const operation = await operations.send();
		const input = ({ address }: T) => ({ ...words, to: address });
		for (const each of to) await operation.permit(IN_WINDOW, input(each), this.contextOf(each.folder));
		const { failures } = await oneByOne(to, each =>
			perform(operation, IN_WINDOW, input(each), this.contextOf(each.folder)),
		);
		return failures.map(({ item, error }) => ({ to: item, reason: errorText(error) }));
	}

	async archive(folder: Folder, from: WorkerAddress, id: MessageId): Promise<void> {
		const messages = [{ ...from, id }];
		await perform(await operations.archive(), IN_WINDOW, { messages }, this.contextOf(folder));
	}

	async withdraw(folder: Folder, from: WorkerAddress, id: MessageId): Promise<void> {
		const messages = [{ ...from, id }];
		await perform(await operations.withdraw(), IN_WINDOW, { messages }, this.contextOf(folder));
	}

	async stop(folder: Folder, address: WorkerAddress, onMeant: () => Promise<void>): Promise<void> {
		const context = { ...this.contextOf(folder), letGo: onMeant };
		const { workers } = await perform(await operations.stop(), IN_WINDOW, { workers: [address] }, context);
		for (const { worker, outcome } of workers) if (outcome === 'elsewhere') void inform(stoppedElsewhere(worker));
	}

	private contextOf(folder: Folder) {
		return operationContext(folder, this.tools);
	}

	/** Installed once in the life of a window; again after a failure. */
	private async runtimeFolder(): Promise<InstalledRuntime> {
		this.runtime ??= runningNode().then(node =>
			installRuntime(sourcesIn(this.extensionPath, 'package'), this.version, dataFolder(), node),
		);
		try {
			return await this.runtime;
		} catch (error) {
			this.runtime = undefined;
			throw error;
		}
	}
}

function here() {
	return { env: windowEnvironment(), isTrusted: vscode.workspace.isTrusted };
}

function stoppedElsewhere(worker: string): string {
	return vscode.l10n.t(
		'{0} counts as stopped. It was started on another machine or in a container: if it still runs, end it there.',
		worker,
	);
}

/** Why an agent cannot be started. */
function problemOf(driver: Driver, found: Detection): string | undefined {
	if (!found.found) return found.reason;
	if (isAtLeast(found.version, driver.oldestVersion)) return undefined;
	return vscode.l10n.t('Too old: Nancy needs {0}. {1}', formatVersion(driver.oldestVersion), driver.installHint);
}

/** The program that runs the hooks: a Node on the PATH, else the editor's own. */
async function runningNode(): Promise<NodeProgram> {
	const running = { executable: process.execPath, isElectron: process.versions['electron'] !== undefined };
	return vscode.workspace.isTrusted ? findNode(process.env, running) : running;
}

/** Skills make it a long list, so only its head is named. */
function cleanedUp(changed: readonly string[]): string[] {
	const [first, ...others] = changed;
	if (first === undefined) return [];
	return others.length < 2
		? [vscode.l10n.t('Cleaned up: {0}.', changed.join(', '))]
		: [vscode.l10n.t('Cleaned up: {0} and {1} more.', first, others.length)];
}

function nameOf(agent: DriverId): string {
	return driverById(agent)?.displayName ?? agent;
}
