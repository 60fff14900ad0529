/**
 * FNV-1a in 32 bits: tells names apart, but keeps nothing secret. Loading Node's own hashes takes a hook longer than all of its other work.
 */
export function fnvOf(text: string): number {
	let hash = 0x811c9dc5;
	for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
	return hash >>> 0;
}
