import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { drivers } from '../../src/drivers/index.ts';
import * as operations from '../../src/operations/index.ts';

/** Who may import whom; docs/architecture.md says it in one line. Types count: a room that names another's types knows it. */
const rooms: Readonly<Record<string, readonly string[]>> = {
	protocol: ['base', 'zod/mini'],
	words: ['protocol', 'base'],
	base: ['node:'],
	core: ['base', 'protocol', 'zod/mini', 'jsonc-parser', 'smol-toml', 'node:'],
	process: ['core', 'base', 'protocol', 'node:'],
	git: ['process', 'core', 'base', 'protocol', 'node:'],
	executors: ['git', 'process', 'core', 'base', 'protocol', 'zod/mini', 'node:'],
	delegates: ['executors', 'git', 'process', 'core', 'base', 'protocol', 'node:'],
	drivers: ['core', 'base', 'protocol', 'zod/mini', 'ws', 'node:'],
	conversations: [
		'drivers',
		'git',
		'process',
		'core',
		'base',
		'protocol',
		'@agentclientprotocol/sdk',
		'@xterm/headless',
		'node-pty',
		'zod/mini',
		'node:',
	],
	hook: ['drivers', 'git', 'process', 'core', 'base', 'protocol', 'node:'],
	picture: ['base', 'highlight.js', 'highlight.js/lib/common', '@xterm/headless', 'get-east-asian-width'],
	operations: [
		'drivers',
		'delegates',
		'executors',
		'git',
		'process',
		'picture',
		'core',
		'base',
		'protocol',
		'zod/mini',
		'node:',
	],
	server: ['operations', 'drivers', 'core', 'base', 'protocol', 'zod/mini', 'ws', 'uqr', 'node:'],
	mcp: ['operations', 'drivers', 'core', 'base', 'protocol', 'zod/mini', 'node:'],
	cli: [
		'../package.json',
		'server',
		'mcp',
		'words',
		'operations',
		'conversations',
		'drivers',
		'delegates',
		'executors',
		'git',
		'process',
		'core',
		'base',
		'protocol',
		'zod/mini',
		'node:',
	],
	ui: ['core', 'words', 'base', 'protocol', 'zod/mini', 'node:', 'vscode'],
	web: [
		'words',
		'protocol',
		'picture',
		'base',
		'marked',
		'highlight.js/',
		'preact',
		'preact/',
		'@preact/signals',
		'zod/mini',
	],
	// Files that stand alone at the top: what puts the rooms together.
	// `late.js` and `main.js` are bundles of their own, loaded after the activation and at first use.
	main: [
		'server',
		'operations',
		'ui',
		'drivers',
		'delegates',
		'git',
		'process',
		'core',
		'base',
		'protocol',
		'zod/mini',
		'node:',
		'vscode',
	],
	'extension.ts': ['late.ts', 'late.js', 'ui', 'vscode'],
	'late.ts': ['main.ts', 'main.js', 'ui', 'vscode'],
	'main.ts': ['../package.json', 'main', 'ui', 'drivers', 'core', 'base', 'protocol', 'node:', 'vscode'],
};

const root = join(import.meta.dirname, '../..');
const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
	.map(file => file.replaceAll('\\', '/'))
	.filter(file => /\.m?tsx?$/.test(file));
const roomOf = (file: string) => file.split('/')[0] ?? file;

/** `driver` of `core/driver/driver.ts`. */
function coreRoomOf(file: string): string | undefined {
	const [top, room] = file.split('/');
	return top === 'core' ? room : undefined;
}

describe('imports', () => {
	it('are looked for in every file, all of which stand in a room', () => {
		expect([...new Set(files.map(roomOf))].sort()).toEqual(Object.keys(rooms).sort());
		expect(files.length).toBeGreaterThan(100);
		expect(files.flatMap(importsOf).length).toBeGreaterThan(400);
	});

	it.each(Object.entries(rooms))('of %s point one way', (room, allowed) => {
		const may = (to: string) =>
			[room, ...allowed].some(name => to === name || (/[:/]$/.test(name) && to.startsWith(name)));
		const own = files.filter(file => roomOf(file) === room).flatMap(importsOf);
		expect(own.filter(({ to }) => !may(to))).toEqual([]);
	});

	it('make no circle of rooms of the core', () => {
		const edges = files.flatMap(importsOf).flatMap(({ file, target }) => {
			const [from, to] = [coreRoomOf(file), coreRoomOf(target)];
			return from !== undefined && to !== undefined && from !== to ? [{ from, to }] : [];
		});
		const of = (room: string) => new Set(edges.filter(({ from }) => from === room).map(({ to }) => to));
		const left = new Map(edges.map(({ from }) => [from, of(from)]));
		expect(left.size).toBeGreaterThan(10);
		// A room that leads nowhere any more is in no circle.
		for (let before = -1; before !== left.size;) {
			before = left.size;
			for (const [room, to] of left) if (![...to].some(other => left.has(other))) left.delete(room);
		}
		expect([...left.keys()]).toEqual([]);
	});

	it('of the lowest rooms of the core lead further down, or nowhere', () => {
		const allowed: Readonly<Record<string, readonly string[]>> = {
			files: [],
			driver: [],
			worktrees: ['files'],
			budgets: ['files', 'driver'],
		};
		for (const [room, others] of Object.entries(allowed)) {
			const own = files.filter(file => coreRoomOf(file) === room);
			expect(own.length).toBeGreaterThan(1);
			const to = own.flatMap(importsOf).flatMap(({ target }) => coreRoomOf(target) ?? []);
			expect(to.filter(each => each !== room && !others.includes(each))).toEqual([]);
		}
	});

	it('are never replaced by mocks: tests take the real editor, the real agents, the real files', () => {
		const tests = globSync('test/**/*.{ts,mts}', { cwd: root });
		expect(tests.length).toBeGreaterThan(100);
		const mocks = /\bvi\.(?:mock|doMock|hoisted)\b\(/;
		expect(tests.filter(file => mocks.test(readFileSync(join(root, file), 'utf8')))).toEqual([]);
	});

	it('take nothing of Node that 20 lacks, which may run the programs', () => {
		const later = [
			'glob',
			'globSync',
			'matchesGlob',
			'mkdtempDisposableSync',
			'registerHooks',
			'styleText',
			'threadCpuUsage',
		];
		const named = new RegExp(String.raw`\b(?:${later.join('|')})\b(?=[^;]*from 'node:)|\.(?:${later.join('|')})\(`);
		expect(named.test("import { globSync } from 'node:fs';")).toBe(true);
		expect(files.filter(file => named.test(readFileSync(join(root, 'src', file), 'utf8')))).toEqual([]);
	});

	it('name a file that is there, by its own ending', () => {
		const relative = files.flatMap(importsOf).filter(({ specifier }) => specifier.startsWith('.'));
		expect(relative.length).toBeGreaterThan(300);
		expect(
			relative.filter(({ target }) => ![...files, '../package.json', 'late.js', 'main.js'].includes(target)),
		).toEqual([]);
	});

	it('are found in every way of writing one', () => {
		const code = [
			"import a from './a.ts';",
			"import type { B }\n\tfrom './b.ts';",
			"export { c } from './c.ts';",
			"import './d.ts';",
			"const e = await import('./e.ts');",
			"type F = import('./f.ts').F;",
			"const g = require('./g.ts');",
		].join('\n');
		expect(specifiersIn(code)).toEqual(['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts', './f.ts', './g.ts']);
	});
});

describe('operations', () => {
	it('have a file each, and nothing else stands beside them', () => {
		const beside = readdirSync(join(root, 'src/operations'), { withFileTypes: true }).map(({ name }) => name);
		const cases = Object.keys(operations).map(name => `${name}.ts`);
		expect(beside.sort()).toEqual(['index.ts', 'operation.ts', 'shared', ...cases].sort());
	});
});

describe('agents', () => {
	it('are named only in their driver', () => {
		// The list of drivers, and words that people read in the window's settings and help, are what is left.
		const all = drivers.flatMap(({ id, command, displayName }) => [id, command, displayName]);
		// A letter is in every file.
		const names = all.filter(({ length }) => length > 1);
		expect(names.length).toBeGreaterThan(5);
		const named = new RegExp(names.join('|'), 'i');
		const naming = files.filter(
			file =>
				!file.startsWith('drivers/') &&
				// Another orchestrator, whose files these share, has an agent in its name.
				!file.startsWith('core/delegates/swarm') &&
				named.test(withoutComments(readFileSync(join(root, 'src', file), 'utf8'))),
		);
		expect(naming).toEqual([]);
	});
});

interface Import {
	file: string;
	specifier: string;
	/** The room, top-level file or package that is imported. */
	to: string;
	/** The imported file below src, of a relative import. */
	target: string;
}

function importsOf(file: string): Import[] {
	return specifiersIn(readFileSync(join(root, 'src', file), 'utf8')).map(specifier => {
		const target = specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : '';
		const isOutside = target.startsWith('..');
		return { file, specifier, to: target === '' ? specifier : isOutside ? target : roomOf(target), target };
	});
}

function specifiersIn(code: string): string[] {
	return Array.from(
		code.matchAll(/(?<!\.)\b(?:from|import|require)\s*\(?\s*'([^'\s]+)'/g),
		([, specifier = '']) => specifier,
	);
}

function withoutComments(code: string): string {
	return code.replace(/\/\*[^]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}
