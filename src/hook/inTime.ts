import { uptime } from 'node:os';
import { ownIdentity } from '../base/liveness.ts';

/** Clock ticks in a second, in which Linux says when a process was started (`sysconf(_SC_CLK_TCK)`). */
const TICKS = 100;
/** In milliseconds. No hook gets this old. Where its process seems to be, as in some containers, the two clocks have different zeros. */
const IMPLAUSIBLE_MS = 60_000;

/**
 * Whether the hook was started less than `limitMs` milliseconds ago. It counts from the start of its process, which was the shell that
 * the CLI started, where the system says when that was; elsewhere from the start of Node in it.
 */
export function isInTime(limitMs: number): boolean {
	const { startedTicks } = ownIdentity();
	const ageMs = startedTicks > 0 ? (uptime() - startedTicks / TICKS) * 1000 : 0;
	return Math.max(process.uptime() * 1000, ageMs < IMPLAUSIBLE_MS ? ageMs : 0) < limitMs;
}
