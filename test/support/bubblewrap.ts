import { execFileSync } from 'node:child_process';
import { installTool } from './debian.ts';

const BWRAP = '/usr/bin/bwrap';

/**
 * Installs bubblewrap as root on Debian if it is missing.
 * @returns why delegates cannot be isolated on this machine, for the title of a test; empty if they can
 */
export function installBubblewrap(): string {
	if (process.platform !== 'linux') return ' (skipped: bubblewrap runs on Linux alone)';
	try {
		installTool('bubblewrap');
	} catch {
		return ' (skipped: bubblewrap is not installed, and cannot be)';
	}
	try {
		execFileSync(BWRAP, ['--unshare-user', '--unshare-pid', '--ro-bind', '/', '/', '--proc', '/proc', 'true']);
		return '';
	} catch {
		return ' (skipped: this machine allows no user namespaces)';
	}
}
