import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { configFolder, dataFolder } from '../base/folders.ts';
import { deleteDelegate } from '../core/delegates/deleteDelegate.ts';
import { Delegates } from '../core/delegates/delegates.ts';
import { IN_WINDOW } from '../core/asker/asker.ts';
import { queueDelegate, type DelegateRequest } from '../core/delegates/queueDelegate.ts';
import { requirePlace } from '../core/delegates/requirePlace.ts';
import { swarmOf } from '../core/delegates/swarm.ts';
import { Tickets } from '../core/delegates/tickets.ts';
import type { Runtime } from '../core/deployment/runtime.ts';
import { UserSettingsFile } from '../core/files/userSettings.ts';
import { driverById, drivers } from '../drivers/index.ts';
import { lookAtQueue, stopDelegate } from '../delegates/delegateQueue.ts';
import { programVariable } from '../process/detect.ts';
import { refuseTracked } from '../git/refuseTracked.ts';
import { requireRepository } from '../git/repository.ts';
import type { DelegateId } from '../protocol/delegate.ts';
import type { DriverId } from '../protocol/names.ts';
import type { Workspace } from '../core/workspace/workspace.ts';
import type { DelegateOperations, Folder } from '../ui/ports.ts';
import { agentPath, delegateHost, maximumDelegates, swarmWorker } from '../ui/settings.ts';
import { requireTrust } from '../ui/trust.ts';
import { noteSeen } from './seen.ts';
import { keepSettings } from './settings.ts';

/** The window's side of the delegates: it queues, and looks that the queue goes on. What runs belongs to no window. */
export class WindowDelegates implements DelegateOperations {
	/** @param tell of a failure that stands in nobody's way */
	constructor(
		private readonly runtime: () => Promise<Runtime>,
		private readonly tell: (error: unknown) => void,
	) {}

	async start(folder: Folder, request: DelegateRequest): Promise<DelegateId> {
		requireTrust();
		await refuseTracked(folder.workspace);
		const driver = driverById(request.agent);
		const { folder: place, worktree } = request;
		if (driver)
			requirePlace(driver, { folder: place, isInWorktree: worktree !== undefined }, folder.workspace.folder);
		if (driver) await noteSeen(driver, folder, this.tell);
		if (worktree) await requireRepository(place);
		// Its runner is no part of this window.
		await keepSettings(folder);
		const store = new Delegates(folder.workspace);
		// Here for whatever asked for it, as the command does: only a repeated one brings a name along.
		const swarm = swarmOf({ again: request.swarm }, process.env, { swarmWorker: swarmWorker(folder.path) });
		const commands = request.worktree && !request.setUp && !request.tearDown && (await worktreeCommands(folder));
		const { record } = await queueDelegate(store, ticketsOf(folder.workspace), IN_WINDOW, {
			...request,
			...commands,
			swarm,
		});
		// It is queued: who tried again because of this would queue it twice. Another look follows anyway.
		await this.look(store).catch(this.tell);
		return record.id;
	}

	isOwn({ workspace }: Folder, id: DelegateId): Promise<boolean> {
		return ticketsOf(workspace).isValid(id, new Delegates(workspace).filesOfRequest(id));
	}

	async stop(folder: Folder, id: DelegateId): Promise<void> {
		requireTrust();
		await stopDelegate(new Delegates(folder.workspace), ticketsOf(folder.workspace), id);
	}

	async resume(folder: Folder, agent: DriverId | undefined): Promise<number> {
		requireTrust();
		// Nancy is not used there: nothing waits, and nothing is to be made.
		if (!existsSync(folder.workspace.paths.root)) return 0;
		await refuseTracked(folder.workspace);
		const store = new Delegates(folder.workspace);
		const agents = await store.locked(() => store.unpark(agent));
		// Another look follows anyway.
		await this.look(store).catch(this.tell);
		return agents.length;
	}

	async delete(folder: Folder, id: DelegateId): Promise<void> {
		requireTrust();
		const { workspace } = folder;
		await deleteDelegate(new Delegates(workspace), ticketsOf(workspace), id, () => refuseTracked(workspace));
	}

	/** Starts what may start, and ends what a killed runner left open. */
	async look(store: Delegates): Promise<void> {
		requireTrust();
		const { bin } = await this.runtime();
		await lookAtQueue(store, {
			tickets: ticketsOf(store.workspace),
			nancy: join(bin, 'nancy'),
			cap: maximumDelegates(),
			env: delegateVariables(),
		});
	}
}

function ticketsOf({ folder }: Workspace): Tickets {
	return new Tickets(dataFolder(), folder);
}

/** As the `nancy` command takes them: of one folder, they stand only in the file that the user writes by hand. */
async function worktreeCommands({ path }: Folder): Promise<Pick<DelegateRequest, 'setUp' | 'tearDown'>> {
	const { worktreeSetUp, worktreeTearDown } = await new UserSettingsFile(configFolder()).forFolder(path);
	return { setUp: worktreeSetUp || undefined, tearDown: worktreeTearDown || undefined };
}

/**
 * What the `nancy` command needs to know of the window's settings: runners and agents' terminals inherit it. What can change while
 * they run, as how many may, stands in the settings file alone.
 */
export function delegateVariables(): Readonly<Record<string, string>> {
	const programs = drivers.flatMap(({ id }) => {
		const path = agentPath(id);
		return path === undefined ? [] : [[programVariable(id), path] as const];
	});
	return { ...Object.fromEntries(programs), NANCY_DELEGATES_HOST: delegateHost() };
}
