import * as z from 'zod/mini';
import type { Workspace } from './workspace.ts';

/** In the user's own records */
const HOOKS_OFF = 'hooks-off.json';

const HooksOff = z.object({ version: z.literal(1) });

/**
 * Whether agents get hooks here. `"hooks": "off"` in `config.json` counts only if a person has said so too: agents write there, and an agent
 * without hooks gets no halt.
 */
export async function hasHooksHere(workspace: Workspace): Promise<boolean> {
	return (await workspace.config()).hooks !== 'off' || (await workspace.own.read(HooksOff, HOOKS_OFF)) === undefined;
}

/** Notes the choice of a person. */
export async function noteHooksChoice({ own }: Workspace, choice: 'on' | 'off'): Promise<void> {
	if (choice === 'off') await own.write({ version: 1 } satisfies z.infer<typeof HooksOff>, HOOKS_OFF);
	else await own.remove(HOOKS_OFF);
}
