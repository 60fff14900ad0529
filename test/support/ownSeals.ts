import { join } from 'node:path';
import { OwnFolder } from '../../src/core/files/ownFolder.ts';
import { Seals } from '../../src/core/mailbox/seals.ts';
import { FIRST_WORKER, TaskName } from '../../src/protocol/names.ts';

/** The seals of a mailbox that stands for itself below `root`, in which the user's data folder is too. */
export function ownSeals(root: string): Seals {
	return new Seals(new OwnFolder(join(root, 'data'), root), TaskName.parse('login'), FIRST_WORKER);
}
