import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import type { Driver } from './driver.ts';

/** Whether Nancy's own program always talks with this agent. Then nothing is deployed for it. */
export function isTalkedWith({ answersByChoice }: Pick<Driver, 'answersByChoice'>): boolean {
	return answersByChoice !== 'none' && answersByChoice.isAlways === true;
}

/** @throws NancyError `wrong-state` for an agent that can do nothing without Nancy's own program */
export function refuseUnhooked(driver: Driver, isHooked: boolean): void {
	if (isHooked || !isTalkedWith(driver)) return;
	throw new NancyError(
		'wrong-state',
		phrase`a program of Nancy talks with ${driver.displayName}, and tells what it does as hooks do: it cannot be started without hooks (--no-hooks, or the setting nancy.hooks)`,
	);
}
