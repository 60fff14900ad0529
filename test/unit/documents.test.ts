import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import words from '../../package.nls.json' with { type: 'json' };
import { loadAll } from '../../src/cli/command.ts';
import { commands as loaders } from '../../src/cli/commands.ts';
import { PAYLOAD_LIMIT } from '../../src/core/traffic/cutPayload.ts';
import { MOST_REJECTED } from '../../src/core/traffic/rejected.ts';
import { SPOOL_LIMITS } from '../../src/core/traffic/spoolBound.ts';
import { SHARED_NOTES } from '../../src/protocol/memoryNames.ts';

const commands = await loadAll(loaders);

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const documents = [...globSync('*.md', { cwd: root }), ...globSync('docs/**/*.md', { cwd: root })].map(file => ({
	file,
	text: readFileSync(join(root, file), 'utf8'),
}));

const titles: readonly string[] = Object.entries(words).flatMap(([key, title]) =>
	key.startsWith('command.') ? [title.replace('…', '')] : [],
);

describe('the documents', () => {
	it('are there', () => {
		expect(documents.map(({ file }) => file)).toEqual(
			expect.arrayContaining([
				'AGENTS.md',
				'CHANGELOG.md',
				'CONTRIBUTING.md',
				'README.md',
				join('docs', 'cli.md'),
			]),
		);
		expect(readFileSync(join(root, 'AGENTS.md'), 'utf8').split('\n').length).toBeLessThan(60);
	});

	it.each(documents)('$file links to files that are there', ({ file, text }) => {
		const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(match => match[1] ?? '');
		expect(links.filter(link => !existsSync(join(root, dirname(file), link)))).toEqual([]);
	});

	it.each(documents)('$file names files of the repository that are there', ({ text }) => {
		const named = [...text.matchAll(/`((?:src|test|scripts|hooks|skills|docs)\/[\w./-]+)`/g)].map(
			match => match[1] ?? '',
		);
		// That one is a folder of the user's repository.
		expect(named.filter(name => name !== SHARED_NOTES && !existsSync(join(root, name)))).toEqual([]);
	});

	it('name every key of the manifest', () => {
		const page = readFileSync(join(root, 'docs', 'keyboard.md'), 'utf8');
		const shown = (key: string) => `\`${key.replaceAll(/\b[a-z]/g, letter => letter.toUpperCase())}\``;
		const keys = manifest.contributes.keybindings.flatMap(({ key, mac }) => [shown(key), shown(mac)]);
		expect(keys.length).toBeGreaterThan(8);
		expect(keys.filter(key => !page.includes(key))).toEqual([]);
	});

	it.each(documents)('$file tells to run npm scripts that are there', ({ text }) => {
		const scripts = [...text.matchAll(/`npm (?:run )?(start|test|[a-z]+)\b/g)].map(match => match[1] ?? '');
		expect(scripts.filter(script => !(script in manifest.scripts) && !['ci', 'install'].includes(script))).toEqual(
			[],
		);
	});

	it.each(documents)('$file names palette commands by their titles', ({ text }) => {
		const named = [...text.matchAll(/\bNancy: ([A-Z][A-Za-z ]+?)(?=["*.`])/g)].map(match => match[1] ?? '');
		expect(named.filter(title => !titles.includes(title))).toEqual([]);
	});

	// The manual has a stricter test of its own, with the commands.
	it.each(documents.filter(({ file }) => !file.endsWith('cli.md')))(
		'$file names commands that nancy has',
		({ text }) => {
			const named = [...text.matchAll(/`nancy ([a-z]+)/g)].map(match => match[1] ?? '');
			const known = commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
			expect([...new Set(named)].filter(name => !known.includes(name))).toEqual([]);
		},
	);
});

describe('what documents repeat of the code', () => {
	it('says how much waits in the spool, and how much of what is rejected stays', () => {
		const security = documents.find(({ file }) => file === join('docs', 'security.md'))?.text;
		const { files, bytes } = SPOOL_LIMITS;
		expect(security).toContain(`the newest ${files.toLocaleString('en')} or ${bytes / 1024 / 1024} MB`);
		expect(security).toContain(`the newest ${MOST_REJECTED} |`);
		expect(security).toContain(`cut at ${PAYLOAD_LIMIT / 1024} KB`);
	});
});

describe('the manual', () => {
	it('names every command by its other names too', () => {
		const manual = documents.find(({ file }) => file === join('docs', 'cli.md'))?.text ?? '';
		const aliases = commands.flatMap(({ aliases: own = [] }) => own);
		expect(aliases.length).toBeGreaterThan(0);
		expect(aliases.filter(alias => !manual.includes(`\`nancy ${alias}\``))).toEqual([]);
	});
});
