import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from './eventually.ts';
import type { Terminal } from './terminal.ts';

/** How long an Enter has to change the screen: three seconds. */
const LOOKS = 30;
const LOOK_EVERY_MS = 100;

/**
 * Types a prompt and sends it. An Enter in the same chunk as the text would be taken for a pasted line break, and one that
 * comes before the text has settled is lost by some.
 */
export async function submit(agent: Terminal, prompt: string): Promise<void> {
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
	agent.enter();
	// Copilot CLI 1.0.102 loses one on a busy machine: the text stays in the input line, as its screen has shown. A person presses it again.
	for (let look = 0; look < LOOKS && agent.screen() === typed; look++) await sleep(LOOK_EVERY_MS);
	if (agent.screen() === typed) agent.enter();
}
