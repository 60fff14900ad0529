import { signal } from '@preact/signals';
import type * as All from './rooms.ts';

/** Colours for code, and what is seldom looked at. A tab of VS Code has the colours alone. */
export type Rooms = Partial<typeof All>;

const loaded = signal<Rooms | undefined>(undefined);
let source: (() => Promise<Rooms>) | undefined;
let isComing = false;

/** From now on, what is seldom needed comes from there, at its first use. */
export function loadFrom(given: () => Promise<Rooms>): void {
	source = given;
}

/** What is seldom needed, once it is here. A part that asks is drawn anew then. */
export function late(): Rooms | undefined {
	if (source && !loaded.value && !isComing) {
		isComing = true;
		void load(source);
	}
	return loaded.value;
}

async function load(from: () => Promise<Rooms>): Promise<void> {
	try {
		loaded.value = await from();
	} catch {
		// Without a connection. The next part that is drawn asks again.
		isComing = false;
	}
}
