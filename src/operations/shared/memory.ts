import { join } from 'node:path';
import { configFolder } from '../../base/folders.ts';
import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { realOr } from '../../base/realPath.ts';
import { keepProgramsOutOf } from '../../base/searchPath.ts';
import type { ProjectMemory } from '../../core/memory/memory.ts';
import type { Checkout } from '../../core/memory/state.ts';
import { agentsFolders, placeFrom } from '../../core/workspace/placeFrom.ts';
import { branchRef, headOf } from '../../git/gitTree.ts';
import { checkoutAt } from '../../git/homeCheckout.ts';
import { statusOf } from '../../git/repository.ts';
import type { NoteId, ProjectName } from '../../protocol/memoryNames.ts';
import type { MachineContext } from '../operation.ts';

/** What is remembered of projects, in the user's config folder. Loaded when it is used. */
export async function openMemory(env: MachineContext['env']): Promise<ProjectMemory> {
	const memory = await import('../../core/memory/memory.ts');
	return new memory.ProjectMemory(configFolder(env));
}

/** The only project in which something of this id waits or is a note. @throws NancyError `no-task`, or `bad-usage` if there are several */
export async function projectHaving(
	memory: ProjectMemory,
	id: NoteId,
	named: ProjectName | undefined,
): Promise<ProjectName> {
	const [project, other] = named === undefined ? await memory.having(id) : [named];
	if (project === undefined) throw new NancyError('no-task', phrase`no project has anything with the id ${id}`);
	if (other === undefined) return project;
	throw new NancyError('bad-usage', phrase`${id} is in ${project} and in ${other}; say which with --project`);
}

/** Whether a folder has changes that are in no commit. `undefined` outside of git, or if git cannot be trusted there. */
export async function isDirty(folder: string): Promise<boolean | undefined> {
	try {
		const { files } = await statusOf(await checkoutAt(folder));
		return files.length > 0;
	} catch {
		return undefined;
	}
}

/** Where a task works. Outside of git, or if git cannot be trusted there, the folder itself is the repository. */
export async function memoryPlace(folder: string): Promise<Checkout> {
	// Some who ask know of no workspace.
	keepProgramsOutOf(agentsFolders(placeFrom(folder, {}).folder));
	try {
		const checkout = await checkoutAt(folder);
		const [ref, commit] = await Promise.all([branchRef(checkout), headOf(checkout)]);
		const branch = ref?.replace(/^refs\/heads\//, '');
		return { folder, repository: checkout.common, branch, commit, head: join(checkout.gitDir, 'HEAD') };
	} catch {
		return { folder, repository: realOr(folder), branch: undefined, commit: undefined };
	}
}
