import { join } from 'node:path';
import { configFolder } from '../../base/folders.ts';
import { realOr } from '../../base/realPath.ts';
import type { ProjectMemory } from '../../core/memory/memory.ts';
import type { Checkout } from '../../core/memory/state.ts';
import { branchRef, headOf } from '../../git/gitTree.ts';
import { checkoutAt } from '../../git/homeCheckout.ts';
import type { MachineContext } from '../operation.ts';

/** What is remembered of projects, in the user's config folder. Loaded when it is used. */
export async function openMemory(env: MachineContext['env']): Promise<ProjectMemory> {
	const memory = await import('../../core/memory/memory.ts');
	return new memory.ProjectMemory(configFolder(env));
}

/** Where a task works. Outside of git, or if git cannot be trusted there, the folder itself is the repository. */
export async function memoryPlace(folder: string): Promise<Checkout> {
	try {
		const checkout = await checkoutAt(folder);
		const [ref, commit] = await Promise.all([branchRef(checkout), headOf(checkout)]);
		const branch = ref?.replace(/^refs\/heads\//, '');
		return { folder, repository: checkout.common, branch, commit, head: join(checkout.gitDir, 'HEAD') };
	} catch {
		return { folder, repository: realOr(folder), branch: undefined, commit: undefined };
	}
}
