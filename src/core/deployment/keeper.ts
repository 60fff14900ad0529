import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText, hasErrno, NancyError } from '../../base/errors.ts';
import { Emitter } from '../../base/event.ts';
import type { Disposable } from '../../base/lifetime.ts';
import { formatVersion } from '../../base/version.ts';
import type { DriverId } from '../../protocol/names.ts';
import type { Deployment } from '../../protocol/deployment.ts';
import type { Driver } from '../driver/driver.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { deploy, deploymentState } from './deploy.ts';
import type { DeployRequest } from './job.ts';
import { placesOf } from './notes.ts';
import { DeploymentRecords } from './records.ts';

/** How often files are looked at, in milliseconds: a stat of a few files and folders per agent. */
const PERIOD_MS = 3000;

export interface Kept {
	driver: Driver;
	/** The rewritten files, relative to the workspace folder. */
	changed: readonly string[];
}

/**
 * Keeps deployments complete while agents need them. A running task must not lose its hooks when another tool rewrites a settings file, or
 * when Nancy or the agent is updated. A deployment that was taken back on purpose (Clean Up) has no record and stays away.
 */
export class DeploymentKeeper implements Disposable {
	private readonly _onDidRepair = new Emitter<Kept>();
	readonly onDidRepair = this._onDidRepair.event;
	private readonly _onDidFail = new Emitter<unknown>();
	/** Fires once for each state that could not be repaired, however often the repair is tried. */
	readonly onDidFail = this._onDidFail.event;
	/** The state of each agent's deployment that is complete, or that only the user can cure. */
	private readonly settled = new Map<DriverId, string>();
	private readonly told = new Map<DriverId, string>();
	private readonly timer: NodeJS.Timeout;
	private running: Promise<void> | undefined;
	private readonly records: DeploymentRecords;

	/**
	 * @param dataFolder the user's, with the records of what was deployed
	 * @param requestFor what to deploy for an agent; `undefined` while no task needs it, or its CLI is not found
	 */
	constructor(
		private readonly workspace: Workspace,
		private readonly drivers: readonly Driver[],
		dataFolder: string,
		private readonly requestFor: (driver: Driver) => Promise<DeployRequest | undefined>,
		periodMs: number = PERIOD_MS,
	) {
		this.records = new DeploymentRecords(workspace, dataFolder);
		this.timer = setInterval(() => void this.look(), periodMs);
		this.timer.unref();
	}

	/** Looks once, now; never rejects. */
	look(): Promise<void> {
		this.running ??= this.lookAtAll().finally(() => {
			this.running = undefined;
		});
		return this.running;
	}

	dispose(): void {
		clearInterval(this.timer);
		this._onDidRepair.dispose();
		this._onDidFail.dispose();
	}

	private async lookAtAll(): Promise<void> {
		for (const driver of this.drivers) {
			try {
				await this.lookAt(driver);
			} catch (error) {
				this.tell(driver, errorText(error), error);
			}
		}
	}

	private async lookAt(driver: Driver): Promise<void> {
		const record = await this.records.of(driver.id);
		if (!record) return;
		const request = await this.requestFor(driver);
		// Somebody may be answering a question of the agent, which then writes the file itself. The next look tries again.
		if (!request || request.isBusy?.()) return;
		const state = await this.stateFor(record, request);
		if (this.settled.get(driver.id) === state) return;
		try {
			await this.repair(driver, request);
			this.told.delete(driver.id);
		} catch (error) {
			const code = error instanceof NancyError ? error.code : errorText(error);
			this.tell(driver, `${state} ${code}`, error);
			// A full disk or another Nancy at work is tried again; an unreadable file only after it has changed.
			if (code !== 'settings-broken') return;
		}
		this.settled.set(driver.id, state);
	}

	private async repair(driver: Driver, request: DeployRequest): Promise<void> {
		if ((await deploymentState(this.workspace, driver, request)) === 'ok') return;
		const { changed } = await deploy(this.workspace, driver, request);
		if (changed.length > 0) this._onDidRepair.fire({ driver, changed });
	}

	private tell(driver: Driver, key: string, error: unknown): void {
		if (this.told.get(driver.id) === key) return;
		this.told.set(driver.id, key);
		this._onDidFail.fire(error);
	}

	/** A cheap fingerprint of everything that a repair depends on: the present files, and the files to write. */
	private async stateFor(record: Deployment, { runtime, agentVersion }: DeployRequest): Promise<string> {
		const { folder } = this.workspace;
		const places = placesOf(record).map(place => join(folder, place));
		const launchFiles = record.launchFiles.map(({ file }) => join(this.records.launchFolder(record.driver), file));
		const signatures = await Promise.all([...places, ...launchFiles].map(place => signatureOf(place)));
		return [runtime.version, formatVersion(agentVersion), record.scope, ...signatures].join();
	}
}

async function signatureOf(file: string): Promise<string> {
	try {
		const { mtimeMs, size, ino } = await stat(file);
		return `${mtimeMs} ${size} ${ino}`;
	} catch (error) {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return 'none';
		throw error;
	}
}
