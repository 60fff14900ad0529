import * as vscode from 'vscode';
import { dataFolder } from '../base/folders.ts';
import type { Delegates } from '../core/delegates/delegates.ts';
import { IN_WINDOW } from '../core/asker/asker.ts';
import type { DelegateRequest } from '../core/delegates/queueDelegate.ts';
import type { Tickets } from '../core/delegates/tickets.ts';
import type { DelegateId } from '../protocol/delegate.ts';
import type { DriverId } from '../protocol/names.ts';
import type { DelegateOperations, Folder, IsolationHere } from '../ui/ports.ts';
import { sentence } from '../ui/kit/format.ts';
import { translated } from '../ui/kit/translated.ts';
import * as operations from '../operations/index.ts';
import { perform } from '../operations/operation.ts';
import type { Workspace } from '../core/workspace/workspace.ts';
import { isolationHere } from '../operations/shared/isolation.ts';
import { lookAfterQueue } from '../operations/shared/lookAfterQueue.ts';
import { ticketsOf } from '../operations/shared/ticketsOf.ts';
import { operationContext, windowEnvironment, windowSettings, type WindowTools } from './operationContext.ts';

/** The window's way to the operations on delegates, and its look at their queue. No run belongs to a window. */
export class WindowDelegates implements DelegateOperations {
	constructor(private readonly tools: WindowTools) {}

	async isolation(folder: Folder): Promise<IsolationHere> {
		const { byDefault, obstacle } = await isolationHere(operationContext(folder, this.tools));
		return { byDefault, obstacle: obstacle && sentence(translated(obstacle)) };
	}

	async start(folder: Folder, { on, ...request }: DelegateRequest): Promise<DelegateId> {
		const context = operationContext(folder, this.tools);
		const input = { ...request, on: on === undefined ? undefined : [on] };
		return (await perform(await operations.delegate(), IN_WINDOW, input, context)).id;
	}

	async repeat(folder: Folder, id: DelegateId, remarks?: string): Promise<DelegateId> {
		const context = operationContext(folder, this.tools);
		return (await perform(await operations.repeatDelegate(), IN_WINDOW, { id, remarks }, context)).id;
	}

	async stop(folder: Folder, id: DelegateId): Promise<void> {
		await perform(await operations.stopDelegate(), IN_WINDOW, { id }, operationContext(folder, this.tools));
	}

	async resume(folder: Folder, agent: DriverId | undefined): Promise<number> {
		const context = operationContext(folder, this.tools);
		return (await perform(await operations.resumeDelegates(), IN_WINDOW, { agent }, context)).agents;
	}

	async delete(folder: Folder, id: DelegateId): Promise<void> {
		await perform(await operations.deleteDelegate(), IN_WINDOW, { id }, operationContext(folder, this.tools));
	}

	ticketsIn(workspace: Workspace): Tickets {
		return ticketsOf({ dataFolder: dataFolder(), workspace });
	}

	/** Starts waiting delegates, and ends those whose runner was killed. */
	async look(store: Delegates): Promise<void> {
		await lookAfterQueue(store, {
			dataFolder: dataFolder(),
			env: windowEnvironment(),
			isTrusted: vscode.workspace.isTrusted,
			readSettings: windowSettings,
			installRuntime: this.tools.installRuntime,
		});
	}
}
