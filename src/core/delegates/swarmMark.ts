/** By this variable a person says for one command whether headless runs are workers of a swarm. */
export const SWARM_MARK = 'CLAUDE_SWARM_WORKER';

/** Whether headless runs are workers of a swarm: by the environment, else by the settings. */
export function isSwarmWorker(
	env: Readonly<Record<string, string | undefined>>,
	settings: { swarmWorker?: boolean | undefined },
): boolean {
	const said = env[SWARM_MARK];
	return said === 'true' || (said !== 'false' && settings.swarmWorker === true);
}
