import { configFolder } from '../base/folders.ts';
import { serverNamed } from '../core/files/agentServers.ts';
import { UserSettingsFile } from '../core/files/userSettings.ts';
import { serverName } from '../protocol/agentServer.ts';

/**
 * The variables that the user's settings give an agent which they name. They are the agent's alone: Nancy's own programs, which this one
 * starts, never have them.
 * @throws NancyError `bad-usage` if the setting has changed, and names the agent no more
 */
export async function variablesOf(
	id: string,
	{ workspaceFolder, env }: { workspaceFolder: string; env: NodeJS.ProcessEnv },
): Promise<Readonly<Record<string, string>>> {
	const name = serverName(id);
	if (name === undefined) return {};
	const settings = new UserSettingsFile(configFolder(env), env['HOME']);
	return serverNamed(await settings.agentServers(workspaceFolder), name).env;
}
