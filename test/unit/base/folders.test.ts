import { describe, expect, it } from 'vitest';
import { dataFolder } from '../../../src/base/folders.ts';

const env = { HOME: '/home/me', XDG_DATA_HOME: '/elsewhere' };

describe('the data folder', () => {
	it.each(['nancy.js', 'hook/claude-code.js'])(
		'of an installed program is the one that it stands in, whatever the environment says (%s)',
		program => {
			const installed = `/home/me/.local/share/nancy/runtime/0.1.0-aaaaaaaa/${program}`;
			expect(dataFolder(env, 'linux', installed)).toBe('/home/me/.local/share/nancy');
			const onMac = `/Users/me/Library/Application Support/nancy/runtime/0.1.0-aaaaaaaa/${program}`;
			expect(dataFolder(env, 'darwin', onMac)).toBe('/Users/me/Library/Application Support/nancy');
		},
	);

	it.each(['/opt/nancy/dist/nancy.js', '/w/runtime/1/nancy.js', '/w/nancy/runtime/nancy.js', ''])(
		'of any other program is the user’s own (%s)',
		program => {
			expect(dataFolder(env, 'linux', program)).toBe('/elsewhere/nancy');
			expect(dataFolder({ HOME: '/home/me' }, 'linux', program)).toBe('/home/me/.local/share/nancy');
		},
	);
});
