import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identify, type ProcessIdentity } from '../../src/base/liveness.ts';
import { Tickets } from '../../src/core/delegates/tickets.ts';
import { OwnFolder } from '../../src/core/files/ownFolder.ts';
import { cleanUpElsewhere } from '../../src/delegates/cleanUpElsewhere.ts';
import { Here } from '../../src/executors/here.ts';
import { JobFiles, remoteRoot } from '../../src/executors/jobFiles.ts';
import { ShellExecutor } from '../../src/executors/shellExecutor.ts';
import { steps, workingFolderThere } from '../../src/executors/there.ts';
import { createWorktree } from '../../src/git/worktree.ts';
import { DelegateId } from '../../src/protocol/delegate.ts';
import { ExecutorId } from '../../src/protocol/executorId.ts';
import type { RemoteJob } from '../../src/protocol/remoteJob.ts';
import { WorktreeName } from '../../src/protocol/worktree.ts';
import { smallRepository } from './delegateSeeds.ts';
import { folderMachine } from './folderMachine.ts';
import type { TempFolder } from './tempFolder.ts';

export const LAB = ExecutorId.parse('ssh:lab');
/** Of no process since this machine was started. */
export const DEAD: ProcessIdentity = { ...identify(process.pid), startedTicks: 1 };

/** The other machine is this one, with its files in the home folder of the environment. Its steps and git are the real ones. */
export function realExecutor(): ShellExecutor {
	const version = '1-a';
	const folder = join(remoteRoot(), 'nancy/runtime', version);
	mkdirSync(folder, { recursive: true });
	return new ShellExecutor(new Here(steps), { folder, version });
}

/** As the next process does that reaches the machine. Returns what it says. */
export async function cleanUpLeft(data: string, project: string): Promise<string[]> {
	const said: string[] = [];
	await cleanUpElsewhere(new Tickets(data, project), LAB, realExecutor(), text => void said.push(text));
	return said;
}

/** A job with `made.txt` in its worktree on that machine, not committed. Its delegate was given up and deleted. */
export async function leftElsewhere(folder: TempFolder, repository?: string, of = '20261129t101538501z-4cc50010') {
	const data = folder.file('data');
	const project = repository ?? smallRepository(folder, { 'a.txt': 'one' });
	const id = DelegateId.parse(of);
	const name = WorktreeName.parse(id);
	const worktree = await createWorktree({ folder: project, name, withChanges: false, copyIncludes: false });
	const job: RemoteJob = { ...folderMachine('').job, id, base: worktree.base };
	const note = { version: 1, on: LAB, repository: job.repository, worktree, runner: DEAD };
	await new OwnFolder(data, project).write(note, 'elsewhere', id);
	const files = new JobFiles(id);
	mkdirSync(files.fence, { recursive: true });
	await realExecutor().prepare(job, worktree, new AbortController().signal);
	const there = await workingFolderThere(job, files);
	writeFileSync(join(there, 'made.txt'), 'there');
	return { data, project, job, worktree, files, clean: () => cleanUpLeft(data, project) };
}
