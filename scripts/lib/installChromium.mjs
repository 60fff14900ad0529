import { CHROMIUM_SHELL, chromiumHere } from '../../test/support/debian.ts';
import { canInstallPackages, installPackages } from './installPackages.mjs';

/** @returns {Promise<string>} a Chromium that Playwright can drive; from Debian if we may install it, else whichever is here */
export async function installChromium() {
	const found = chromiumHere();
	if (found && [process.env.CHROMIUM, CHROMIUM_SHELL].includes(found)) return found;
	if (canInstallPackages()) {
		// An earlier Debian does not have the first one.
		await installPackages(['chromium-headless-shell']).catch(() => found ?? installPackages(['chromium']));
	}
	const installed = chromiumHere();
	if (!installed)
		throw new Error('No Chromium. Install one (Debian: apt-get install chromium) or name it in $CHROMIUM.');
	return installed;
}
