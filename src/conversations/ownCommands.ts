import { SET } from './typedSettings.ts';

export const LEAVING = ['/exit', '/quit'];
export const CLEAR = '/clear';

const OWN = [CLEAR, SET, ...LEAVING];
/** One of Nancy's own names, with a second slash. */
const DOUBLED = new RegExp(`^/(?:${OWN.join('|')})(?!\\S)`);

/** What Tab offers. @param named by the agent; Nancy's own commands go before those of the same name */
export function commandsAmong(named: readonly string[]): string[] {
	return [...named.map(name => (OWN.includes(`/${name}`) ? `//${name}` : `/${name}`)), ...OWN];
}

/** A line as the agent gets it: `//set` is its own `/set`. */
export function forAgent(line: string): string {
	return DOUBLED.test(line) ? line.slice(1) : line;
}
