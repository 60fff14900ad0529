/**
 * Hex digits that make a name unique, but are not secret. Loading `node:crypto` takes longer than a whole hook may take. V8 seeds
 * `Math.random` from the system's entropy in every process.
 */
export function uniqueHex(digits: number): string {
	let text = '';
	while (text.length < digits)
		text += Math.floor(Math.random() * 0x1_0000_0000)
			.toString(16)
			.padStart(8, '0');
	return text.slice(0, digits);
}
