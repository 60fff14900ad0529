import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { NancyError } from '../base/errors.ts';
import type { Delegates } from '../core/delegates/delegates.ts';
import { ownRequest } from '../core/delegates/ownRequest.ts';
import type { Tickets } from '../core/delegates/tickets.ts';
import { DelegateId } from '../protocol/delegate.ts';
import { idOfBranch, type Worktree } from '../protocol/worktree.ts';
import { BASE_REF, homeCheckout, madeFrom, topOf } from './homeCheckout.ts';
import { openWorktree, refOf } from './openWorktree.ts';

/**
 * A worktree that a delegate's status names, once it is certain that Nancy made it for that delegate. Whoever can write files in
 * `.nancy` can write a status; what is to be merged, opened or removed must be neither another folder nor another repository, whose
 * settings can run programs. What was asked for is under the user's ticket; the rest is as git itself has it, the base too.
 * @throws NancyError `not-trusted`; `git` where the repository is gone
 */
export async function ownWorktree(delegates: Delegates, tickets: Tickets, claimed: Worktree): Promise<Worktree> {
	const id = DelegateId.safeParse(idOfBranch(claimed.branch));
	const request = id.success ? await ownRequest(delegates, tickets, id.data) : undefined;
	if (!request)
		throw notOwn(
			claimed,
			'you did not start its delegate on this machine, or its record or prompt was changed since',
		);
	const { place } = request.record;
	if (place.is !== 'worktree') throw notOwn(claimed, 'its delegate was to have none');
	const root = await rootOf(place.folder);
	if (root === undefined) throw new NancyError('git', `${place.folder} is in no git repository any more`);
	if (claimed.repository !== root) throw notOwn(claimed, `its delegate was to work in the repository ${root}`);
	const { own, isThere } = await openWorktree(claimed).catch((error: unknown) => {
		throw error instanceof NancyError && error.code === 'bad-file'
			? notOwn(claimed, 'it is not where Nancy makes worktrees')
			: error;
	});
	if (!own && isThere) throw notOwn(claimed, `git does not know it as a worktree of ${root}`);
	// Removed: its branch may still be there, and so what a removal that was cut short has left.
	if (!own) return claimed;
	const base = await refOf(own, BASE_REF);
	if (base === undefined) throw notOwn(claimed, 'git has no word of what it began with');
	return { ...claimed, base };
}

/**
 * {@link ownWorktree} of a delegate that has ended by the user's own records, whatever its files say: to be merged or removed.
 * @throws NancyError `busy` while it waits or works
 */
export async function endedWorktree(delegates: Delegates, tickets: Tickets, claimed: Worktree): Promise<Worktree> {
	const worktree = await ownWorktree(delegates, tickets, claimed);
	const id = DelegateId.parse(idOfBranch(worktree.branch));
	const facts = await tickets.facts(id);
	if (facts && !facts.end) throw new NancyError('busy', `${id} has not ended; stop it first`);
	return worktree;
}

/**
 * Of the checkout that its worktrees stand beside. Where the folder itself is gone, asked from the next one above; where it was a
 * worktree, from the checkout beside it.
 */
async function rootOf(folder: string): Promise<string | undefined> {
	if (!existsSync(folder) && dirname(folder) !== folder) return rootOf(madeFrom(folder) ?? dirname(folder));
	const top = await topOf(folder);
	return top === undefined ? undefined : homeCheckout(top);
}

function notOwn({ folder }: Worktree, why: string): NancyError {
	return new NancyError(
		'not-trusted',
		`${folder} is not touched, for Nancy did not make it for this delegate: ${why}`,
	);
}
