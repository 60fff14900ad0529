/** The need after the one with the key, round and round; the first if none has it. */
export function nextAfter<T extends { readonly key: string }>(
	needs: readonly T[],
	last: string | undefined,
): T | undefined {
	const at = needs.findIndex(({ key }) => key === last);
	return needs[(at + 1) % needs.length];
}
