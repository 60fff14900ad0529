import * as vscode from 'vscode';
import { Emitter } from '../../base/event.ts';
import type { FileProblem } from '../../core/files/fileProblem.ts';
import type { Folders } from '../folders.ts';
import type { Failures } from '../kit/failures.ts';
import type { Folder } from '../ports.ts';
import type { KnownProject, MemoryOperations } from './memoryPorts.ts';

/** Changes of files that come together are read together, in milliseconds. */
const GATHER_MS = 150;

/** The projects of a folder. */
export interface FolderMemory {
	readonly folder: Folder;
	readonly projects: readonly KnownProject[];
	readonly problems: readonly FileProblem[];
}

/** What Nancy remembers of the window's folders, as it is on disk. Nothing in Restricted Mode. */
export class Remembered implements vscode.Disposable {
	private readonly _onDidChange = new Emitter<void>();
	readonly onDidChange = this._onDidChange.event;
	private known: readonly FolderMemory[] = [];
	private look = '';
	private timer: NodeJS.Timeout | undefined;
	private reading: Promise<void> = Promise.resolve();
	private readonly following: vscode.Disposable;

	constructor(
		private readonly folders: Pick<Folders, 'list' | 'onDidChange'>,
		private readonly operations: Pick<MemoryOperations, 'projects' | 'watch'>,
		private readonly failures: Pick<Failures, 'background'>,
	) {
		const touch = () => this.touch();
		this.following = vscode.Disposable.from(
			operations.watch(touch),
			vscode.workspace.onDidChangeWorkspaceFolders(touch),
			vscode.workspace.onDidGrantWorkspaceTrust(touch),
		);
		touch();
	}

	dispose(): void {
		this.following.dispose();
		clearTimeout(this.timer);
		this._onDidChange.dispose();
	}

	list(): readonly FolderMemory[] {
		return this.known;
	}

	/** Looks at the disk soon: also at the lines that notes are about. */
	touch(): void {
		this.timer ??= setTimeout(() => this.failures.background(this.refresh()), GATHER_MS);
	}

	/** Looks at the disk now. For changes that this window has just made. */
	refresh(): Promise<void> {
		clearTimeout(this.timer);
		this.timer = undefined;
		this.reading = this.reading.catch(() => undefined).then(() => this.read());
		return this.reading;
	}

	private async read(): Promise<void> {
		const folders = vscode.workspace.isTrusted ? this.folders.list() : [];
		const found = await Promise.all(
			folders.map(async folder => ({ folder, ...(await this.operations.projects(folder)) })),
		);
		const look = JSON.stringify(found.map(({ folder, ...rest }) => [folder.path, rest]));
		if (look === this.look) return;
		this.look = look;
		// Two folders of one repository have the same projects, with other lines.
		this.known = found;
		this._onDidChange.fire();
	}
}
