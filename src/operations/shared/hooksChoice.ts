import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import type { Asker } from '../../core/asker/asker.ts';
import { hasHooksHere, noteHooksChoice } from '../../core/workspace/hooksChoice.ts';
import type { OperationContext } from '../operation.ts';

/** Whether agents get hooks: the user's choice, else the workspace's own. */
export async function hasHooks({
	settings,
	workspace,
}: Pick<OperationContext, 'settings' | 'workspace'>): Promise<boolean> {
	return settings.hooks === undefined ? hasHooksHere(workspace) : settings.hooks === 'on';
}

/** @throws NancyError `wrong-state` if agents get none */
export async function requireHooks(context: Pick<OperationContext, 'settings' | 'workspace'>): Promise<void> {
	if (await hasHooks(context)) return;
	const { config } = context.workspace.paths;
	throw new NancyError(
		'wrong-state',
		phrase`hooks are off here ("hooks" in ${config}, from VS Code's nancy.hooks); turn them on and try again`,
	);
}

/** Writes the user's choice into the workspace's file, which the `nancy` command and agents read. Seals it, if a person asks. */
export async function keepSettings(
	asker: Asker,
	{ settings, workspace, note }: Pick<OperationContext, 'settings' | 'workspace' | 'note'>,
): Promise<void> {
	const config = await workspace.config();
	const threshold = settings.tokenThreshold ?? config.tokenThreshold;
	const hooks = settings.hooks ?? config.hooks;
	if (config.tokenThreshold !== threshold || config.hooks !== hooks)
		await workspace.updateConfig(known => ({ ...known, tokenThreshold: threshold, ...(hooks && { hooks }) }));
	if (asker.is === 'agent') return;
	if (hooks !== 'off') await noteHooksChoice(workspace, 'on');
	else if (settings.hooks === 'off') await noteHooksChoice(workspace, 'off');
	else if (await hasHooksHere(workspace))
		note(
			`"hooks": "off" in ${workspace.paths.config} does not count, because an agent may have written it; ` +
				'if you want that, set nancy.hooks in VS Code, or start each agent with --no-hooks',
		);
}
