import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Delegates } from '../../../src/core/delegates/delegates.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { ORCHESTRATOR } from '../../../src/protocol/names.ts';
import { DelegatesOutput } from '../../../src/protocol/output/delegates.ts';
import { DoctorOutput } from '../../../src/protocol/output/deployment.ts';
import { bubblewrap } from '../../support/bubblewrap.ts';
import { BY_USER, messageContent } from '../../support/messageContent.ts';
import { tempFolder } from '../../support/tempFolder.ts';
import { fakeClaude } from './fakeClaude.ts';
import { NancyCommand } from './nancyCommand.ts';

const { skipped, folder: sandboxes } = bubblewrap();

function never(): never {
	throw new Error('there is no delegate');
}

const ANSWER = JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'The answer.' });

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

/** A user who wants delegates isolated. The agent leaves in the project what it sees of the home. */
async function shell(isolate: string) {
	const folder = tempFolder('nancy-isolated-');
	const settings = folder.file('config/nancy/settings.json');
	mkdirSync(folder.file('config/nancy'), { recursive: true });
	const set = (delegates: object) => writeFileSync(settings, JSON.stringify({ delegates }));
	set({ isolate });
	writeFileSync(folder.file('secret.txt'), 'hidden');
	const workspace = new Workspace(folder.file('project'), join(nancy.dataFolder, 'nancy'));
	await workspace.prepare();
	const env: Record<string, string> = {
		PATH: [fakeClaude(folder.file('bin')), sandboxes].join(delimiter),
		FAKE_CLAUDE: `cat > /dev/null; cat "$HOME/secret.txt" > seen.txt 2>&1; echo '${ANSWER}'`,
		HOME: folder.path,
		XDG_CONFIG_HOME: folder.file('config'),
	};
	const run = (args: readonly string[], more: Record<string, string> = {}) =>
		nancy.run(args, { cwd: workspace.folder, env: { ...env, ...more } });
	return {
		folder,
		env,
		set,
		run,
		store: new Delegates(workspace),
		seen: folder.file('project/seen.txt'),
		async ended() {
			const { stdout } = await run(['delegates', '--wait', '--timeout', '600', '--json']);
			return DelegatesOutput.parse(JSON.parse(stdout)).delegates;
		},
		async isolation(more: Record<string, string> = {}) {
			const { stdout } = await run(['doctor', '--json'], more);
			const { checks } = DoctorOutput.parse(JSON.parse(stdout));
			return checks.flatMap(({ check, level, text }) =>
				check === 'isolation' ? [{ level, text: String(text) }] : [],
			);
		},
		/** A `bwrap` that a system lets make nothing. */
		broken() {
			const bin = folder.file('broken');
			mkdirSync(bin);
			writeFileSync(join(bin, 'bwrap'), '#!/bin/sh\necho "No permissions" >&2\nexit 1\n', { mode: 0o755 });
			return { PATH: [bin, env['PATH']].join(delimiter) };
		},
		[Symbol.asyncDispose]: () => folder.remove(),
	};
}

describe.concurrent(`with isolation set, a delegate${skipped}`, { skip: skipped !== '' }, () => {
	it('runs in a sandbox, as its list says, unless a person chooses none', async () => {
		await using it = await shell('bwrap');
		expect((await it.run(['delegate', 'x'])).code).toBe(0);
		expect(await it.ended()).toMatchObject([{ status: 'done', isolate: 'bwrap' }]);
		expect(readFileSync(it.seen, 'utf8')).toContain('No such file');
		expect((await it.run(['delegates'])).stdout).toContain('isolated (bwrap)');
		expect(await it.isolation()).toEqual([
			{ level: 'ok', text: expect.stringMatching(/^delegates run isolated by .*bwrap$/) },
		]);

		expect((await it.run(['delegate', 'x', '--isolate', 'none'])).code).toBe(0);
		const [, second] = await it.ended();
		expect(second?.isolate).toBeUndefined();
		expect(readFileSync(it.seen, 'utf8')).toBe('hidden');
	});

	it('fails with the cure where it cannot be isolated, and never runs without', async () => {
		await using it = await shell('bwrap');
		const broken = it.broken();
		expect((await it.run(['delegate', 'x'], broken)).code).toBe(0);
		expect(await it.ended()).toMatchObject([
			{
				status: 'failed',
				error: expect.stringMatching(
					/bubblewrap may not make namespaces here \(No permissions\);.*--isolate none/,
				),
			},
		]);
		expect(existsSync(it.seen)).toBe(false);
		expect(await it.isolation(broken)).toEqual([
			{ level: 'problem', text: expect.stringContaining('no delegate runs: bubblewrap may not make namespaces') },
		]);
	});

	it('of an agent is isolated too, and no agent chooses otherwise', async () => {
		await using it = await shell('bwrap');
		const agent = { CLAUDECODE: '1' };
		for (const choice of ['none', 'bwrap-offline']) {
			const refused = await it.run(['delegate', 'x', '--isolate', choice], agent);
			expect(refused).toMatchObject({
				code: 5,
				stderr: expect.stringContaining('choose how a delegate is isolated'),
			});
		}
		expect((await it.run(['delegate', 'x'], agent)).code).toBe(0);
		expect(await it.ended()).toMatchObject([{ status: 'done', isolate: 'bwrap' }]);
	});

	it('has nothing of its mailbox sent on as another’s words: it can write the seals there', async () => {
		await using it = await shell('bwrap');
		const FAKE_CLAUDE = `until [ -e open.gate ]; do sleep 0.05; done; ${it.env['FAKE_CLAUDE']}`;
		expect((await it.run(['delegate', 'x'], { FAKE_CLAUDE })).code).toBe(0);
		const [{ record } = never()] = (await it.store.list()).delegates;
		for (const kind of ['result', 'directive'] as const)
			await it.store.workspace.send(record, messageContent(`Forged ${kind}.`, { kind }), BY_USER);
		writeFileSync(it.folder.file('project/open.gate'), '');
		expect(await it.ended()).toMatchObject([{ status: 'done' }]);
		const human = it.store.workspace.mailbox({ task: record.task, worker: ORCHESTRATOR });
		const { messages } = await human.list();
		expect(messages.map(({ author }) => author.is)).toEqual(['delegate']);
		expect(messages[0]?.content.text).toContain('2 messages to it were never read, 2 of unknown author');
		expect(messages[0]?.content.text).not.toContain('Forged');
	});

	it('has no tear-down command: that would run outside the sandbox over files that the agent has changed', async () => {
		await using it = await shell('bwrap');
		it.set({ isolate: 'bwrap', worktreeSetUp: 'true', worktreeTearDown: 'sh clean.sh' });
		const { path } = it.folder;
		const identity = ['-c', 'user.name=T', '-c', 'user.email=t@example.com'];
		for (const args of [
			['init', '-q'],
			[...identity, 'commit', '-q', '--allow-empty', '-m', 'first'],
		])
			execFileSync('git', ['-C', join(path, 'project'), ...args]);
		const asked = await it.run(['delegate', 'x', '--worktree']);
		expect(asked).toMatchObject({
			code: 0,
			stderr: expect.stringContaining('without the user’s tear-down command'),
		});
		expect(await it.ended()).toMatchObject([{ status: 'done' }]);
		const [{ record } = never()] = (await it.store.list()).delegates;
		expect([record.setUp, record.tearDown]).toEqual(['true', undefined]);
	});

	it('is refused before it is queued if it would need what a sandbox does not have', async () => {
		await using it = await shell('bwrap');
		const refused = async (args: string[], why: RegExp, code = 2) =>
			expect(await it.run(['delegate', 'x', ...args])).toMatchObject({
				code,
				stderr: expect.stringMatching(why),
			});
		await refused(['--permissions', 'ask-me'], /an isolated delegate cannot ask you/);
		await refused(['--isolate', 'chroot'], /--isolate needs none, bwrap, bwrap-offline/);
		expect((await it.store.list()).delegates).toEqual([]);
		it.set({ isolate: 'chroot' });
		expect((await it.run(['delegate', 'x'])).code).not.toBe(0);
		expect((await it.store.list()).delegates).toEqual([]);
	});
});
