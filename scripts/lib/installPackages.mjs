import { spawnSync } from 'node:child_process';
import { installCall, missingPackages } from '../../test/support/debian.ts';
import { runOrThrow } from './run.mjs';

/** Whether this is a Debian on which packages may be installed. */
export function canInstallPackages() {
	return process.getuid?.() === 0 && spawnSync('apt-get', ['--version']).status === 0;
}

/** @param {readonly string[]} packages of Debian's */
export async function installPackages(packages) {
	const { command, args, env } = installCall(packages);
	await runOrThrow(command, args, { env });
}

/** The programs that tests start beside the agents. Where they cannot be installed, the tests that want them say so. */
export async function installTools() {
	const packages = missingPackages();
	if (packages.length > 0 && canInstallPackages()) await installPackages(packages).catch(() => undefined);
}
