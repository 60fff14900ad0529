import { signal } from '@preact/signals';
import type * as Rooms from './rooms.ts';

/** The page's second file: colours for code, and what is seldom looked at. Absent until something has asked for it, and it has come. */
const loaded = signal<typeof Rooms | undefined>(undefined);
let isComing = false;

/** The second file, once it is here. A part that asks is drawn anew then. */
export function late(): typeof Rooms | undefined {
	if (!loaded.value && !isComing) {
		isComing = true;
		void load();
	}
	return loaded.value;
}

async function load(): Promise<void> {
	try {
		loaded.value = await import('./rooms.ts');
	} catch {
		// Without a connection. The next part that is drawn asks again.
		isComing = false;
	}
}
