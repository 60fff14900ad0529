import type { OperationContext } from '../operation.ts';

type Settings = Pick<OperationContext, 'settings' | 'workspace'>;

/** Whether agents get hooks: the user's choice, else the workspace's own. */
export async function hasHooks({ settings, workspace }: Settings): Promise<boolean> {
	return (settings.hooks ?? (await workspace.config()).hooks) !== 'off';
}

/** Writes the user's choice into the workspace's file, which the `nancy` command and agents read. */
export async function keepSettings({ settings, workspace }: Settings): Promise<void> {
	const config = await workspace.config();
	const threshold = settings.tokenThreshold ?? config.tokenThreshold;
	const hooks = settings.hooks ?? config.hooks;
	if (config.tokenThreshold === threshold && config.hooks === hooks) return;
	await workspace.updateConfig(known => ({ ...known, tokenThreshold: threshold, ...(hooks && { hooks }) }));
}
