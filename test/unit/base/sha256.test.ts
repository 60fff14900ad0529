import { createHash, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { sha256 } from '../../../src/base/sha256.ts';

it('is SHA-256, of whatever length and in whatever parts', () => {
	const lengths = [...Array.from({ length: 200 }, (_, length) => length), 1000, 4095, 4096, 4097, 100_000];
	for (const length of lengths) {
		const bytes = randomBytes(length);
		const expected = createHash('sha256').update(bytes).digest('hex');
		const half = length >> 1;
		expect({ length, hash: sha256(bytes) }).toEqual({ length, hash: expected });
		expect({ length, hash: sha256(bytes.subarray(0, half), bytes.subarray(half)) }).toEqual({
			length,
			hash: expected,
		});
	}
	expect(sha256('/home/müller/проект')).toBe(createHash('sha256').update('/home/müller/проект').digest('hex'));
});
