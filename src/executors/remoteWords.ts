/**
 * Words as one command of a POSIX shell. `ssh` joins its arguments by spaces and lets the other machine's shell read the result. So every
 * word that goes there is quoted here.
 */
export function remoteWords(words: readonly string[]): string {
	return words.map(word => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
}

/**
 * The same in a login shell of the user there. Without a login shell, the PATH is the bare one, and often lacks `node` and the agent's CLI.
 * The outer shell may be any; it reads only quoted words and `$SHELL`.
 */
export function inLoginShell(words: readonly string[]): string {
	return `exec "$SHELL" -lc ${remoteWords([`exec ${remoteWords(words)}`])}`;
}

/** Has Nancy there take a step of a job: see executors/there. The step reads its input from standard input. */
export function stepWords(version: string, name: string): string[] {
	// The home folder there is known to the shell there alone, and `sh` gets the version as an argument.
	const script = 'exec node "$HOME/.nancy-remote/nancy/runtime/$1/nancy.js" run --remote "$2"';
	return ['sh', '-c', script, 'nancy', version, name];
}
