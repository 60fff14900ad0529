import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { hasCode, NancyError } from '../base/errors.ts';
import { phrase, type Phrase } from '../base/phrase.ts';
import { theDelegate } from '../core/workspace/named.ts';
import type { Delegates } from '../core/delegates/delegates.ts';
import { ownRequest } from '../core/delegates/ownRequest.ts';
import type { Tickets } from '../core/delegates/tickets.ts';
import { DelegateId } from '../protocol/delegate.ts';
import { idOfBranch, type Worktree } from '../protocol/worktree.ts';
import { BASE_REF, homeCheckout, madeFrom, topOf } from './homeCheckout.ts';
import { openWorktree, refOf } from './openWorktree.ts';

/**
 * A worktree that a delegate's status names, once it is certain that Nancy made it for that delegate. A writer of files in `.nancy` can
 * write a status. So the worktree to merge, open or remove must be proved: another folder or repository could have settings that run
 * programs. The user's sealed records name the repository and the base; the rest is as git itself records it.
 * @throws NancyError `not-trusted`; `git` if the repository is gone
 */
export async function ownWorktree(delegates: Delegates, tickets: Tickets, claimed: Worktree): Promise<Worktree> {
	const id = DelegateId.safeParse(idOfBranch(claimed.branch));
	const made = id.data && (await tickets.worktree(id.data));
	return provenWorktree(
		claimed,
		made?.repository ?? (await repositoryOf(delegates, tickets, id.data, claimed)),
		made?.base,
	);
}

/**
 * A worktree as git has it, once it is certain that Nancy made it in this repository.
 * @param root of the sealed record of its delegate or its task
 * @param sealedBase what it began with, by that record. Git's own word of it is in a folder that an agent in a sandbox can write
 * @throws NancyError `not-trusted`; `git` if the repository is gone
 */
export async function provenWorktree(claimed: Worktree, root: string, sealedBase?: string): Promise<Worktree> {
	if (claimed.repository !== root) throw notOwn(claimed, phrase`it was to be made in the repository ${root}`);
	const { own, isThere } = await openWorktree(claimed).catch((error: unknown) => {
		throw hasCode(error, 'bad-file') ? notOwn(claimed, phrase`it is not where Nancy makes worktrees`) : error;
	});
	if (!own && isThere) throw notOwn(claimed, phrase`git does not know it as a worktree of ${root}`);
	// Removed. Its branch may still be there, and so may the leftovers of an interrupted removal.
	if (!own) return { ...claimed, base: sealedBase ?? claimed.base };
	const base = sealedBase ?? (await refOf(own, BASE_REF));
	if (base === undefined) throw notOwn(claimed, phrase`git has no word of what it began with`);
	return { ...claimed, base };
}

/** The repository in which the delegate was to have a worktree, by its ticket: an earlier version ran it, and sealed no worktree. */
async function repositoryOf(
	delegates: Delegates,
	tickets: Tickets,
	id: DelegateId | undefined,
	claimed: Worktree,
): Promise<string> {
	const request = id && (await ownRequest(delegates, tickets, id));
	if (!request)
		throw notOwn(
			claimed,
			phrase`you did not start its delegate on this machine, or its record or prompt was changed since`,
		);
	const { place } = request.record;
	if (place.is !== 'worktree') throw notOwn(claimed, phrase`its delegate was to have none`);
	const root = await rootOf(place.folder);
	if (root === undefined) throw new NancyError('git', phrase`${place.folder} is in no git repository any more`);
	return root;
}

/**
 * {@link ownWorktree} of a delegate that has ended by the user's sealed records, whatever its files say: to be merged or removed.
 * @throws NancyError `busy` while it waits or works
 */
export async function endedWorktree(delegates: Delegates, tickets: Tickets, claimed: Worktree): Promise<Worktree> {
	const worktree = await ownWorktree(delegates, tickets, claimed);
	const id = DelegateId.parse(idOfBranch(worktree.branch));
	const facts = await tickets.facts(id);
	if (facts && !facts.end) throw new NancyError('busy', phrase`${theDelegate(id)} has not ended; stop it first`);
	return worktree;
}

/**
 * The git folder of the checkout beside its worktrees. If the folder itself is gone, the next one above is asked; if it was a worktree, the
 * checkout beside it.
 */
async function rootOf(folder: string): Promise<string | undefined> {
	if (!existsSync(folder) && dirname(folder) !== folder) return rootOf(madeFrom(folder) ?? dirname(folder));
	const top = await topOf(folder);
	return top === undefined ? undefined : homeCheckout(top);
}

function notOwn({ folder }: Worktree, why: Phrase): NancyError {
	return new NancyError('not-trusted', phrase`${folder} is not touched, because Nancy did not make it: ${why}`);
}
