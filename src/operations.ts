import * as vscode from 'vscode';
import { dataFolder } from './base/folders.ts';
import { errorText, NancyError } from './base/errors.ts';
import { oneByOne } from './base/oneByOne.ts';
import { formatVersion, isAtLeast } from './base/version.ts';
import { cleanUp } from './core/deployment/cleanUp.ts';
import { deploy } from './core/deployment/deploy.ts';
import type { DeployRequest } from './core/deployment/job.ts';
import { shortcomings, type DeploymentScope, type Driver, type ProbedStatus } from './core/driver/driver.ts';
import { isRunning, planWorker, type InstalledAgent } from './core/driver/launch.ts';
import { examine, repair, type Instruments } from './core/deployment/doctor.ts';
import { isAsking } from './core/live/overview.ts';
import { installRuntime, sourcesIn, type InstalledRuntime, type NodeProgram } from './core/deployment/runtime.ts';
import { sendToEach, type Addressee } from './core/mailbox/sendToEach.ts';
import type { Words } from './core/workspace/workspace.ts';
import { driverById, drivers } from './drivers/index.ts';
import { askGit } from './git/askGit.ts';
import { askStatus } from './process/askStatus.ts';
import { detectAgent, findNode, type Detection } from './process/detect.ts';
import { refuseTracked } from './git/refuseTracked.ts';
import { tryLauncher } from './process/tryLauncher.ts';
import type { Author } from './protocol/author.ts';
import type { DriverId, SessionId, TaskName } from './protocol/names.ts';
import { delegateVariables, WindowDelegates } from './operations/delegates.ts';
import { noteSeen } from './operations/seen.ts';
import { hasHooks, keepHooksChoice, keepSettings } from './operations/settings.ts';
import { stop } from './operations/stop.ts';
import { WindowWorktrees } from './operations/worktrees.ts';
import { doctorReport } from './ui/doctorReport.ts';
import type { Folder, Operations } from './ui/ports.ts';
import { requireTrust } from './ui/trust.ts';
import { agentArguments, agentModel, agentPath } from './ui/settings.ts';

/** A person at a window has written what is sent here. */
const BY_WINDOW = { is: 'human', via: 'window' } as const satisfies Author;

/** What the window asks of drivers, processes and other programs' files. */
export class WindowOperations implements Operations {
	private runtime: Promise<InstalledRuntime> | undefined;
	readonly delegates: WindowDelegates;
	readonly worktrees: WindowWorktrees = new WindowWorktrees();

	/** @param tell of a failure in the background, for the log */
	constructor(
		private readonly extensionPath: string,
		private readonly version: string,
		private readonly tell: (error: unknown) => void,
	) {
		this.delegates = new WindowDelegates(() => this.runtimeFolder(), tell);
	}

	async agents() {
		return Promise.all(
			drivers.map(async driver => {
				const found = await this.detect(driver);
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

	/** Set Up: also for sessions that the user starts. Throws `no-agent` where none is found. */
	async setUp(folder: Folder): Promise<readonly string[]> {
		requireTrust();
		await refuseTracked(folder.workspace);
		if (!(await hasHooks(folder)))
			throw new NancyError('wrong-state', vscode.l10n.t('Hooks are off here (nancy.hooks); nothing is set up.'));
		return this.deploy(folder, drivers, 'workspace');
	}

	/** What a start of this agent needs. */
	async prepareStart(folder: Folder, agent: DriverId): Promise<readonly string[]> {
		requireTrust();
		await refuseTracked(folder.workspace);
		const driver = driverOf(agent);
		await this.installed(driver);
		await keepSettings(folder);
		if (!(await hasHooks(folder))) return [];
		return this.deploy(folder, [driver], 'launch');
	}

	/** Throws `busy` while an agent runs that would go deaf. */
	async cleanUp(folder: Folder, task: TaskName | undefined): Promise<readonly string[]> {
		requireTrust();
		const isBusy = (agent: DriverId) => isAsking(folder.overview(), agent);
		const { changed, warnings, failed, undeployed } = await cleanUp(folder.workspace, task, drivers, {
			dataFolder: dataFolder(),
			isBusy,
			askGit,
		});
		if (!undeployed) return [vscode.l10n.t('Archived. Hooks and skills stay: other tasks need them.')];
		if (failed[0] && changed.length === 0) throw failed[0].error;
		const failures = failed.map(({ agent, error }) =>
			vscode.l10n.t('{0} was not cleaned up: {1}', driverById(agent)?.displayName ?? agent, errorText(error)),
		);
		return [...failures, ...cleanedUp(changed), ...warnings];
	}

	/** After the user has changed it. */
	keepHooksChoice(folder: Folder): Promise<void> {
		return keepHooksChoice(folder);
	}

	/** What has to be deployed for an agent right now; nothing while no worker of it runs. Throws `not-trusted` where nothing may be. */
	async deployRequest(folder: Folder, driver: Driver): Promise<DeployRequest | undefined> {
		if (!vscode.workspace.isTrusted) return undefined;
		const workers = folder.overview().tasks.flatMap(task => task.workers);
		if (!workers.some(({ record }) => record.agent === driver.id && isRunning(record))) return undefined;
		if (!(await hasHooks(folder))) return undefined;
		await refuseTracked(folder.workspace);
		const found = await this.detect(driver);
		if (!found.found) return undefined;
		const isBusy = () => isAsking(folder.overview(), driver.id);
		return { runtime: await this.runtimeFolder(), agentVersion: found.version, scope: 'launch', isBusy, askGit };
	}

	/** In Restricted Mode it only reads: no program is run, nothing installed. */
	async doctor(folder: Folder, { fix }: { fix: boolean }) {
		const instruments: Instruments = {
			agents: await Promise.all(
				drivers.map(async driver => {
					const found = await this.detect(driver);
					return found.found
						? { driver, found, problem: '' }
						: { driver, found: undefined, problem: found.reason };
				}),
			),
			dataFolder: dataFolder(),
			installRuntime: async () => {
				requireTrust();
				// Not the one this window remembers: the doctor is asked because something may be gone.
				this.runtime = undefined;
				return this.runtimeFolder();
			},
			tryLauncher,
			isBusy: agent => isAsking(folder.overview(), agent),
			env: process.env,
			askGit,
		};
		const before = await examine(folder.workspace, instruments);
		if (!fix) return doctorReport(before, []);
		requireTrust();
		await refuseTracked(folder.workspace);
		const repairs = await repair(before);
		await folder.refresh();
		return doctorReport(await examine(folder.workspace, instruments), repairs);
	}

	async plan(folder: Folder, agent: DriverId, request: Parameters<Operations['plan']>[2]) {
		requireTrust();
		await refuseTracked(folder.workspace);
		const driver = driverOf(agent);
		const found = await this.installed(driver);
		await noteSeen(driver, folder, this.tell);
		const runtime = await this.runtimeFolder();
		const extra = agentArguments(agent);
		const planned = await planWorker(folder.workspace, driver, found, {
			...request,
			extra,
			bin: runtime.bin,
			hooks: (await hasHooks(folder)) ? runtime : undefined,
			env: process.env,
		});
		// The agent may delegate itself, by the command.
		return { ...planned, env: { ...planned.env, ...delegateVariables() } };
	}

	/** What the agent itself says of its sessions; rejects where it is not found or cannot tell. */
	async ask(driver: Driver): Promise<ReadonlyMap<SessionId, ProbedStatus>> {
		const { executable } = await this.installed(driver);
		return askStatus(driver, executable, process.env);
	}

	async send<T extends Addressee>(to: readonly T[], content: Words) {
		requireTrust();
		for (const workspace of new Set(to.map(({ folder }) => folder.workspace))) await refuseTracked(workspace);
		return sendToEach(to, content, BY_WINDOW);
	}

	readonly stop = stop;

	private async deploy(
		folder: Folder,
		chosen: readonly Driver[],
		scope: DeploymentScope,
	): Promise<readonly string[]> {
		requireTrust();
		const runtime = await this.runtimeFolder();
		await keepSettings(folder);
		const { done, failures } = await oneByOne(chosen, async driver => {
			const found = await this.detect(driver);
			if (!found.found) return undefined;
			const isBusy = () => isAsking(folder.overview(), driver.id);
			const agentVersion = found.version;
			const result = await deploy(folder.workspace, driver, { runtime, agentVersion, scope, isBusy, askGit });
			await noteSeen(driver, folder, this.tell);
			return result;
		});
		const results = done.filter(result => result !== undefined);
		if (results.length === 0) {
			if (failures[0]) throw failures[0].error;
			throw new NancyError('no-agent', drivers.map(driver => driver.installHint).join(' '));
		}
		return [
			...failures.map(({ item, error }) =>
				vscode.l10n.t('{0} was not set up: {1}', item.displayName, errorText(error)),
			),
			...results.flatMap(({ warnings }) => warnings),
		];
	}

	private async installed(driver: Driver): Promise<InstalledAgent> {
		const found = await this.detect(driver);
		if (!found.found) throw notFound(found);
		return found;
	}

	/** In an untrusted workspace nothing is run, not even to ask for its version. */
	private async detect(driver: Driver): Promise<Detection> {
		if (vscode.workspace.isTrusted) return detectAgent(driver, agentPath(driver.id), process.env);
		return { found: false, reason: vscode.l10n.t('Not looked for in Restricted Mode.'), hint: driver.installHint };
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

/** Why an agent cannot be started. */
function problemOf(driver: Driver, found: Detection): string | undefined {
	if (!found.found) return found.reason;
	if (isAtLeast(found.version, driver.oldestVersion)) return undefined;
	return vscode.l10n.t('Too old: Nancy needs {0}. {1}', formatVersion(driver.oldestVersion), driver.installHint);
}

/** What runs the hooks: a Node on the PATH, else the editor's own. */
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

function driverOf(agent: DriverId): Driver {
	const driver = driverById(agent);
	if (driver) return driver;
	throw new NancyError('no-agent', vscode.l10n.t('This version of Nancy does not know the agent “{0}”.', agent));
}

function notFound({ reason, hint }: Extract<Detection, { found: false }>): NancyError {
	return new NancyError('no-agent', `${reason}. ${hint}`);
}
