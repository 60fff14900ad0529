import { expect, it } from 'vitest';
import { httpsOrigin } from '../../../src/base/httpsOrigin.ts';

it.each(['https://me.example.net', 'https://me.example.net/', 'https://me.example.net:8443'])('takes %s', text => {
	expect(httpsOrigin(text)?.href).toBe(new URL(text).href);
});

it.each([
	'',
	'me.example.net',
	'http://me.example.net',
	'https://me.example.net/desk',
	'https://me.example.net/?a',
	'https://me.example.net/#pair=1',
	'https://user@me.example.net',
])('takes no "%s"', text => {
	expect(httpsOrigin(text)).toBeUndefined();
});
