import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno } from '../../base/errors.ts';
import { Emitter } from '../../base/event.ts';
import type { Disposable } from '../../base/lifetime.ts';
import type { Driver } from '../driver.ts';
import type { Workspace } from '../workspace.ts';
import { deploy, deploymentState } from './deploy.ts';
import type { DeployRequest } from './job.ts';

/** How often files are looked at, in milliseconds: a stat of one file per agent. */
const PERIOD_MS = 3000;

export interface Kept {
	driver: Driver;
	/** What was written again, relative to the workspace folder. */
	changed: readonly string[];
}

/**
 * Looks after what is deployed while agents need it: another tool that rewrites a settings file, or an update of Nancy or of the
 * agent, must not leave a running task deaf. What was taken back on purpose (Clean Up) has no record and stays away.
 */
export class DeploymentKeeper implements Disposable {
	private readonly _onDidRepair = new Emitter<Kept>();
	readonly onDidRepair = this._onDidRepair.event;
	private readonly _onDidFail = new Emitter<unknown>();
	/** Told once for each state of the file that could not be repaired. */
	readonly onDidFail = this._onDidFail.event;
	private readonly seen = new Map<string, string>();
	private readonly timer: NodeJS.Timeout;
	private running: Promise<void> | undefined;

	/** @param requestFor what to deploy for an agent; `undefined` while no task needs it, or its CLI is not found */
	constructor(
		private readonly workspace: Workspace,
		private readonly drivers: readonly Driver[],
		private readonly requestFor: (driver: Driver) => Promise<DeployRequest | undefined>,
		periodMs: number = PERIOD_MS,
	) {
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
				this._onDidFail.fire(error);
			}
		}
	}

	private async lookAt(driver: Driver): Promise<void> {
		const record = (await this.workspace.config()).deployments.find(each => each.driver === driver.id);
		if (!record) return;
		const signature = (await Promise.all(record.files.map(({ file }) => this.signature(file)))).join();
		if (this.seen.get(driver.id) === signature) return;
		const request = await this.requestFor(driver);
		// Somebody may be answering a question of the agent, which then writes the file itself: looked at again next time.
		if (!request || request.isBusy?.()) return;
		this.seen.set(driver.id, signature);
		if ((await deploymentState(this.workspace, driver, request)) === 'ok') return;
		const { changed } = await deploy(this.workspace, driver, request);
		if (changed.length > 0) this._onDidRepair.fire({ driver, changed });
	}

	private async signature(file: string): Promise<string> {
		try {
			const { mtimeMs, size, ino } = await stat(join(this.workspace.folder, file));
			return `${mtimeMs} ${size} ${ino}`;
		} catch (error) {
			if (hasErrno(error, 'ENOENT')) return 'none';
			throw error;
		}
	}
}
