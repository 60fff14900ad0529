import { describe, expect, it } from 'vitest';
import { redactLines } from '../../../../src/core/traffic/redactLines.ts';

const key = ['-----BEGIN RSA PRIVATE KEY-----', 'MIIEabc', 'MIIEdef', '-----END RSA PRIVATE KEY-----'];

describe('lines without secrets', () => {
	it('are as many as before, each at its place', () => {
		const lines = ['first', ...key, 'between', ...key, '', 'API_TOKEN=abcdefghijklmnop', 'last'];
		const redacted = redactLines(lines.join('\n'));
		expect(redacted).toHaveLength(lines.length);
		expect(redacted.join('\n')).not.toMatch(/MIIE|abcdefgh/);
		expect([redacted[0], redacted[5], redacted[10], redacted.at(-1)]).toEqual(['first', 'between', '', 'last']);
	});

	it('hide a key without an end', () => {
		expect(redactLines([...key.slice(0, 3), 'MIIEghi'].join('\n')).join('\n')).not.toContain('MIIE');
	});

	it('hide every line of what is one secret over several lines', () => {
		const putty = ['before', 'Private-Lines: 2', 'AAAAabcdefgh', 'AAAAijklmnop', 'Private-MAC: x'];
		const redacted = redactLines(putty.join('\n'));
		expect(redacted).toHaveLength(putty.length);
		expect(redacted.join('\n')).not.toContain('AAAA');
		expect([redacted[0], redacted.at(-1)]).toEqual(['before', 'Private-MAC: x']);
	});
});
