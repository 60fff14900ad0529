import { CAN_HOLD } from '../../src/core/files/heldFolder.ts';

/** Why a test is skipped on this machine, for `skipIf` and for the end of its title. Empty where the test runs. */
export function skippedUnless(canRun: unknown, why: string): string {
	return canRun ? '' : ` (skipped: ${why})`;
}

export const onWindows = skippedUnless(process.platform !== 'win32', 'not on Windows');
export const notLinux = skippedUnless(process.platform === 'linux', 'needs Linux');
export const withoutRoot = skippedUnless(process.getuid?.() === 0, 'needs root');
export const cannotMount = notLinux || withoutRoot;
export const cannotHold = skippedUnless(CAN_HOLD, 'needs the open files in /proc');
