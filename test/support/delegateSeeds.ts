import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Delegate } from '../../src/core/delegates/delegate.ts';
import type { Delegates } from '../../src/core/delegates/delegates.ts';
import { Tickets } from '../../src/core/delegates/tickets.ts';
import { createWorktree } from '../../src/git/worktree.ts';
import { DelegateStatus, Limits, type DelegateRecord, type DelegateState } from '../../src/protocol/delegate.ts';
import { DriverId, TaskName, WorkerName } from '../../src/protocol/names.ts';
import { WorktreeName } from '../../src/protocol/worktree.ts';
import type { TempFolder } from './tempFolder.ts';

/** Runs git as a person would. */
export function gitIn(folder: string, ...args: readonly string[]): string {
	const person = ['-c', 'user.name=P', '-c', 'user.email=p@e.x', '-c', 'maintenance.auto=false'];
	return execFileSync('git', [...person, ...args], { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
}

/** A repository with these files in one commit. */
export function smallRepository(folder: TempFolder, files: Readonly<Record<string, string | Buffer>>): string {
	mkdirSync(folder.file('project'));
	const project = realpathSync(folder.file('project'));
	gitIn(project, 'init', '-q', '-b', 'main');
	for (const [name, content] of Object.entries(files)) {
		mkdirSync(dirname(join(project, name)), { recursive: true });
		writeFileSync(join(project, name), content);
	}
	gitIn(project, 'add', '--all');
	gitIn(project, 'commit', '-q', '--allow-empty', '-m', 'first');
	return project;
}

export interface DelegateSeed extends Partial<Omit<DelegateStatus, 'status'>> {
	title: string;
	state: DelegateState;
	group?: string;
	tearDown?: string;
	askedBy?: DelegateRecord['askedBy'];
	error?: string;
	/** In the workspace itself where absent. */
	place?: DelegateRecord['place'];
	on?: DelegateRecord['on'];
}

/** A delegate as its runner would have left it. */
export async function seedDelegate(store: Delegates, seed: DelegateSeed): Promise<Delegate> {
	const { title, state, group, tearDown, askedBy, error, place, on, ...status } = seed;
	const delegate = await store.create(
		{
			title,
			agent: DriverId.parse('claude-code'),
			permissions: 'default',
			place: place ?? { is: 'folder', folder: store.workspace.folder },
			limits: Limits.parse({}),
			task: TaskName.parse('delegates'),
			worker: WorkerName.parse('delegate-1'),
			...(group !== undefined && { group }),
			...(tearDown !== undefined && { tearDown }),
			...(askedBy && { askedBy }),
			...(on !== undefined && { on }),
		},
		title,
	);
	const { id } = delegate.record;
	const started_at = new Date(Date.now() - 130_000).toISOString();
	const isOver = state === 'done' || state === 'failed';
	const times = {
		...(state !== 'queued' && { started_at }),
		...(isOver && { ended_at: new Date().toISOString(), reported: true }),
	};
	await store.writeStatus(
		id,
		DelegateStatus.parse({
			task_id: id,
			status: state,
			...times,
			...(error !== undefined && { error }),
			...status,
		}),
	);
	if (isOver) {
		writeFileSync(delegate.files.output, 'It is so.');
		writeFileSync(delegate.files.done, error === undefined ? 'success\n' : `error: ${error}\n`);
	}
	return delegate;
}

/**
 * One that has ended in a worktree of its own, with these files changed there and not committed; `undefined` removes one.
 * @param dataFolder the user's, where the ticket is that makes it this user's own. Earlier versions did not seal its worktree
 */
export async function seedWorktree(
	store: Delegates,
	dataFolder: string,
	seed: Pick<DelegateSeed, 'title' | 'tearDown' | 'askedBy'>,
	files: Readonly<Record<string, string | Buffer | { link: string } | undefined>>,
	{ isWorktreeSealed = true } = {},
): Promise<{ delegate: Delegate; folder: string; branch: string }> {
	const place = { is: 'worktree', folder: store.workspace.folder, withChanges: false } as const;
	const delegate = await seedDelegate(store, { ...seed, place, state: 'done' });
	const { id } = delegate.record;
	const worktree = await createWorktree({
		folder: store.workspace.folder,
		name: WorktreeName.parse(id),
		withChanges: false,
		copyIncludes: false,
	});
	for (const [name, content] of Object.entries(files)) {
		const file = join(worktree.folder, name);
		if (content === undefined) rmSync(file);
		else if (typeof content === 'object' && 'link' in content) symlinkSync(content.link, file);
		else writeFileSync(file, content);
	}
	const asked = store.filesOfRequest(id);
	const contents = asked.map(file => readFileSync(file, 'utf8'));
	const tickets = new Tickets(dataFolder, store.workspace.folder);
	await tickets.issue(delegate.record, asked, contents);
	if (isWorktreeSealed) await tickets.made(id, worktree);
	await tickets.end(id, { isReported: true });
	// After its seals, as a runner does: a window reads the seals when the files change.
	await store.writeStatus(id, DelegateStatus.parse({ ...(await store.get(id)).status, worktree }));
	return { delegate, folder: worktree.folder, branch: worktree.branch };
}
