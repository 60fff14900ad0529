import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readTextFile } from '../../../src/cli/readText.ts';
import { tempFolder } from '../../support/tempFolder.ts';

describe('a file with a prompt', () => {
	it('that cannot be used is named, with what is wrong with it', async () => {
		await using folder = tempFolder();
		mkdirSync(folder.file('folder'));
		writeFileSync(folder.file('empty.md'), ' \n');
		writeFileSync(folder.file('utf-16.md'), Buffer.from('\uFEFFHello', 'utf16le'));
		writeFileSync(folder.file('long.md'), 'x'.repeat(2 ** 20 + 1));
		const refusal = (name: string) => readTextFile(folder.file(name)).catch((error: unknown) => error);

		for (const [name, code, says] of [
			['missing', 'bad-usage', 'cannot be read: ENOENT'],
			['folder', 'bad-usage', 'cannot be read: EISDIR'],
			['empty.md', 'bad-message', 'has no text'],
			['utf-16.md', 'bad-message', 'is not valid UTF-8; convert it first'],
			['long.md', 'bad-message', 'is longer than 1 MB'],
		] as const) {
			expect(await refusal(name)).toMatchObject({
				code,
				message: expect.stringContaining(`${folder.file(name)} ${says}`),
			});
		}
	});
});
