/** A text's trigrams of letters and digits. */
export function trigramsOf(text: string): ReadonlySet<string> {
	const plain = ` ${text
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]+/gu, ' ')
		.trim()} `;
	const found = new Set<string>();
	for (let at = 0; at + 3 <= plain.length; at++) found.add(plain.slice(at, at + 3));
	return found;
}

/** Jaccard's measure: 1 for the same, 0 for nothing in common. */
export function similarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
	if (one.size === 0 || other.size === 0) return 0;
	let common = 0;
	for (const each of one) if (other.has(each)) common++;
	return common / (one.size + other.size - common);
}
