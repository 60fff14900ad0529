import { uptime } from 'node:os';
import { ownIdentity } from '../base/liveness.ts';

/** Clock ticks in a second, the unit of Linux's start times (`sysconf(_SC_CLK_TCK)`). */
const TICKS = 100;
/** In milliseconds. No hook gets this old. If a process seems older, as in some containers, the two clocks have different zeros. */
const IMPLAUSIBLE_MS = 60_000;

/**
 * Whether the hook was started less than `limitMs` milliseconds ago. Counts from the start of its process, which was the CLI's shell, if
 * the system reports that time. Otherwise counts from the start of Node.
 */
export function isInTime(limitMs: number): boolean {
	const { startedTicks } = ownIdentity();
	const ageMs = startedTicks > 0 ? (uptime() - startedTicks / TICKS) * 1000 : 0;
	return Math.max(process.uptime() * 1000, ageMs < IMPLAUSIBLE_MS ? ageMs : 0) < limitMs;
}
