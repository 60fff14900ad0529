import { dataFolder } from '../base/folders.ts';
import { withSafePath } from '../base/searchPath.ts';
import { SeenSettings } from '../core/asker/seenSettings.ts';
import { writtenSettings } from '../core/asker/writtenSettings.ts';
import { requirePlace } from '../core/delegates/requirePlace.ts';
import type { StatusWriter } from '../core/delegates/statusWriter.ts';
import type { Driver } from '../core/driver/driver.ts';
import { allowsAll } from '../core/driver/headlessOf.ts';
import type { FoundAgent } from '../core/driver/foundAgent.ts';
import { gitPrograms } from '../git/gitPrograms.ts';
import { setUp as runSetUp } from '../git/setUp.ts';
import { createWorktree, folderInWorktree } from '../git/worktree.ts';
import { putIgnored } from '../git/worktreeInclude.ts';
import type { HeadlessProgram } from '../process/headlessRun.ts';
import type { SettingsToSee } from '../process/seenRun.ts';
import type { DelegateRecord } from '../protocol/delegate.ts';
import { WorktreeName } from '../protocol/worktree.ts';
import { folderOf } from './folderOf.ts';
import { isolated, type IsolatedRun } from './isolation.ts';
import type { RunnerTools } from './runnerTools.ts';

/** Where a delegate works, and what its CLI reads there. An agent that has asked for it gains nothing by the place. */
export class DelegatePlace {
	constructor(
		private readonly workspaceFolder: string,
		private readonly record: DelegateRecord,
		private readonly tools: Pick<RunnerTools, 'env' | 'tickets' | 'signal'>,
	) {}

	/** An agent's delegate looks up no program where agents write. */
	get env(): RunnerTools['env'] {
		const { env } = this.tools;
		return this.record.askedBy?.is === 'agent' ? withSafePath(env) : env;
	}

	private get seen(): SeenSettings {
		return new SeenSettings(dataFolder(this.tools.env), this.workspaceFolder, gitPrograms);
	}

	/** Throws if this version of the CLI cannot work there as a delegate. */
	require({ driver, agent }: FoundAgent): void {
		const { folder, is } = this.record.place;
		requirePlace(driver, agent.version, { folder, isInWorktree: is === 'worktree' }, this.workspaceFolder);
	}

	/** The folder to work in. Makes the worktree, or takes the one that an earlier runner had made. */
	async folder(driver: Driver, status: StatusWriter, say: (text: string) => void): Promise<string> {
		const { place, id, setUp } = this.record;
		const folder = folderOf(this.record, this.workspaceFolder);
		if (place.is === 'folder') return folder;
		const worktree = await createWorktree({
			folder,
			name: WorktreeName.parse(id),
			withChanges: place.withChanges,
			// The asker could name a file there that only a rule with its present path keeps from it.
			copyIncludes: !this.isBounded(driver),
		});
		await this.tools.tickets.made(id, worktree);
		status.change({ worktree });
		await status.flush();
		// The user's rules for this folder, also those that deny.
		await putIgnored(folder, worktree.folder, await writtenSettings(this.seen, driver, folder));
		await runSetUp(worktree, setUp, { signal: this.tools.signal, mark: id, say });
		return folderInWorktree(worktree, folder);
	}

	/**
	 * The same program in the delegate's sandbox, if it has one.
	 * @throws NancyError if it cannot be isolated: it must not run then
	 */
	async isolated(
		program: HeadlessProgram,
		run: Omit<IsolatedRun, 'env' | 'isInWorktree' | 'named'>,
	): Promise<HeadlessProgram> {
		const { isolate, place } = this.record;
		if (isolate === undefined) return program;
		return isolated(isolate, program, { ...run, named: [], env: this.env, isInWorktree: place.is === 'worktree' });
	}

	/** The asker may have written settings since the queueing. */
	settingsToSee(driver: Driver): SettingsToSee | undefined {
		if (!this.isBounded(driver)) return undefined;
		const { seen, workspaceFolder, record } = this;
		return { seen, driver, workspaceFolder, isInOwnWorktree: record.place.is === 'worktree' };
	}

	/** An agent asked, so it must not gain by the delegate. It gains nothing by a delegate with every permission: only the user gives these. */
	private isBounded(driver: Driver): boolean {
		const { askedBy, permissions } = this.record;
		return askedBy?.is === 'agent' && !allowsAll(driver, permissions);
	}
}
