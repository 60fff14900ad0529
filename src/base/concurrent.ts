/**
 * `Promise.all` over `items` with at most `limit` under way, results in order. Opening a thousand files at once would run into the limit of
 * open files. Opening one after another would wait for the thread pool a thousand times.
 */
export async function mapConcurrently<T, R>(
	items: readonly T[],
	run: (item: T) => Promise<R>,
	limit = 16,
): Promise<R[]> {
	const results: R[] = [];
	let next = 0;
	const lane = async () => {
		while (next < items.length) {
			const index = next++;
			const item = items[index];
			if (item !== undefined) results[index] = await run(item);
		}
	};
	await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
	return results;
}
