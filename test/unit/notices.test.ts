import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import { thirdPartyNotices } from '../../scripts/lib/notices.mts';
import { repository } from '../support/programs.ts';

const bundle = (...inputs: string[]) => ({
	inputs: Object.fromEntries(inputs.map(file => [file, { bytes: 1, imports: [] }])),
});

it('the licence of each package in a bundle stands in the notices, once', () => {
	const [zod = ''] = globSync('node_modules/zod/**/*.js', { cwd: repository });
	const notices = thirdPartyNotices([
		bundle('src/main.ts', zod, 'node_modules/jsonc-parser/lib/esm/main.js'),
		bundle(zod),
	]);
	for (const name of ['zod', 'jsonc-parser']) expect(notices.match(new RegExp(`^${name} \\d`, 'gm'))).toHaveLength(1);
	expect(notices.match(/Permission is hereby granted/g)).toHaveLength(2);
	expect(notices).not.toContain('src/');
});

it('a package without a licence is refused', () => {
	expect(() => thirdPartyNotices([bundle('node_modules/no-such-package/index.js')])).toThrow(/no-such-package/);
});
