import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from './eventually.ts';
import type { Terminal } from './terminal.ts';

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
	agent.enter();
}
