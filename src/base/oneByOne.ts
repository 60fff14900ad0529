/**
 * Does the same for each, one after the other: one that fails keeps no other from being done. Whoever asks tells of the failures
 * beside what was done.
 */
export async function oneByOne<Item, Result>(
	items: Iterable<Item>,
	work: (item: Item) => Promise<Result>,
): Promise<{ done: Result[]; failures: { item: Item; error: unknown }[] }> {
	const done: Result[] = [];
	const failures: { item: Item; error: unknown }[] = [];
	for (const item of items) {
		try {
			done.push(await work(item));
		} catch (error) {
			failures.push({ item, error });
		}
	}
	return { done, failures };
}
