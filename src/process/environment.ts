/** This process's environment with changes; `null` removes a variable. */
export function mergedEnvironment(changes: Readonly<Record<string, string | null>>): NodeJS.ProcessEnv {
	const env: NodeJS.ProcessEnv = { ...process.env };
	for (const [name, value] of Object.entries(changes)) {
		if (value === null) delete env[name];
		else env[name] = value;
	}
	return env;
}
