import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onPath, withSafePath } from '../../src/base/searchPath.ts';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { gitRepository } from '../support/gitRepository.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { fakeClaude } from '../unit/cli/fakeClaude.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

const PROGRAMS = ['git', 'node', 'sh', 'env', 'ps', 'tmux', 'chmod', 'cat', 'sleep', 'claude'];
const ANSWER = JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'The answer.' });

it('runs no program of a repository that an empty or relative entry of PATH leads to', async () => {
	await using outside = tempFolder();
	await using repository = gitRepository();
	const ran = outside.file('ran');
	for (const folder of ['.', 'sub']) {
		mkdirSync(join(repository.root, folder), { recursive: true });
		for (const program of PROGRAMS)
			writeFileSync(join(repository.root, folder, program), `#!/bin/sh\necho ${program} "$@" >> ${ran}\n`, {
				mode: 0o755,
			});
	}
	repository.commit({});
	const path = ['', '.', 'sub', './sub', fakeClaude(realpathSync(outside.path)), ''].join(delimiter);
	const env = { PATH: path, HOME: outside.path, FAKE_CLAUDE: `cat > /dev/null; echo '${ANSWER}'` };
	const run = (...args: string[]) => nancy.start(args, { cwd: repository.root, env });
	expect(await run('orchestrate', 'fix', '--', '--print')).toMatchObject({ code: 0 });
	for (const host of ['', 'tmux']) {
		const variables = host === '' ? {} : { NANCY_DELEGATES_HOST: host };
		const said = await nancy.start(['delegate', 'x', '--worktree'], {
			cwd: repository.root,
			env: { ...env, ...variables },
		});
		expect(said).toMatchObject({ code: 0 });
	}
	expect(await run('doctor')).toMatchObject({ stdout: expect.any(String) });
	const delegates = new Delegates(new Workspace(repository.root));
	const states = async () => (await delegates.list()).delegates.map(({ state, error }) => error ?? state);
	await expect.poll(states).toEqual(['done', 'done']);
	expect(await run('delegates', '--json')).toMatchObject({ code: 0 });
	expect(await run('cleanup')).toMatchObject({ code: 0 });
	expect(existsSync(ran)).toBe(false);
});

it('finds programs in absolute folders alone, and leaves no PATH that means the current one', async () => {
	await using folder = tempFolder();
	writeFileSync(folder.file('tool'), '#!/bin/sh\n', { mode: 0o755 });
	for (const PATH of ['', '.', ':', 'bin', `./..${folder.path}`]) {
		expect(onPath('tool', { PATH })).toBeUndefined();
		expect(withSafePath({ PATH })).toEqual({ PATH: '/usr/bin:/bin' });
	}
	const PATH = `:${folder.path}:.:/usr/bin`;
	expect(onPath('tool', { PATH })).toBe(folder.file('tool'));
	expect(withSafePath({ PATH, A: 'b' })).toEqual({ PATH: `${folder.path}:/usr/bin`, A: 'b' });
	expect(withSafePath({})).toEqual({});
});
