import type * as Crypto from 'node:crypto';
import { createRequire } from 'node:module';

/** In bytes. Up to this length, hashing here is faster than loading Node's own, which costs a fifth of a start of Node. */
const SHORT = 4096;

/** Node's own, once it is loaded. Without V8's compilers, as in a runner, it is many times faster for short texts too. */
let crypto: typeof Crypto | undefined;

/** The SHA-256 hash of the parts one after another, as hex digits. */
export function sha256(...parts: readonly (string | Uint8Array)[]): string {
	const bytes = parts.map(part => (typeof part === 'string' ? Buffer.from(part) : part));
	if (!crypto && bytes.reduce((sum, { length }) => sum + length, 0) <= SHORT)
		return hashOfShort(Buffer.concat(bytes));
	crypto ??= loadCrypto();
	const hash = crypto.createHash('sha256');
	for (const part of bytes) hash.update(part);
	return hash.digest('hex');
}

/** Loaded at first use: every start of the hook program and of most commands counts, and few of them hash long texts. */
function loadCrypto(): typeof Crypto {
	return createRequire(process.execPath)('node:crypto');
}

/** The fractional parts of roots of the first primes, as 32 bits each: FIPS 180-4, 4.2.2 and 5.3.3. */
function constants(count: number, exponent: number): Uint32Array {
	const isPrime = (n: number) => {
		for (let divisor = 2; divisor * divisor <= n; divisor++) if (n % divisor === 0) return false;
		return true;
	};
	const found = new Uint32Array(count);
	for (let n = 2, index = 0; index < count; n++)
		if (isPrime(n)) found[index++] = Math.floor((n ** exponent % 1) * 2 ** 32);
	return found;
}

/** Made once: they take longer than the hash of a message. */
let known: { rounds: Uint32Array; initial: Uint32Array } | undefined;

/** FIPS 180-4, 6.2. */
function hashOfShort(message: Buffer): string {
	known ??= { rounds: constants(64, 1 / 3), initial: constants(8, 1 / 2) };
	const { rounds } = known;
	const state = known.initial.slice();
	const padded = Buffer.alloc(Math.ceil((message.length + 9) / 64) * 64);
	message.copy(padded);
	padded[message.length] = 0x80;
	padded.writeUInt32BE(message.length * 8, padded.length - 4);
	for (let offset = 0; offset < padded.length; offset += 64)
		mixBlock(state, rounds, padded.subarray(offset, offset + 64));
	return [...state].map(word => word.toString(16).padStart(8, '0')).join('');
}

const rotated = (word: number, by: number) => (word >>> by) | (word << (32 - by));

function mixBlock(state: Uint32Array, rounds: Uint32Array, block: Buffer): void {
	const words = new Uint32Array(64);
	const at = (from: Uint32Array, index: number) => from[index] ?? 0;
	for (let i = 0; i < 64; i++) {
		const [before15, before2] = [at(words, i - 15), at(words, i - 2)];
		const s0 = rotated(before15, 7) ^ rotated(before15, 18) ^ (before15 >>> 3);
		const s1 = rotated(before2, 17) ^ rotated(before2, 19) ^ (before2 >>> 10);
		words[i] = i < 16 ? block.readUInt32BE(i * 4) : at(words, i - 16) + s0 + at(words, i - 7) + s1;
	}
	let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
	for (let i = 0; i < 64; i++) {
		const s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
		const first = (h + s1 + ((e & f) ^ (~e & g)) + at(rounds, i) + at(words, i)) >>> 0;
		const s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
		const second = (s0 + ((a & b) ^ (a & c) ^ (b & c))) >>> 0;
		[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) >>> 0, c, b, a, (first + second) >>> 0];
	}
	[a, b, c, d, e, f, g, h].forEach((word, index) => (state[index] = at(state, index) + word));
}
