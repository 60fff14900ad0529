import * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { isTalkedWith } from '../core/driver/talkedWith.ts';
import { importNotes as importInto } from '../core/memory/notesImport.ts';
import { choosePlugin } from '../core/sessions/pluginChoice.ts';
import { manuals } from '../drivers/manuals.ts';
import { permit } from '../core/asker/permit.ts';
import type { Workspace } from '../core/workspace/workspace.ts';
import { seekerOf } from '../process/detect.ts';
import { SetupOutput } from '../protocol/output/deployment.ts';
import { chooseAgent, foundAgents } from './shared/agents.ts';
import { compileNotes } from './shared/compiledNotes.ts';
import { deployEach } from './shared/deployEach.ts';
import { keepSettings, requireHooks } from './shared/hooksChoice.ts';
import type { Operation } from './operation.ts';
import { isInLinkedWorktree } from '../git/mayTrack.ts';
import { refuseTracked } from '../git/refuseTracked.ts';

const Input = z.object({
	agent: z.optional(z.string()),
	plugin: z.optional(z.boolean()),
	importNotes: z.optional(z.boolean()),
});

/**
 * Writes hooks and skills, also for sessions that the user starts: for one agent, or for every agent that is installed. Only the settings of
 * the one count as seen then. With `plugin` it
 * writes nothing of the kind: agents' plugins serve the folder. With `importNotes` it only lets the manual that agents read import the notes.
 */
export const setUp: Operation<z.infer<typeof Input>, SetupOutput> = {
	name: 'setUp',
	input: Input,
	output: SetupOutput,
	async permit(asker, _, context) {
		permit(asker, { is: 'change-settings', command: 'nancy setup' });
		await refuseTracked(context.workspace);
	},
	async run(asker, { agent, plugin, importNotes }, context) {
		if (importNotes) {
			const { workspace } = context;
			await workspace.prepare();
			for (const manual of manuals) await importInto(workspace, manual);
			await compileNotes(context);
			return { folder: workspace.folder, agents: [], failed: [] };
		}
		if (plugin) {
			const { workspace } = context;
			refuseLinkedWorktree(workspace);
			await requireHooks(context);
			await context.installRuntime();
			await workspace.prepare();
			await keepSettings(asker, context);
			await choosePlugin(workspace.own);
			return { folder: workspace.folder, agents: [], failed: [] };
		}
		const all = agent === undefined ? await foundAgents(context, seekerOf(asker)) : [];
		const found = all.filter(({ driver }) => !isTalkedWith(driver));
		// If none is found, the choice of one says what to install.
		const chosen = found.length > 0 ? found : [await chooseAgent(asker, context, agent)];
		return deployEach(asker, context, chosen, { scope: 'workspace', isNamed: agent !== undefined });
	},
};

/** Agents there also run the hooks of the main checkout. Nancy may have written them, or may write them later. */
function refuseLinkedWorktree({ folder }: Workspace): void {
	if (!isInLinkedWorktree(folder)) return;
	throw new NancyError(
		'wrong-state',
		phrase`${folder} is in a linked worktree, where agents also run the hooks of the main checkout; with a plugin, each event could come twice. Run
			nancy setup in the main checkout instead`,
	);
}
