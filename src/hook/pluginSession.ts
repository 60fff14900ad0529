import { readSealed } from '../core/files/sealedDeployments.ts';
import { isPluginChosen } from '../core/sessions/pluginChoice.ts';
import { PluginSessions } from '../core/deployment/pluginSessions.ts';
import { hasHooksHere } from '../core/workspace/hooksChoice.ts';
import { isInLinkedWorktree } from '../git/mayTrack.ts';
import type { SessionId } from '../protocol/names.ts';
import type { Call } from './call.ts';

/**
 * Whether a call may do anything. One by the hooks of a plugin (see plugin/door) may only for a session that the plugin serves: they run in every
 * folder. Whatever fails here says no, because a complaint would be a file in a folder that nobody chose.
 * @param input the event, which may begin a session
 */
export async function mayAct(call: Call, input: string): Promise<boolean> {
	if (call.env['NANCY_HOOK_DOOR'] !== 'plugin') return true;
	try {
		const begun = beginningIn(call, input);
		if (begun !== undefined) return await begin(call, begun);
		return call.session !== undefined && (await new PluginSessions(call.workspace.own).serves(call.session));
	} catch {
		return false;
	}
}

/** The session that begins with an event, if one does. An unreadable event begins none. */
function beginningIn({ driver, event, env }: Call, input: string): SessionId | undefined {
	try {
		const read = driver.hooks.read({ event, payload: JSON.parse(input), env });
		return read !== 'silent' && read.kind === 'session-start' ? read.session : undefined;
	} catch {
		return undefined;
	}
}

/**
 * The plugin serves no session that settings do in which Nancy has written entries: then each event would come twice. In a linked worktree the
 * main checkout's settings count, too.
 */
async function begin({ workspace, driver }: Call, session: SessionId): Promise<boolean> {
	const { own } = workspace;
	return new PluginSessions(own).begin(driver.id, session, async () => {
		if (!(await isPluginChosen(own)) || !(await hasHooksHere(workspace))) return false;
		if (isInLinkedWorktree(workspace.folder)) return false;
		const deployed = (await readSealed(own))?.deployments.find(each => each.driver === driver.id);
		return (deployed?.files ?? []).length === 0;
	});
}
