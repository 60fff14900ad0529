/**
 * Gives this process the variables that it had. Another object in place of `process.env` would be no environment: the system's calls, such as
 * `os.homedir()`, would not see what a later test of this process sets in it.
 */
export function restoreEnvironment(saved: NodeJS.ProcessEnv): void {
	for (const name of Object.keys(process.env)) if (!(name in saved)) delete process.env[name];
	Object.assign(process.env, saved);
}
