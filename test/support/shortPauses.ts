import timers from 'node:timers/promises';
import { syncBuiltinESMExports } from 'node:module';

/** In milliseconds. Shorter ones give another process time, which no test may shorten. */
const LONG = 2000;

/** From now on a pause of seconds, as before a retry, is a tenth as long in this process. */
export function shortenPauses(): void {
	const wait = timers.setTimeout;
	Object.assign(timers, {
		setTimeout: (ms: number, ...rest: [unknown?, object?]) => wait(ms >= LONG ? ms / 10 : ms, ...rest),
	});
	syncBuiltinESMExports();
}
