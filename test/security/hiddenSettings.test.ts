import { execFileSync } from 'node:child_process';
import {
	chmodSync,
	closeSync,
	mkdirSync,
	openSync,
	renameSync,
	rmSync,
	symlinkSync,
	truncateSync,
	writeFileSync,
	writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requireSameForAll } from '../../src/core/asker/sameForAll.ts';
import { SeenSettings } from '../../src/core/asker/seenSettings.ts';
import type { Driver } from '../../src/core/driver/driver.ts';
import { gitPrograms } from '../../src/git/gitPrograms.ts';
import { drivers } from '../../src/drivers/index.ts';
import { gitRepository, type GitRepository } from '../support/gitRepository.ts';
import { notLinux, onWindows } from '../support/skipped.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';

// What an agent may write so that its next CLI reads other settings than Nancy looks at.

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
const HOOK = '{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "sh guard.sh"}]}]}}';

describe.skipIf(notLinux)(`a link that leads each process elsewhere${notLinux}`, () => {
	const elsewhere = { code: 'not-trusted', message: expect.stringContaining('leads each program elsewhere') };
	const link = (target: string, name: string) => {
		const path = join(repository.root, name);
		rmSync(path, { recursive: true, force: true });
		mkdirSync(dirname(path), { recursive: true });
		symlinkSync(target, path);
	};

	it.each([
		['/proc/self/cwd/x/settings.json', '.qwen/settings.json'],
		['/proc/self/cwd/x', '.qwen'],
		['/proc/thread-self/cwd/x', '.qwen/skills'],
		['/dev/fd/3', '.qwen/settings.json'],
		['../../../../../../../../../../proc/self/root/x', '.qwen/settings.json'],
	])('is no settings: %s as %s', async (target, name) => {
		const seen = seenIn();
		await seen.require(byId('qwen-code'));
		link(target, name);
		await expect(seen.require(byId('qwen-code'))).rejects.toMatchObject(elsewhere);
	});

	it('is none behind another link, nor in the place of what was seen', async () => {
		repository.write({ '.qwen/settings.json': HOOK, 'x/settings.json': HOOK });
		const seen = seenIn();
		await seen.note(byId('qwen-code'));
		link('../there', '.qwen/settings.json');
		link('/proc/self/cwd/x/settings.json', 'there');
		await expect(seen.require(byId('qwen-code'))).rejects.toMatchObject(elsewhere);
	});

	it('is no program that settings name, and no folder of one', async () => {
		repository.write({
			'.qwen/settings.json': HOOK.replace('guard.sh', 'scripts/guard.sh'),
			'scripts/guard.sh': '',
		});
		const seen = seenIn();
		await seen.note(byId('qwen-code'));
		await seen.require(byId('qwen-code'));
		renameSync(join(repository.root, 'scripts'), join(repository.root, 'kept'));
		link('/proc/self/cwd/kept', 'scripts');
		await expect(seen.require(byId('qwen-code'))).rejects.toMatchObject(elsewhere);
	});

	it('is no folder of git’s hooks', async () => {
		link('/proc/self/cwd/h', '.git/hooks');
		await expect(seenIn().require(byId('codex'))).rejects.toMatchObject(elsewhere);
	});

	it('is found among others, and a circle of links is refused', () => {
		link('b', 'a');
		link('a', 'b');
		expect(() => requireSameForAll(join(repository.root, 'a'))).toThrow('too many links');
		requireSameForAll(join(repository.root, 'missing/file'));
		requireSameForAll(join(repository.root, '.git/HEAD/below'));
	});
});

it.skipIf(notLinux)(`a file whose name is no text is refused: a CLI may read it${notLinux}`, async () => {
	mkdirSync(join(repository.root, '.github/hooks'), { recursive: true });
	const name = Buffer.concat([
		Buffer.from(join(repository.root, '.github/hooks/e')),
		Buffer.from([0xff]),
		Buffer.from('.json'),
	]);
	writeFileSync(name, '{"version": 1}');
	await expect(seenIn().require(byId('copilot-cli'))).rejects.toMatchObject({
		code: 'not-trusted',
		message: expect.stringContaining('whose name is no text'),
	});
});

it('agents and commands of Claude Code are settings of Copilot CLI, which reads them', async () => {
	// Tried with 1.0.102: `mcp-servers` of .claude/agents/sub/x.md were started unasked, in an untrusted folder too.
	for (const name of ['.claude/agents/sub/x.md', '.claude/commands/x.md']) {
		repository.write({ [name]: '---\nname: x\n---\n' });
		await expect(seenIn().require(byId('copilot-cli'))).rejects.toMatchObject({
			message: expect.stringContaining(name),
		});
		rmSync(join(repository.root, name));
	}
});

it.skipIf(onWindows)(
	`a program that may not be run any more is another one: it may have denied something${onWindows}`,
	async () => {
		repository.write({
			'.claude/settings.json': HOOK.replace('sh guard.sh', './guard.sh'),
			'guard.sh': 'exit 2\n',
			'.claude/hooks/x.sh': '',
		});
		const programs = ['guard.sh', '.claude/hooks/x.sh'].map(name => join(repository.root, name));
		for (const program of programs) chmodSync(program, 0o755);
		const seen = seenIn();
		await seen.note(byId('claude-code'));
		await seen.require(byId('claude-code'));
		for (const program of programs) {
			for (const mode of [0o644, 0o655]) {
				chmodSync(program, mode);
				await expect(seen.require(byId('claude-code'))).rejects.toMatchObject({ code: 'not-trusted' });
			}
			chmodSync(program, 0o700);
			await seen.require(byId('claude-code'));
		}
	},
);

describe('without git, settings of a workspace above', () => {
	const plant = () => {
		const [workspace, below] = [folder.file('project'), folder.file('project/sub')];
		mkdirSync(join(workspace, '.opencode/plugin'), { recursive: true });
		writeFileSync(join(workspace, '.opencode/plugin/x.js'), 'evil()');
		mkdirSync(join(below, '.nancy'), { recursive: true });
		return { workspace, below };
	};
	const named = { message: expect.stringContaining('../.opencode/plugin/x.js') };

	it('are not hidden by a .nancy that an agent makes below, nor by a .git', async () => {
		const { workspace, below } = plant();
		mkdirSync(join(workspace, '.nancy'));
		await expect(seenIn(below).require(byId('opencode'))).rejects.toMatchObject(named);
		mkdirSync(join(below, '.git'));
		await expect(seenIn(below).require(byId('opencode'))).rejects.toMatchObject(named);
	});

	it('are not hidden where an agent also removes that of the workspace, which Nancy has records of', async () => {
		const { workspace, below } = plant();
		await seenIn(workspace).note(byId('claude-code'));
		await expect(seenIn(below).require(byId('opencode'))).rejects.toMatchObject(named);
	});
});

describe.skipIf(onWindows)(`a program that settings name${onWindows}`, () => {
	const hookOf = (command: string) => ({ '.claude/settings.json': HOOK.replace('sh guard.sh', command) });
	const noted = async (files: Readonly<Record<string, string>>) => {
		repository.write(files);
		const seen = seenIn();
		await seen.note(byId('claude-code'));
		await seen.require(byId('claude-code'));
		return seen;
	};
	const unseen = (...names: string[]) => ({
		code: 'not-trusted',
		message: expect.stringContaining(`: ${names.join(', ')}.`),
	});

	describe.each(['sh tools/hooks/../run.sh', 'cd tools/hooks && ../run.sh', 'cd tools/hooks/.. ; sh ./run.sh'])(
		'in %s',
		command => {
			it.each([
				[
					'to a folder of the workspace',
					'../evil/a',
					/: evil\/run\.sh, tools\/hooks\/\.\.\/(?:\.\/)?run\.sh\./,
				],
				['to a folder elsewhere', '/', /: tools\/hooks\/\.\.\/(?:\.\/)?run\.sh \(missing\)\./],
				['to nothing', 'x', /: tools\/hooks\/\.\.\/(?:\.\/)?run\.sh \(missing\)\./],
			])('is also the one behind a link %s', async (_, target, message) => {
				const seen = await noted({ ...hookOf(command), 'tools/run.sh': '', 'tools/hooks/x': '' });
				rmSync(join(repository.root, 'tools/hooks'), { recursive: true });
				repository.write({ 'evil/a/x': '', 'evil/run.sh': 'id' });
				symlinkSync(target, join(repository.root, 'tools/hooks'));
				await expect(seen.require(byId('claude-code'))).rejects.toMatchObject({
					code: 'not-trusted',
					message: expect.stringMatching(message),
				});
			});
		},
	);

	it('is also one of git’s hooks behind a link', async () => {
		repository.git(['config', 'core.hooksPath', 'a/../h']);
		const seen = await noted({ 'a/x': '', 'h/post-commit': '' });
		rmSync(join(repository.root, 'a'), { recursive: true });
		repository.write({ 'b/c/x': '', 'b/h/post-commit': 'id' });
		symlinkSync('b/c', join(repository.root, 'a'));
		await expect(seen.require(byId('claude-code'))).rejects.toMatchObject(unseen('git hook post-commit'));
	});

	it('counts by its place, whatever path leads there', async () => {
		symlinkSync(repository.root, folder.file('alias'));
		mkdirSync(folder.file('bin'));
		symlinkSync(join(repository.root, 'scripts/y.sh'), folder.file('bin/y.sh'));
		const command = `sh ${folder.file('alias/scripts/x.sh')}; sh ${folder.file('bin/y.sh')}`;
		const seen = await noted({ ...hookOf(command), 'scripts/x.sh': '', 'scripts/y.sh': '' });
		repository.write({ 'scripts/x.sh': 'id', 'scripts/y.sh': 'id' });
		await expect(seen.require(byId('claude-code'))).rejects.toMatchObject(unseen('scripts/x.sh', 'scripts/y.sh'));
	});

	it('counts in a workspace that is opened by the name of a link', async () => {
		symlinkSync(repository.root, folder.file('alias'));
		repository.write({ ...hookOf(`sh \\"${repository.root}/scripts/x.sh\\"`), 'scripts/x.sh': '' });
		const seen = seenIn(folder.file('alias'));
		await seen.note(byId('claude-code'));
		await seen.require(byId('claude-code'));
		repository.write({ 'scripts/x.sh': 'id' });
		await expect(seen.require(byId('claude-code'))).rejects.toMatchObject(unseen('scripts/x.sh'));
	});

	it('is no pipe, which anybody may write into later', async () => {
		const seen = await noted(hookOf('sh scripts/local.sh'));
		mkdirSync(join(repository.root, 'scripts'));
		execFileSync('mkfifo', [join(repository.root, 'scripts/local.sh')]);
		await expect(seen.require(byId('claude-code'))).rejects.toMatchObject({
			code: 'not-trusted',
			message: expect.stringContaining('a pipe or a device'),
		});
	});

	it('is another one after a change, also where it is too long to be read at each start', async () => {
		const seen = await noted({ ...hookOf('scripts/long.sh'), 'scripts/long.sh': '' });
		const long = join(repository.root, 'scripts/long.sh');
		truncateSync(long, 65 * 1024 * 1024);
		await seen.note(byId('claude-code'));
		await seen.require(byId('claude-code'));
		const file = openSync(long, 'r+');
		writeSync(file, 'id\n');
		closeSync(file);
		await expect(seen.require(byId('claude-code'))).rejects.toMatchObject(unseen('scripts/long.sh'));
	});

	it.each([
		[
			'claude-code',
			'.claude/agents/x.md',
			'---\nhooks: {Stop: [{hooks: [{type: command, command: sh x.sh}]}]}\n---\n',
		],
		['claude-code', '.claude/agents/x.md', '---\nmcpServers: {a: {command: sh, args: [x.sh]}}\n---\n'],
		['copilot-cli', '.github/agents/x.md', '---\nmcp-servers: {a: {command: sh, args: [x.sh]}}\n---\n'],
		['claude-code', '.claude/commands/x.md', '# Do it\n\n```!\nsh x.sh\n```\n'],
		['codex', '.codex/config.toml', '[mcp_servers.a]\ncommand = "sh"\nargs = ["\\u002e/x\\u002esh"]\n'],
		['opencode', 'tsconfig.json', '{"extends": "./x.sh"}'],
	])('by %s in %s counts: %s', async (id, name, text) => {
		repository.write({ [name]: text, 'x.sh': '' });
		const seen = seenIn();
		await seen.note(byId(id));
		await seen.require(byId(id));
		repository.write({ 'x.sh': 'id' });
		await expect(seen.require(byId(id))).rejects.toMatchObject(unseen('x.sh'));
	});
});

it('the name of a file makes no line of a refusal', async () => {
	repository.write({ '.opencode/plugin/c\nnancy: all is well\u001b[2J.js': '' });
	await expect(seenIn().require(byId('opencode'))).rejects.toMatchObject({
		message: expect.stringContaining('.opencode/plugin/c nancy: all is well\\x1b[2J.js'),
	});
});

it('what a submodule has git run counts, and so does one within it', async () => {
	repository.write({ 'm/file': '', 'm/n/file': '' });
	for (const at of ['m/n', 'm']) {
		repository.git(['init', '-q', at]);
		repository.git(['-C', at, 'add', '.']);
		repository.git(['-C', at, 'commit', '-qm', 'first']);
	}
	repository.git(['add', 'm']);
	const seen = seenIn();
	await seen.note(byId('codex'));
	await seen.require(byId('codex'));
	for (const at of ['m/n', 'm']) {
		repository.git(['-C', at, 'config', 'core.fsmonitor', 'sh x.sh']);
		await expect(seen.require(byId('codex'))).rejects.toMatchObject({
			code: 'not-trusted',
			message: expect.stringContaining('git config core.fsmonitor'),
		});
		repository.git(['-C', at, 'config', '--unset', 'core.fsmonitor']);
		await seen.require(byId('codex'));
	}
});

it('an empty folder in the place of a file of settings is one: a CLI reads no other file then', async () => {
	repository.write({ '.env': 'GEMINI_SANDBOX=podman\n' });
	const seen = seenIn();
	await seen.note(byId('gemini-cli'));
	await seen.require(byId('gemini-cli'));
	mkdirSync(join(repository.root, '.gemini/.env'), { recursive: true });
	await expect(seen.require(byId('gemini-cli'))).rejects.toMatchObject({
		code: 'not-trusted',
		message: expect.stringContaining(': .gemini/.env/.'),
	});
	await seen.note(byId('gemini-cli'));
	await seen.require(byId('gemini-cli'));
});
