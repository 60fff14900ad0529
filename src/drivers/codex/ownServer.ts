/** How the words of one terminal are divided between the terminal and an app server of its own. */

/** Refused when it is there twice. */
export const NO_DAEMON = '--no-daemon';

const isValued = (word: string) => ['-c', '--config', '--enable', '--disable'].includes(word);
const isWhole = (word: string) => /^(?:-c.|--(?:config|enable|disable)=)/.test(word);

/** The settings, which the server needs too: it runs the hooks and the servers of tools. */
export function settingsIn(args: readonly string[]): string[] {
	const options = optionsIn(args);
	return options.flatMap((word, at) => {
		if (isValued(word)) return options.slice(at, at + 2);
		return isWhole(word) && !isValued(options[at - 1] ?? '') ? [word] : [];
	});
}

/** The words of the terminal. `none` if its user has chosen another server. */
export function terminalArgs(args: readonly string[], address: string): string[] | 'none' {
	const options = optionsIn(args);
	if (options.some(word => /^--remote(?:=|$)/.test(word))) return 'none';
	const at = options.indexOf(NO_DAEMON);
	return at < 0 ? 'none' : [...args.slice(0, at), '--remote', address, ...args.slice(at + 1)];
}

function optionsIn(args: readonly string[]): readonly string[] {
	const end = args.indexOf('--');
	return end < 0 ? args : args.slice(0, end);
}
