import { setTimeout as sleep } from 'node:timers/promises';
import type { Terminal } from './terminal.ts';

/** Types a prompt and sends it. An Enter in the same chunk as the text would be taken for a pasted line break. */
export async function submit(claude: Terminal, prompt: string): Promise<void> {
	claude.type(prompt);
	await sleep(250);
	claude.enter();
}
