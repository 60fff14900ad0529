import { withSafePath } from '../base/searchPath.ts';
import { SWARM_MARK } from '../core/delegates/swarmMark.ts';

/** This process's environment with changes, for a program that is started; `null` removes a variable. */
export function mergedEnvironment(changes: Readonly<Record<string, string | null>>): NodeJS.ProcessEnv {
	const env: NodeJS.ProcessEnv = { ...process.env };
	for (const [name, value] of Object.entries(changes)) {
		if (value === null) delete env[name];
		else env[name] = value;
	}
	return withSafePath(env);
}

/** Variables that a call of `nancy` may set for itself, also an agent's: the limit of delegates, their host, and the mark of a swarm. */
const OF_CALL: ReadonlySet<string> = new Set(['NANCY_DELEGATES', 'NANCY_DELEGATES_HOST', SWARM_MARK]);

/** Gives this process another environment, except the variables that a call may set for itself. */
export function becomeEnvironment(env: Readonly<Record<string, string | undefined>>): void {
	const names = new Set([...Object.keys(process.env), ...Object.keys(env)]);
	for (const name of names) {
		if (OF_CALL.has(name) || process.env[name] === env[name]) continue;
		if (env[name] === undefined) delete process.env[name];
		else process.env[name] = env[name];
	}
}
