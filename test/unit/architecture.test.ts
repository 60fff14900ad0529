import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Who may import whom. docs/architecture.md draws this table; this test keeps the drawing honest. */
const rooms: Readonly<Record<string, readonly string[]>> = {
	protocol: ['zod/mini'],
	base: ['node:'],
	core: ['base', 'protocol', 'zod/mini', 'jsonc-parser', 'node:'],
	drivers: ['core', 'base', 'protocol', 'zod/mini'],
	process: ['core', 'base', 'protocol', 'node:'],
	hook: ['drivers', 'core', 'base', 'protocol', 'zod/mini', 'node:'],
	// `..` is package.json, for the version.
	cli: ['..', 'drivers', 'process', 'core', 'base', 'protocol', 'zod/mini', 'node:'],
	web: ['protocol'],
	ui: ['core', 'base', 'protocol', 'vscode', 'zod/mini', 'node:'],
};
/** The composition roots: the only files outside of a room, and the only ones that may bring all of them together. */
const roots = ['extension.ts', 'main.ts', 'operations.ts'];

const src = join(import.meta.dirname, '../../src');
const filesOf = (room: string) =>
	readdirSync(join(src, room), { recursive: true, encoding: 'utf8' })
		.filter(file => file.endsWith('.ts'))
		.map(file => file.replaceAll(sep, '/'));

describe('the rooms of the source', () => {
	it('are these and no others', () => {
		const entries = readdirSync(src, { withFileTypes: true });
		expect(
			entries
				.filter(entry => entry.isDirectory())
				.map(entry => entry.name)
				.sort(),
		).toEqual(Object.keys(rooms).sort());
		expect(
			entries
				.filter(entry => entry.isFile())
				.map(entry => entry.name)
				.sort(),
		).toEqual([...roots].sort());
	});

	it.each(Object.entries(rooms))('%s imports only what it may', (room, allowed) => {
		const may = (to: string) =>
			[room, ...allowed].some(name => to === name || (name.endsWith(':') && to.startsWith(name)));
		const files = filesOf(room);
		const imports = files.flatMap(file => importsOf(room, file));

		expect(files.length).toBeGreaterThan(0);
		expect(imports.length).toBeGreaterThan(0);
		expect(imports.filter(({ to }) => !may(to))).toEqual([]);
	});

	it('name an agent only in its own folder', () => {
		const naming = Object.keys(rooms)
			.filter(room => room !== 'drivers')
			.flatMap(room => filesOf(room).map(file => `${room}/${file}`))
			.filter(file =>
				/claude|codex|copilot|gemini|opencode/i.test(withoutComments(readFileSync(join(src, file), 'utf8'))),
			);
		expect(naming).toEqual([]);
	});

	it.each(['hook.js', 'nancy.js'])('keep vscode out of the bundle %s', bundle => {
		const file = join(src, '../dist', bundle);
		// Built by `npm test` before this runs; alone, there may be no bundle yet.
		if (!existsSync(file)) return;
		expect(readFileSync(file, 'utf8')).not.toMatch(/require\(["']vscode["']\)/);
	});
});

function importsOf(room: string, file: string): { file: string; to: string }[] {
	const code = withoutComments(readFileSync(join(src, room, file), 'utf8'));
	return Array.from(code.matchAll(/\b(?:from|import|require)\s*\(?\s*'([^'\s]+)'/g), ([, specifier = '']) => {
		const [to = ''] = specifier.startsWith('.')
			? posix.join(room, posix.dirname(file), specifier).split('/')
			: [specifier];
		return { file, to };
	});
}

function withoutComments(code: string): string {
	return code.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}
