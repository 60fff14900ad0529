import { IN_WINDOW } from '../core/asker/asker.ts';
import * as operations from '../operations/index.ts';
import { perform } from '../operations/operation.ts';
import type { Executor } from '../protocol/output/executors.ts';
import type { ExecutorOperations } from '../ui/executors/executorPorts.ts';
import type { Folder } from '../ui/ports.ts';
import { operationContext, type WindowTools } from './operationContext.ts';

/** The window's way to the operations on other machines. */
export class WindowExecutors implements ExecutorOperations {
	constructor(private readonly tools: WindowTools) {}

	list(folder: Folder): Promise<readonly Executor[]> {
		return this.ask(folder, { names: [], isProbed: false });
	}

	probe(folder: Folder, names: readonly string[]): Promise<readonly Executor[]> {
		return this.ask(folder, { names: [...names], isProbed: true });
	}

	async name(folder: Folder, name: string, host: string): Promise<string> {
		const context = operationContext(folder, this.tools);
		return (await perform(await operations.nameExecutor(), IN_WINDOW, { name, host }, context)).file;
	}

	private async ask(folder: Folder, input: { names: string[]; isProbed: boolean }): Promise<readonly Executor[]> {
		const context = operationContext(folder, this.tools);
		return (await perform(await operations.listExecutors(), IN_WINDOW, input, context)).executors;
	}
}
