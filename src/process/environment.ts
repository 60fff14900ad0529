import { withShellPath } from '../base/searchPath.ts';
import { SWARM_MARK } from '../core/delegates/swarmMark.ts';

/** This process's environment with changes, for a program that is started; `null` removes a variable. */
export function mergedEnvironment(changes: Readonly<Record<string, string | null>>): NodeJS.ProcessEnv {
	const env: NodeJS.ProcessEnv = { ...process.env };
	for (const [name, value] of Object.entries(changes)) {
		if (value === null) delete env[name];
		else env[name] = value;
	}
	return withShellPath(env);
}

/** Gives this process another environment, except the mark of a swarm: a call may set it for itself, also an agent's. */
export function becomeEnvironment(env: Readonly<Record<string, string | undefined>>): void {
	const names = new Set([...Object.keys(process.env), ...Object.keys(env)]);
	for (const name of names) {
		if (name === SWARM_MARK || process.env[name] === env[name]) continue;
		if (env[name] === undefined) delete process.env[name];
		else process.env[name] = env[name];
	}
}
