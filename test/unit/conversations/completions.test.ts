import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { completed } from '../../../src/conversations/completions.ts';
import { gitRepository } from '../../support/gitRepository.ts';
import { tempFolder } from '../../support/tempFolder.ts';

/** Files, also such that are not to be offered. */
function fill(root: string): void {
	for (const folder of ['src', 'src/deep']) mkdirSync(join(root, folder), { recursive: true });
	for (const file of ['src/one.ts', 'src/deep/two.ts', 'south.md', 'so me.md', 'so\u001b[2J.md', 'new.log'])
		writeFileSync(join(root, file), '');
	symlinkSync('/etc', join(root, 'etc'));
	symlinkSync('south.md', join(root, 'soft.md'));
	symlinkSync('missing', join(root, 'solo'));
}

const found = async (root: string, line: string) => (await completed(line, root, []))[0];

describe.each(['a repository', 'no repository'] as const)('a mention of a file in %s', where => {
	const made = () => {
		const folder = where === 'a repository' ? gitRepository() : tempFolder();
		const root = 'root' in folder ? folder.root : folder.path;
		fill(root);
		return { root, [Symbol.asyncDispose]: () => Promise.resolve(folder[Symbol.asyncDispose]()) };
	};

	it('is completed folder by folder, by names that can be typed', async () => {
		await using place = made();
		expect(await completed('Look at @s', place.root, ['/see'])).toEqual([['@soft.md', '@south.md', '@src/'], '@s']);
		expect(await found(place.root, '@src/')).toEqual(['@src/deep/', '@src/one.ts']);
		expect(await found(place.root, '@src/deep/t')).toEqual(['@src/deep/two.ts']);
		expect(await found(place.root, 'mail me@s')).toEqual([]);
		expect(await found(place.root, '@south.md and')).toEqual([]);
	});

	it('never leads outside, by no path and no link', async () => {
		await using place = made();
		for (const line of ['@..', '@../', '@/', '@/etc/', '@etc', '@etc/', '@src/../../', '@missing/'])
			expect(await found(place.root, line), line).toEqual([]);
	});

	it('is not listed among too many', async () => {
		await using place = made();
		mkdirSync(join(place.root, 'many'));
		for (let n = 100; n < 301; n++) writeFileSync(join(place.root, 'many', `${n}`), '');
		expect(await found(place.root, '@many/')).toEqual([]);
		expect(await found(place.root, '@many/3')).toEqual(['@many/300']);
	});
});

it('a file that git ignores is no mention’s', async () => {
	await using repository = gitRepository();
	fill(repository.root);
	repository.write({ '.gitignore': '*.log\n' });
	expect(await found(repository.root, '@new')).toEqual([]);
});

it('commands are completed at the beginning of a line, each once', async () => {
	const commands = ['/clear', '/close', '/clear'];
	expect(await completed('/cl', '/', commands)).toEqual([['/clear', '/close'], '/cl']);
	expect(await completed('say /cl', '/', commands)).toEqual([[], 'say /cl']);
});
