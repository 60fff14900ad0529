import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import { configFolder } from '../base/folders.ts';
import type { Disposable } from '../base/lifetime.ts';
import { IN_WINDOW } from '../core/asker/asker.ts';
import { watch } from '../core/live/watch.ts';
import * as operations from '../operations/index.ts';
import { perform } from '../operations/operation.ts';
import type { NoteId, ProjectName, ProjectStatus } from '../protocol/memoryNames.ts';
import type { ExtractedOutput, FolderProjectsOutput, ProposalOutput } from '../protocol/output/memory.ts';
import type { MemoryOperations, OwnNote, Session, SessionStart } from '../ui/memory/memoryPorts.ts';
import type { Folder } from '../ui/ports.ts';
import { delegateVariables, operationContext, windowEnvironment, type WindowTools } from './operationContext.ts';

/** The window's way to the operations on projects. */
export class WindowMemory implements MemoryOperations {
	constructor(private readonly tools: WindowTools) {}

	async projects(folder: Folder): Promise<FolderProjectsOutput> {
		return perform(await operations.folderProjects(), IN_WINDOW, { folder: folder.path }, machine());
	}

	watch(onChange: () => void): Disposable {
		const root = join(configFolder(), 'projects');
		return watch(root, onChange, { onReady: onChange, ignore: folder => basename(folder) === 'lock' });
	}

	async remember(folder: Folder, project: ProjectName): Promise<void> {
		// By its `.nancy` the next window knows that Nancy is used here.
		await folder.workspace.prepare();
		await perform(await operations.startProject(), IN_WINDOW, { project }, operationContext(folder, this.tools));
	}

	async setStatus(project: ProjectName, status: ProjectStatus): Promise<void> {
		await perform(await operations.projects(), IN_WINDOW, { project, status }, machine());
	}

	async proposal(project: ProjectName, id: NoteId): Promise<ProposalOutput> {
		return perform(await operations.noteProposal(), IN_WINDOW, { project, id }, machine());
	}

	async review(
		action: 'accept' | 'reject' | 'retire' | 'pin',
		project: ProjectName,
		id: NoteId,
		words?: string,
	): Promise<void> {
		await perform(await operations.reviewNote(), IN_WINDOW, { action, project, id, words }, machine());
	}

	async share(folder: Folder, project: ProjectName, id: NoteId): Promise<string> {
		const input = { project, id, folder: folder.path };
		return (await perform(await operations.shareNote(), IN_WINDOW, input, machine())).file;
	}

	async add(folder: Folder, project: ProjectName, note: OwnNote): Promise<void> {
		await perform(await operations.addNote(), IN_WINDOW, { ...note, project, folder: folder.path }, machine());
	}

	async extract(
		folder: Folder,
		project: ProjectName,
		task: { task: number; again: boolean } | undefined,
		signal: AbortSignal,
	): Promise<ExtractedOutput> {
		const context = { ...operationContext(folder, this.tools), signal };
		return perform(await operations.extractNotes(), IN_WINDOW, { again: false, ...task, project }, context);
	}

	async session({ project, agent, permissions, task }: Session): Promise<SessionStart> {
		const { bin } = await this.tools.installRuntime();
		// A prompt may begin with a dash.
		const options = { agent, permissions, task };
		const args = Object.entries(options).flatMap(([name, value]) =>
			value === undefined ? [] : [`--${name}=${value}`],
		);
		return { command: join(bin, 'nancy'), args: ['start', project, ...args], env: delegateVariables() };
	}
}

function machine() {
	return { env: windowEnvironment(), isTrusted: vscode.workspace.isTrusted };
}
