import type { Driver } from './driver.ts';

/** Whether Nancy's own program is always in the terminal of this agent. Then nothing is deployed for it. */
export function isTalkedWith({ answersByChoice }: Pick<Driver, 'answersByChoice'>): boolean {
	return answersByChoice !== 'none' && answersByChoice.isAlways === true;
}
