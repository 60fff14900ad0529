import { join } from 'node:path';
import { isInside } from '../../base/inside.ts';
import { realOr } from '../../base/realPath.ts';
import { isFolderOrLink, placeFrom, type Place } from '../workspace/placeFrom.ts';
import type { Asker, AskingAgent } from './asker.ts';
import { permit } from './permit.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * An agent's place is its own workspace, whatever its shell's folder: the one that Nancy started it in, else the workspace of its CLI's
 * folder.
 */
export function ownPlace({ worker, process, calledIn }: AskingAgent, env: Environment): Place {
	if (worker && isFolderOrLink(join(worker.folder, '.nancy')))
		return { folder: worker.folder, start: worker.folder, isWorkspace: true, isRepository: false };
	return placeFrom(process?.folder ?? calledIn, env);
}

/**
 * An agent works in its own workspace only. A folder between the workspace and the folder of its CLI is its own, too: it has no workspace of
 * another.
 * @throws NancyError `not-trusted`
 */
export function permitWorkIn(asker: Asker, workspaceFolder: string, env: Environment): void {
	if (asker.is === 'human') return;
	const { folder, start } = ownPlace(asker, env);
	const real = realOr(workspaceFolder);
	const isOwn = isInside(realOr(folder), real) && isInside(real, realOr(start));
	permit(asker, { is: 'work-in', folder: workspaceFolder, isOwn });
}
