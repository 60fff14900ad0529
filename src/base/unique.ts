/**
 * Hex digits that make a name unique; nothing secret. `node:crypto` takes longer to load than a whole hook may spend, and V8
 * seeds `Math.random` from the system's entropy in every process.
 */
export function uniqueHex(digits: number): string {
	let text = '';
	while (text.length < digits)
		text += Math.floor(Math.random() * 0x1_0000_0000)
			.toString(16)
			.padStart(8, '0');
	return text.slice(0, digits);
}
