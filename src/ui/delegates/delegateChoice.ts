import { resolve } from 'node:path';
import type { DelegateRequest } from '../../core/delegates/queueDelegate.ts';
import type { IsolationChoice } from '../../protocol/isolation.ts';
import { machineOf, type Location, type StartChoice } from '../start/startChoice.ts';

/** How a prompt is delegated. */
export interface DelegateChoice extends StartChoice, Location {
	/** Folder to work in, relative to the workspace folder. Empty: the workspace folder itself. */
	within: string;
	wallMinutes: number;
	idleMinutes: number;
	/** The sandbox. Absent: as the user has set it, for the machine or for all. */
	isolate?: IsolationChoice | undefined;
	/** The group of the delegates that were started earlier with the same prompt. */
	group?: string | undefined;
}

/** The parts of a request that do not depend on the agent. */
export function placeAndLimits(
	{ place, on, within, wallMinutes, idleMinutes, isolate }: DelegateChoice,
	workspace: string,
): Pick<DelegateRequest, 'folder' | 'worktree' | 'limits' | 'on' | 'isolate'> {
	return {
		on: machineOf({ place, on }),
		isolate,
		folder: resolve(workspace, within),
		worktree: place === 'folder' ? undefined : { withChanges: place === 'worktreeWithChanges' },
		limits: { wallSeconds: wallMinutes * 60, idleSeconds: idleMinutes * 60 },
	};
}
