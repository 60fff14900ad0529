import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import type { LaunchHooks } from '../core/driver/launchPlace.ts';

/** The permissions of a delegate whose questions wait for its user. Not `ask`: two CLIs have a mode of that name that asks nobody. */
export const ASK_ME = 'ask-me';

/** @throws NancyError bad-usage where no hook would carry the questions */
export function refuseUnheld(permissions: string, hooks: LaunchHooks | undefined): void {
	if (permissions !== ASK_ME || hooks) return;
	throw new NancyError(
		'bad-usage',
		phrase`the permissions "${ASK_ME}" need a delegate with the hooks of Nancy, which carry its questions to you`,
	);
}
