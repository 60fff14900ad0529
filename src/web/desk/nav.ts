import { signal } from '@preact/signals';
import { state } from './store.ts';

export type View = 'desk' | 'agents' | 'delegates' | 'inbox' | 'code' | 'allowed';

/** In place of an item's key: the list of all, though one item alone would be shown at once. */
export const ALL = '';

/** What is looked at: a view, and in it the key of one item. */
export interface Place {
	view: View;
	item: string | undefined;
}

const START: Place = { view: 'desk', item: undefined };

export const place = signal<Place>(START);

/** Goes there, so that the browser's way back leads here again. */
export function go(next: Place): void {
	history.pushState(next, '');
	place.value = next;
}

/** Goes there in place of where it is. */
export function turnTo(next: Place): void {
	history.replaceState(next, '');
	place.value = next;
}

/** What the browser's own way back and forth leads to. */
export function followHistory(): void {
	history.replaceState(START, '');
	window.addEventListener('popstate', ({ state: kept }: PopStateEvent) => (place.value = placeOf(kept)));
}

const VIEWS: readonly View[] = ['desk', 'agents', 'delegates', 'inbox', 'code', 'allowed'];

function placeOf(kept: unknown): Place {
	if (typeof kept !== 'object' || kept === null) return START;
	const { view, item }: { view?: unknown; item?: unknown } = kept;
	const known = VIEWS.find(each => each === view);
	return known === undefined ? START : { view: known, item: typeof item === 'string' ? item : undefined };
}

/** The name of an item's folder, if there are several to tell apart. */
export function folderName(folder: string): string {
	const folders = state.value?.folders ?? [];
	return folders.length < 2 ? '' : (folders.find(({ folder: id }) => id === folder)?.name ?? '');
}
