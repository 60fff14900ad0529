import { chmodSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SeenSettings } from '../../src/core/asker/seenSettings.ts';
import { writtenSettings } from '../../src/core/asker/writtenSettings.ts';
import type { Driver } from '../../src/core/driver/driver.ts';
import { drivers } from '../../src/drivers/index.ts';
import { gitPrograms } from '../../src/git/gitPrograms.ts';
import { gitRepository, type GitRepository } from '../support/gitRepository.ts';
import { notLinux } from '../support/skipped.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';

// Where the programs are that settings name, as people write it.

let folder: TempFolder;
let repository: GitRepository;
beforeEach(() => {
	folder = tempFolder();
	repository = gitRepository();
});
afterEach(async () => {
	await repository.remove();
	await folder.remove();
});

const byId = (id: string): Driver => drivers.find(driver => driver.id === id) ?? drivers[0]!;
const seenIn = (workspace = repository.root) => new SeenSettings(folder.file('data'), workspace, gitPrograms);
const hook = (command: string) => JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } });
const write = (path: string, text: string) => {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, text);
};

/** Notes these settings, and then changes the program. */
async function changed(id: string, files: Readonly<Record<string, string>>, program: string) {
	const inRepository = Object.entries(files).map(([name, text]) => [
		name,
		text.replaceAll('/WS', repository.root).replaceAll('/HOME', homedir()),
	]);
	repository.write({ ...Object.fromEntries(inRepository), [program]: '' });
	const seen = seenIn();
	await seen.note(byId(id));
	await seen.require(byId(id));
	repository.write({ [program]: 'id' });
	return seen.require(byId(id));
}

const refusedFor = (...names: string[]) => ({
	code: 'not-trusted',
	message: expect.stringContaining(`: ${names.join(', ')}.`),
});

describe('a program is known', () => {
	it.each([
		['cd "/WS/d" && ./x.sh'],
		['cd "/WS/d" && sh x.sh'],
		['make -C "/WS/d" x.sh'],
		['cd d && cd e && ./x.sh', 'd/e/x.sh'],
		['cd "$(pwd)/d" && ./x.sh'],
		['env --chdir=d ./x.sh'],
		['npx --prefix d tsx x.ts', 'd/x.ts'],
		['pnpm --dir d exec node x.js', 'd/x.js'],
		['node -r./d/x.js', 'd/x.js'],
		['sh<d/x.txt', 'd/x.txt'],
		['f() { bash run; }; (f)', 'run'],
	])('in a hook: %s', async (command, program = 'd/x.sh') => {
		await expect(changed('claude-code', { '.claude/settings.json': hook(command) }, program)).rejects.toMatchObject(
			refusedFor(program),
		);
	});

	it.each([
		['claude-code', '.mcp.json', '{"mcpServers":{"a":{"command":"node","args":["x.js"],"cwd":"/WS/d"}}}'],
		['opencode', 'opencode.json', '{"mcp":{"a":{"command":["uv","--directory","/WS/d","run","x.js"]}}}'],
		['codex', '.codex/config.toml', '[mcp_servers.a]\ncommand = "node"\nargs = ["x.js"]\ncwd = "/WS/d"\n'],
		[
			'gemini-cli',
			'.gemini/settings.json',
			'{"mcpServers":{"a":{"command":"node","args":["x.js"],"cwd":"/WS/d"}}}',
		],
	])('of a server of %s in %s, whose folder is a whole path', async (id, name, text) => {
		await expect(changed(id, { [name]: text }, 'd/x.js')).rejects.toMatchObject(refusedFor('d/x.js'));
	});

	it.each([
		['command="bash"\nargs=["run"]\n'],
		['args=["run"]\ncommand="bash"\n'],
		['command = "bash"\nargs = [\n  "-e",\n  "run",\n]\n'],
		['command = "bash"\nargs = ["]", "run"] # ]\n'],
		['command = "a program"\nargs = ["my run", "run"]\n'],
	])('of a server in TOML, by a word: %j', async server => {
		const settings = { '.codex/config.toml': `[mcp_servers.a]\n${server}` };
		await expect(changed('codex', settings, 'run')).rejects.toMatchObject(refusedFor('run'));
	});

	it('of a notice in TOML over several lines', async () => {
		const settings = { '.codex/config.toml': 'notify = [\n  "bash",\n  "run",\n]\n' };
		await expect(changed('codex', settings, 'run')).rejects.toMatchObject(refusedFor('run'));
	});

	it.each([['command: bash\n    args: [run]'], ['command: bash\n    args:\n      - run']])(
		'of a server in YAML, by a word: %j',
		async server => {
			const text = `---\nmcpServers:\n  a:\n    ${server}\n---\n`;
			await expect(changed('claude-code', { '.claude/agents/x.md': text }, 'run')).rejects.toMatchObject(
				refusedFor('run'),
			);
		},
	);

	it.each([
		['\ufeff---\nhooks:\n  - command: sh x.sh\n---\n'],
		['\n---\nhooks:\n  - command: sh x.sh\n---\n'],
		['--- \nhooks:\n  - command: sh x.sh\n---\n'],
		['---\nhooks: {Stop: [{hooks: [\n{command: sh x.sh}]}]}\n---\n'],
	])('in the head of an agent’s file: %j', async text => {
		await expect(changed('claude-code', { '.claude/agents/x.md': text }, 'x.sh')).rejects.toMatchObject(
			refusedFor('x.sh'),
		);
	});

	it.each(['~/bin/x.sh', '$HOME/bin/x.sh', '"$HOME/bin/x.sh"', '${HOME}/bin/x.sh'])(
		'by the user’s home, whose link leads into the workspace: sh %s',
		async path => {
			const home = join(homedir(), `nancy-${process.pid}`);
			mkdirSync(join(home, 'bin'), { recursive: true });
			try {
				symlinkSync(join(repository.root, 'x.sh'), join(home, 'bin/x.sh'));
				const command = `sh ${path.replace('/bin', `/${relative(homedir(), home)}/bin`)}`;
				await expect(
					changed('claude-code', { '.claude/settings.json': hook(command) }, 'x.sh'),
				).rejects.toMatchObject(refusedFor('x.sh'));
			} finally {
				rmSync(home, { recursive: true });
			}
		},
	);
});

it.skipIf(notLinux)(`what a user may not read, or leads elsewhere outside, stops nobody${notLinux}`, async () => {
	const command = `docker run -v ${folder.file('secret/in/x.sh')}:/x; cat /etc/mtab /proc/meminfo /dev/stdin`;
	write(folder.file('secret/in/x.sh'), '');
	chmodSync(folder.file('secret'), 0);
	repository.write({ '.claude/settings.json': hook(command) });
	const above = [tmpdir(), folder.path, dirname(repository.root)].map(path => [path, statSync(path).mode] as const);
	for (const [path, mode] of above) chmodSync(path, mode | 0o055);
	const isRoot = process.getuid?.() === 0;
	if (isRoot) process.seteuid?.(65_534);
	try {
		const look = new SeenSettings(folder.file('data'), repository.root, () => Promise.resolve(new Map()));
		expect(await look.unseen(byId('claude-code'), repository.root)).toBe('.claude/settings.json');
	} finally {
		if (isRoot) process.seteuid?.(0);
		for (const [path, mode] of above) chmodSync(path, mode);
		chmodSync(folder.file('secret'), 0o700);
	}
});

it('a folder is none of packages by the beginning of its name', async () => {
	const at = join(repository.root, 'node_modules-demo');
	write(join(at, '.nancy/x'), '');
	write(join(at, '.claude/settings.json'), hook('sh x.sh'));
	write(join(at, 'x.sh'), '');
	const seen = seenIn(at);
	await seen.note(byId('claude-code'));
	write(join(at, 'x.sh'), 'id');
	await expect(seen.require(byId('claude-code'))).rejects.toMatchObject(refusedFor('x.sh'));
});

describe('what is behind `..`', () => {
	it('counts in a workspace below the settings that name it, and in one opened by the name of a link', async () => {
		symlinkSync(repository.root, folder.file('alias'));
		repository.write({
			'.claude/settings.json': hook(
				`sh tools/hooks/../run.sh; sh "${folder.file('alias')}/more/hooks/../run.sh"`,
			),
			...Object.fromEntries(
				['tools', 'more'].flatMap(at => [
					[`${at}/run.sh`, ''],
					[`${at}/hooks/x`, ''],
				]),
			),
			'sub/.nancy/x': '',
		});
		const [below, byLink] = [seenIn(join(repository.root, 'sub')), seenIn(folder.file('alias'))];
		for (const seen of [below, byLink]) {
			await seen.note(byId('claude-code'));
			await seen.require(byId('claude-code'));
		}
		for (const [at, ...looks] of [['tools', below, byLink] as const, ['more', byLink] as const]) {
			rmSync(join(repository.root, at, 'hooks'), { recursive: true });
			symlinkSync(folder.path, join(repository.root, at, 'hooks'));
			const message = expect.stringMatching(new RegExp(`${at}/hooks/../run.sh \\(missing\\)`));
			for (const seen of looks)
				await expect(seen.require(byId('claude-code'))).rejects.toMatchObject({ message });
		}
	});

	it('is no link that leads out of a worktree', async () => {
		repository.commit({
			'.claude/settings.json': hook('sh tools/hooks/../run.sh'),
			'tools/run.sh': '',
			'tools/hooks/x': '',
		});
		const seen = seenIn();
		await seen.note(byId('claude-code'));
		const worktree = folder.file('worktree');
		repository.git(['worktree', 'add', '-q', worktree]);
		await seen.require(byId('claude-code'), worktree);
		rmSync(join(worktree, 'tools/hooks'), { recursive: true });
		write(folder.file('x/run.sh'), '');
		mkdirSync(folder.file('x/a'));
		symlinkSync(folder.file('x/a'), join(worktree, 'tools/hooks'));
		await expect(seen.require(byId('claude-code'), worktree)).rejects.toMatchObject({
			message: expect.stringContaining('a link that leads out of the worktree'),
		});
	});
});

describe('a file by which opencode takes modules from elsewhere', () => {
	const NAMES = ['tsconfig.json', '.npmrc', '.svelte-kit/tsconfig.json'];
	const files = {
		'opencode.json': '{"instructions":["x.md"]}',
		'tsconfig.json': '{"extends":"./.svelte-kit/tsconfig.json","compilerOptions":{"outFile":"built.js"}}',
		'.npmrc': '//registry.example/:_authToken=secret\n',
		'.svelte-kit/tsconfig.json': '{}',
		'built.js': '',
	};

	it('may be missing in a worktree, is not copied there, and names no output', async () => {
		repository.commit({ '.gitignore': `${NAMES.join('\n')}\n`, 'opencode.json': files['opencode.json'] });
		repository.write(files);
		const seen = seenIn();
		await seen.note(byId('opencode'));
		repository.write({ 'built.js': 'built again' });
		await seen.require(byId('opencode'));
		expect([...(await writtenSettings(seen, byId('opencode'), repository.root)).keys()]).toEqual(['opencode.json']);
		const worktree = folder.file('worktree');
		repository.git(['worktree', 'add', '-q', worktree]);
		await seen.require(byId('opencode'), worktree);
	});

	it.each(NAMES)('is looked at: %s', async name => {
		repository.write(files);
		const seen = seenIn();
		await seen.note(byId('opencode'));
		repository.write({ [name]: '{"x":1}' });
		await expect(seen.require(byId('opencode'))).rejects.toMatchObject(refusedFor(name));
	});
});

describe('a submodule that git has made', () => {
	const add = () => {
		const library = gitRepository();
		library.commit({ file: '' });
		repository.commit({ 'a file': '' });
		repository.git(['-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', library.root, 'library']);
		repository.git(['commit', '-qam', 'with a library']);
		return library;
	};

	it('is nothing that git runs, also in a worktree', async () => {
		const seen = seenIn();
		await seen.note(byId('codex'));
		const library = add();
		try {
			await seen.require(byId('codex'));
			const worktree = folder.file('worktree');
			repository.git(['worktree', 'add', '-q', worktree]);
			repository.git(['-C', worktree, '-c', 'protocol.file.allow=always', 'submodule', 'update', '-q', '--init']);
			await seen.require(byId('codex'), worktree);
			repository.git(['-C', join(worktree, 'library'), 'config', 'core.worktree', repository.root]);
			await expect(seen.require(byId('codex'), worktree)).rejects.toMatchObject({ code: 'not-trusted' });
		} finally {
			await library.remove();
		}
	});

	it('and has lost its repository is looked at once', async () => {
		const library = add();
		try {
			rmSync(join(repository.root, 'library/.git'));
			mkdirSync(join(repository.root, 'library/.git'));
			const seen = seenIn();
			await seen.note(byId('codex'));
			await seen.require(byId('codex'));
		} finally {
			await library.remove();
		}
	});
});

it('the name of a link makes no line of a refusal', async () => {
	mkdirSync(join(repository.root, '.opencode'));
	symlinkSync('/proc/self/cwd', join(repository.root, '.opencode/c\nnancy: all is well'));
	await expect(seenIn().require(byId('opencode'))).rejects.toMatchObject({
		message: expect.stringMatching(
			process.platform === 'linux' ? /^[^\n]*c nancy: all is well is a link[^\n]*$/ : /./,
		),
	});
});
