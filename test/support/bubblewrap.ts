import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { alone } from './debian.ts';

const OF_SYSTEM = '/usr/bin/bwrap';
const FOLDER = join(import.meta.dirname, '../../.agents/bubblewrap');
const OWN = join(FOLDER, 'usr/bin/bwrap');

/**
 * Where `bwrap` is. That of Debian's package is unpacked, and not installed: Codex takes one of the system in place of its own, and its sandbox
 * then has no workspace below `/dev/shm` (measured with Codex 0.169.0 and bubblewrap 0.8.0).
 * @returns also why delegates cannot be isolated on this machine, for the title of a test; empty if they can
 */
export function bubblewrap(): { folder: string; skipped: string } {
	const bwrap = existsSync(OF_SYSTEM) ? OF_SYSTEM : OWN;
	const found = (skipped = '') => ({ folder: dirname(bwrap), skipped });
	if (process.platform !== 'linux') return found(' (skipped: bubblewrap runs on Linux alone)');
	try {
		if (!existsSync(bwrap)) unpack();
	} catch {
		return found(' (skipped: there is no bubblewrap, and Debian’s package cannot be had)');
	}
	try {
		execFileSync(bwrap, ['--unshare-user', '--unshare-pid', '--ro-bind', '/', '/', '--proc', '/proc', 'true']);
		return found();
	} catch {
		return found(' (skipped: this machine allows no user namespaces)');
	}
}

/** Whole or not at all. */
function unpack(): void {
	mkdirSync(FOLDER, { recursive: true });
	const steps = [
		'[ ! -e usr ] || exit 0',
		'apt-get update -qq',
		'apt-get download -qq bubblewrap',
		'rm -rf part && dpkg -x bubblewrap_*.deb part',
		'mv part/usr usr',
	];
	const { command, args, env } = alone(steps.join(' && '));
	execFileSync(command, args, { cwd: FOLDER, stdio: 'ignore', env });
}
