import type { Folder } from '../ports.ts';

/** Stops all at once, then shows their new states. After that it throws the first failure. */
export async function stopEach<Item extends { folder: Pick<Folder, 'refresh'> }>(
	items: readonly Item[],
	stop: (item: Item) => Promise<void>,
): Promise<void> {
	const ends = await Promise.allSettled(items.map(stop));
	for (const folder of new Set(items.map(item => item.folder))) await folder.refresh();
	for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
