/**
 * Does the same for each item, one after the other. A failure of one does not stop the others. The caller reports the failures beside the
 * results.
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
