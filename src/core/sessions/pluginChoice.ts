import * as z from 'zod/mini';
import type { OwnFolder } from '../files/ownFolder.ts';
import { PluginSessions } from '../deployment/pluginSessions.ts';

/** In the user's own records */
const CHOICE = 'plugin.json';

const PluginChoice = z.object({ version: z.literal(1) });

/** Whether a person lets agents' plugins serve the workspace. They run in every folder, so nothing else may decide. */
export async function isPluginChosen(own: OwnFolder): Promise<boolean> {
	return (await own.read(PluginChoice, CHOICE)) !== undefined;
}

/** Notes the choice of a person. */
export async function choosePlugin(own: OwnFolder): Promise<void> {
	await own.write({ version: 1 } satisfies z.infer<typeof PluginChoice>, CHOICE);
}

/** Takes it back, for sessions that run too. Returns whether there was one. */
export async function withdrawPlugin(own: OwnFolder): Promise<boolean> {
	const wasChosen = await isPluginChosen(own);
	await own.remove(CHOICE);
	await new PluginSessions(own).end(() => true);
	return wasChosen;
}
