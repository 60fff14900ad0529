import type * as vscode from 'vscode';
import type { DisposableStore } from '../base/lifetime.ts';
import type { Interrupt } from '../core/driver/driver.ts';
import type { LimitOf } from '../core/mailbox/held.ts';
import type { Reader } from '../core/mailbox/whenRead.ts';
import type { ContextKeys } from './contextKeys.ts';
import type { CommandId } from './contributions.ts';
import type { DeskOperations } from './desk/deskPorts.ts';
import type { ExecutorOperations } from './executors/executorPorts.ts';
import type { Failures } from './kit/failures.ts';
import type { Folders } from './folders.ts';
import type { MemoryOperations } from './memory/memoryPorts.ts';
import type { Views } from './nancy.ts';
import type { Folder, Operations } from './ports.ts';
import type { Terminals } from './tasks/terminals.ts';

export interface WindowParts {
	context: vscode.ExtensionContext;
	views: Views;
	failures: Failures;
	operations: Operations;
	desk: DeskOperations;
	projects: MemoryOperations;
	executors: ExecutorOperations;
	openFolder: (path: string, name: string) => Folder;
	agentName: (driver: string) => string;
	agentShortName: (driver: string) => string;
	/** How a permission mode of a delegate is called. */
	modeName: (driver: string, mode: string) => string;
	limitOf: LimitOf;
	readerOf: (agent: string) => Reader | undefined;
	interruptOf: (agent: string) => Interrupt | 'none';
	/** Whether an agent's CLI can begin a conversation as a copy of another. */
	canFork: (agent: string) => boolean;
}

/** What each part of a window needs of the rest. */
export interface Frame {
	parts: WindowParts;
	own: DisposableStore;
	folders: Folders;
	terminals: Terminals;
	keys: ContextKeys;
	/** What a person has chosen for these rows. May throw: see `Failures.guard`. */
	run: (command: CommandId, rows: readonly unknown[]) => Promise<void> | void;
}
