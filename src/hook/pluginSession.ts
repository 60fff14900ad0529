import { readSealed } from '../core/deployment/sealed.ts';
import { isPluginChosen } from '../core/sessions/pluginChoice.ts';
import { PluginSessions } from '../core/sessions/pluginSessions.ts';
import { hasHooksHere } from '../core/workspace/hooksChoice.ts';
import type { SessionId } from '../protocol/names.ts';
import type { Call } from './call.ts';

/** Whether the call comes from the hooks of a plugin: see plugin/door. */
export function isOfPlugin({ env }: Call): boolean {
	return env['NANCY_HOOK_DOOR'] === 'plugin';
}

/**
 * Whether the plugin that makes this call serves the session that begins. The folder's own settings do, if Nancy has written entries there:
 * then each event would come twice.
 */
export async function isServedByPlugin({ workspace, driver }: Call, session: SessionId): Promise<boolean> {
	const { own } = workspace;
	return new PluginSessions(own).begin(driver.id, session, async () => {
		if (!(await isPluginChosen(own)) || !(await hasHooksHere(workspace))) return false;
		const deployed = (await readSealed(own))?.deployments.find(each => each.driver === driver.id);
		return (deployed?.files ?? []).length === 0;
	});
}
