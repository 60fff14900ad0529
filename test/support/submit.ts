import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from './eventually.ts';
import type { Terminal } from './terminal.ts';

/** How long an Enter has to be taken, before a person would press it again: three seconds. */
const LOOKS = 30;
const LOOK_EVERY_MS = 100;
const MOST_PRESSES = 4;

/**
 * Types a prompt and sends it. An Enter in the same chunk as the text would be taken for a pasted line break, and one that
 * comes before the text has settled is lost by some.
 * @param isTaken whether the prompt has been sent, if more than a screen that changes can tell
 */
export async function submit(agent: Terminal, prompt: string, isTaken?: () => boolean): Promise<void> {
	agent.type(prompt);
	const end = prompt.replaceAll(/\s+/g, '').slice(-12);
	try {
		await eventually('its end on the screen', () => agent.screen().replaceAll(/\s+/g, '').includes(end));
	} catch (error) {
		throw new Error(`The prompt “${prompt}” does not show in the input line. Screen:\n${agent.screen()}`, {
			cause: error,
		});
	}
	await sleep(250);
	const typed = agent.screen();
	const isSent = isTaken ?? (() => agent.screen() !== typed);
	// Copilot CLI 1.0.102 loses one on a busy machine: the text stays in the input line, as its screen has shown.
	for (let presses = 0; presses === 0 || (presses < MOST_PRESSES && !isSent()); presses++) {
		agent.enter();
		for (let look = 0; look < LOOKS && !isSent(); look++) await sleep(LOOK_EVERY_MS);
	}
}
