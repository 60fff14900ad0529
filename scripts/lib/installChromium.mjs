import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { runOrThrow } from './run.mjs';

const PLACES = [
	'/usr/bin/chromium',
	'/usr/bin/chromium-browser',
	'/usr/bin/google-chrome',
	'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** @returns {Promise<string>} a Chromium that Playwright can drive; from Debian when none is there and we may install it */
export async function installChromium() {
	const found = [process.env.CHROMIUM, ...PLACES].find(file => file && existsSync(file));
	if (found) return found;
	const canInstall = process.getuid?.() === 0 && spawnSync('apt-get', ['--version']).status === 0;
	if (!canInstall)
		throw new Error('No Chromium. Install one (Debian: apt-get install chromium) or name it in $CHROMIUM.');
	const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
	await runOrThrow('apt-get', ['update'], { env: environment });
	await runOrThrow('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], { env: environment });
	return PLACES[0];
}
