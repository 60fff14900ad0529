import { existsSync } from 'node:fs';
import { canInstallPackages, installPackages } from './installPackages.mjs';

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
	if (!canInstallPackages())
		throw new Error('No Chromium. Install one (Debian: apt-get install chromium) or name it in $CHROMIUM.');
	await installPackages(['chromium']);
	return PLACES[0];
}
