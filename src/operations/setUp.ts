import * as z from 'zod/mini';
import { choosePlugin } from '../core/sessions/pluginChoice.ts';
import { permit } from '../core/asker/permit.ts';
import { SetupOutput } from '../protocol/output/deployment.ts';
import { chooseAgent, foundAgents } from './shared/agents.ts';
import { deployEach } from './shared/deployEach.ts';
import { keepSettings, requireHooks } from './shared/hooksChoice.ts';
import type { Operation } from './operation.ts';
import { refuseTracked } from '../git/refuseTracked.ts';

const Input = z.object({ agent: z.optional(z.string()), plugin: z.optional(z.boolean()) });

/**
 * Writes hooks and skills, also for sessions that the user starts: for one agent, or for every agent that is installed. With `plugin` it
 * writes nothing of the kind: agents' plugins serve the folder.
 */
export const setUp: Operation<z.infer<typeof Input>, SetupOutput> = {
	name: 'setUp',
	input: Input,
	output: SetupOutput,
	async permit(asker, _, context) {
		permit(asker, { is: 'change-settings', command: 'nancy setup' });
		await refuseTracked(context.workspace);
	},
	async run(asker, { agent, plugin }, context) {
		if (plugin) {
			const { workspace } = context;
			await requireHooks(context);
			await context.installRuntime();
			await workspace.prepare();
			await keepSettings(asker, context);
			await choosePlugin(workspace.own);
			return { folder: workspace.folder, agents: [], failed: [] };
		}
		const found = agent === undefined ? await foundAgents(context.env) : [];
		// If none is found, the choice of one says what to install.
		const chosen = found.length > 0 ? found : [await chooseAgent(asker, context.env, agent)];
		return deployEach(asker, context, chosen, 'workspace');
	},
};
