import type * as vscode from 'vscode';
import type { DisposableStore } from '../../base/lifetime.ts';
import type { ContextKeys } from '../contextKeys.ts';
import type { Folders } from '../folders.ts';
import type { Failures } from '../kit/failures.ts';
import type { Views } from '../nancy.ts';
import type { MemoryOperations } from './memoryPorts.ts';
import { MemoryView } from './memoryView.ts';
import { noteNotices } from './noteNotices.ts';
import { NoteReviews } from './noteReviews.ts';
import { ProjectTerminals } from './projectTerminals.ts';
import { Remembered } from './remembered.ts';

export interface MemoryPartOptions {
	folders: Folders;
	projects: MemoryOperations;
	views: Views;
	keys: ContextKeys;
	failures: Failures;
	workspaceState: vscode.Memento;
	agentName: (driver: string) => string;
	/** Shows the first note that waits. */
	review: () => Promise<void>;
}

/** What the window has for the notes of projects. */
export function memoryPart(options: MemoryPartOptions, own: DisposableStore) {
	const { folders, views, keys, failures, workspaceState, agentName, review, projects } = options;
	const remembered = own.add(new Remembered(folders, projects, failures));
	const noteReviews = own.add(new NoteReviews(remembered, projects, keys, failures));
	const view = own.add(new MemoryView(remembered, folders, views.memory, agentName));
	own.add(noteNotices({ remembered, view: views.memory, told: workspaceState, failures, review }));
	own.add(remembered.onDidChange(() => keys.set('hasProjects', remembered.list().some(hasProjects))));
	return { view, remembered, noteReviews, projectTerminals: new ProjectTerminals(projects) };
}

function hasProjects({ projects, problems }: { projects: readonly unknown[]; problems: readonly unknown[] }): boolean {
	return projects.length + problems.length > 0;
}
