import { withSafePath } from '../base/searchPath.ts';

/** This process's environment with changes, for a program that is started; `null` removes a variable. */
export function mergedEnvironment(changes: Readonly<Record<string, string | null>>): NodeJS.ProcessEnv {
	const env: NodeJS.ProcessEnv = { ...process.env };
	for (const [name, value] of Object.entries(changes)) {
		if (value === null) delete env[name];
		else env[name] = value;
	}
	return withSafePath(env);
}
