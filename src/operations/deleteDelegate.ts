import * as z from 'zod/mini';
import { Delegates } from '../core/delegates/delegates.ts';
import { deleteDelegate as deleteOne } from '../core/delegates/deleteDelegate.ts';
import { refuseTracked } from '../git/refuseTracked.ts';
import { DelegateId } from '../protocol/delegate.ts';
import type { Operation } from './operation.ts';
import { permitDelegate } from './shared/permitDelegate.ts';
import { ticketsOf } from './shared/ticketsOf.ts';

const Input = z.object({ id: DelegateId });
const Output = z.object({});

/** Deletes an ended delegate, except its worktree: the caller has decided about that. */
export const deleteDelegate: Operation<z.infer<typeof Input>, z.infer<typeof Output>> = {
	name: 'deleteDelegate',
	input: Input,
	output: Output,
	async permit(asker, { id }, context) {
		await permitDelegate('delete-delegate', id, asker, context);
	},
	async run(_, { id }, context) {
		const { workspace } = context;
		await deleteOne(new Delegates(workspace), ticketsOf(context), id, () => refuseTracked(workspace));
		return {};
	},
};
