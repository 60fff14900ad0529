import { relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { Emitter } from '../../base/event.ts';
import type { FileProblem } from '../../core/files/fileProblem.ts';
import type { Folders } from '../folders.ts';
import type { Failures } from '../kit/failures.ts';
import type { Folder } from '../ports.ts';
import { SHARED_NOTES } from '../../protocol/memoryNames.ts';
import type { KnownProject, MemoryOperations } from './memoryPorts.ts';
import { placeIn } from './notePlaces.ts';

/** Changes of files that come together are read together, in milliseconds. */
const GATHER_MS = 150;
/** The same for files of the workspace, which agents may write many times. */
const FILES_MS = 1000;

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
	/**
	 * The watcher of the files that notes are about, and of the files that repositories bring. It is there only while there is a project.
	 */
	private files: vscode.Disposable | undefined;

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
		this.files?.dispose();
		clearTimeout(this.timer);
		this._onDidChange.dispose();
	}

	list(): readonly FolderMemory[] {
		return this.known;
	}

	/** Looks at the disk soon: also at the lines that notes are about. */
	touch(waitMs = GATHER_MS): void {
		this.timer ??= setTimeout(() => this.failures.background(this.refresh()), waitMs);
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
		this.followFiles();
		this._onDidChange.fire();
	}

	/** Agents, saves and checkouts change lines, and a pull may bring notes. */
	private followFiles(): void {
		this.files?.dispose();
		this.files = undefined;
		const places = this.known.flatMap(({ folder, projects }) =>
			projects.length === 0 ? [] : [{ root: folder.path, paths: pathsOf(projects) }],
		);
		if (places.length === 0) return;
		const isMeant = (file: string) =>
			places.some(({ root, paths }) => {
				const path = relative(root, file).replaceAll(sep, '/');
				return paths.has(path) || path.startsWith(`${SHARED_NOTES}/`);
			});
		const touch = ({ fsPath }: vscode.Uri) => {
			if (isMeant(fsPath)) this.touch(FILES_MS);
		};
		const watcher = vscode.workspace.createFileSystemWatcher('**/*');
		this.files = vscode.Disposable.from(
			watcher,
			watcher.onDidChange(touch),
			watcher.onDidCreate(touch),
			watcher.onDidDelete(touch),
		);
	}
}

/** The files that notes are about, relative to their folder. */
function pathsOf(projects: readonly KnownProject[]): ReadonlySet<string> {
	return new Set(
		projects.flatMap(({ known }) =>
			known.notes.flatMap(({ places }) => places.flatMap(place => placeIn(place)?.path ?? [])),
		),
	);
}
