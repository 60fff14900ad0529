import {
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { gitRepository, type GitRepository } from '../support/gitRepository.ts';
import { long, longIf } from '../support/long.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';
import { fakeClaude } from '../unit/cli/fakeClaude.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';

const ANSWER = JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'The answer.' });
const LOCAL = '.claude/settings.local.json';
const DENY = '{ "permissions": { "deny": ["Read(./.env)"] } }\n';
const BY_AGENT = { CLAUDECODE: '1' };

let nancy: NancyCommand;
let folder: TempFolder;
let repository: GitRepository;
let delegates: Delegates;

beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());
beforeEach(async () => {
	folder = tempFolder();
	repository = gitRepository();
	const workspace = new Workspace(repository.root, join(nancy.dataFolder, 'nancy'));
	await workspace.prepare();
	delegates = new Delegates(workspace);
	repository.commit({ '.gitignore': `.env\n.nancy\n${LOCAL}\n.claude/hooks\n` });
	repository.write({ '.env': 'SECRET\n', '.worktreeinclude': '.env\n' });
});
afterEach(async () => {
	await repository.remove();
	await folder.remove();
});

const run = (args: readonly string[], env: Record<string, string> = {}) => {
	const own = { PATH: fakeClaude(folder.file('bin')), HOME: folder.path, ...env };
	return nancy.run(args, {
		cwd: repository.root,
		env: { ...own, FAKE_CLAUDE: `cat > /dev/null; echo '${ANSWER}'` },
	});
};
const setUp = async () => expect(await run(['setup', '--agent', 'claude-code'])).toMatchObject({ code: 0 });

/** A delegate in a worktree, at its end. */
async function delegate(env: Record<string, string>, option = '--worktree') {
	expect(await run(['delegate', 'x', option], env)).toMatchObject({ code: 0 });
	await run(['delegates', '--wait', '--timeout', '600']);
	const { delegates: all } = await delegates.list();
	const last = all.toSorted((a, b) => (a.record.id < b.record.id ? -1 : 1)).at(-1);
	if (!last) throw new Error('there is no delegate');
	const at = (name: string) => join(last.status.worktree?.folder ?? '', name);
	const read = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : undefined);
	return { state: last.state, error: last.status.error, at, read };
}

describe('a delegate in a worktree', () => {
	it('has the rules of its asker that git ignores, as the person wrote them, and no ignored file that an agent names', async () => {
		repository.write({ [LOCAL]: DENY, '.claude/hooks/look.sh': '#!/bin/sh\n' });
		await setUp();
		expect(readFileSync(join(repository.root, LOCAL), 'utf8')).toContain('nancy-hook');
		const { state, at, read } = await delegate(BY_AGENT);
		expect({
			state,
			local: JSON.parse(read(LOCAL) ?? '{}'),
			hook: read('.claude/hooks/look.sh'),
			env: read('.env'),
		}).toEqual({
			state: 'done',
			local: JSON.parse(DENY),
			hook: '#!/bin/sh\n',
			env: undefined,
		});
		expect(readdirSync(at('.claude')).toSorted()).toEqual(['hooks', 'settings.local.json']);
	});

	it('has what a person lets it include, and the rules too, if a person asks, and seals nothing', async () => {
		repository.write({ [LOCAL]: DENY });
		const { state, read } = await delegate({});
		expect({ state, local: JSON.parse(read(LOCAL) ?? '{}'), env: read('.env') }).toEqual({
			state: 'done',
			local: JSON.parse(DENY),
			env: 'SECRET\n',
		});
		// Nobody has looked at the settings of the workspace by that.
		expect(await run(['delegate', 'x', '--worktree'], BY_AGENT)).toMatchObject({ code: 5 });
	});

	it('is not started for an agent without rules that git neither has nor ignores', async () => {
		repository.write({ '.claude/settings.json': DENY });
		await setUp();
		expect(await delegate(BY_AGENT)).toMatchObject({
			state: 'failed',
			error: expect.stringContaining('.claude/settings.json (missing)'),
		});
		expect(await delegate(BY_AGENT, '--with-changes')).toMatchObject({ state: 'done' });
	});

	it('is not started for an agent from a commit that lacks the rules', long, async () => {
		const before = repository.git(['rev-parse', 'HEAD']).trim();
		repository.commit({ '.claude/settings.json': DENY });
		await setUp();
		writeFileSync(join(repository.root, '.git/HEAD'), `${before}\n`);
		expect(await delegate(BY_AGENT)).toMatchObject({
			state: 'failed',
			error: expect.stringContaining('.claude/settings.json (missing)'),
		});
	});

	describe('of settings that name programs', () => {
		const hook = (command: string) =>
			JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }] } });
		const GUARD = '#!/bin/sh\nexit 2\n';

		it('is not started for an agent that has taken one out of the commit', async () => {
			repository.commit({ '.claude/settings.json': hook('scripts/guard.sh'), 'scripts/guard.sh': GUARD });
			await setUp();
			expect(await delegate(BY_AGENT)).toMatchObject({ state: 'done' });
			repository.git(['rm', '-q', '--cached', 'scripts/guard.sh']);
			repository.git(['commit', '-qm', 'no guard']);
			expect(await delegate(BY_AGENT)).toMatchObject({
				state: 'failed',
				error: expect.stringMatching(/: scripts\/guard\.sh \(missing\)\. .* commit what else is missing/),
			});
			// Now git ignores it.
			repository.write({ '.gitignore': `${LOCAL}\n.nancy\nscripts\n` });
			const { state, read } = await delegate(BY_AGENT);
			expect([state, read('scripts/guard.sh')]).toEqual(['done', GUARD]);
		});

		for (const [how, command, program, text, mode] of [
			['by its name', 'sh built/guard.sh', 'built/guard.sh', 'exit 2', 0o644],
			['by its beginning', 'built/guard', 'built/guard', GUARD, 0o644],
			['by its permissions', 'built/guard', 'built/guard', '\0binary', 0o755],
		] as const)
			it(`has one that git ignores, and that is known ${how}`, longIf(mode === 0o644), async () => {
				repository.commit({ '.claude/settings.json': hook(command), '.gitignore': '.nancy\nbuilt\n' });
				repository.write({ [program]: text });
				chmodSync(join(repository.root, program), mode);
				await setUp();
				const { state, at, read } = await delegate(BY_AGENT);
				expect([state, read(program), statSync(at(program)).mode & 0o111]).toEqual([
					'done',
					text,
					mode & 0o111,
				]);
			});

		it.each([
			['which may be a secret', '. ./.env; true', () => undefined],
			[
				'behind a link',
				'sh linked.sh',
				() => {
					repository.write({ 'built.sh': GUARD });
					symlinkSync('built.sh', join(repository.root, 'linked.sh'));
				},
			],
		])('is not started for an agent if git ignores a file of them %s', async (_, command, make) => {
			repository.commit({
				'.claude/settings.json': hook(command),
				'.gitignore': '.env\n.nancy\nlinked.sh\nbuilt.sh\n',
			});
			make();
			await setUp();
			expect(await delegate(BY_AGENT)).toMatchObject({
				state: 'failed',
				error: expect.stringMatching(/: (?:\.env|linked\.sh) \(missing\)\. /),
			});
		});
	});

	it('gets no file that a link among the settings leads to', async () => {
		const secret = folder.file('secret');
		writeFileSync(secret, 'TOP SECRET');
		const link = join(repository.root, '.claude/hooks/notes.md');
		mkdirSync(dirname(link), { recursive: true });
		symlinkSync(secret, link);
		symlinkSync('../../.env', join(dirname(link), 'env.md'));
		const { read } = await delegate({});
		expect([read('.claude/hooks/notes.md'), read('.claude/hooks/env.md')]).toEqual([undefined, undefined]);
	});
});
