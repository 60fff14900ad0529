import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { liveness } from '../../src/base/liveness.ts';
import { onPath } from '../../src/base/searchPath.ts';
import { startRunner } from '../../src/process/runnerHost.ts';
import { skippedUnless } from '../support/skipped.ts';
import { tempFolder } from '../support/tempFolder.ts';

const script = (file: string, text: string) => writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });

/** A folder whose name tmux takes for a command where it expands formats: `#(…)`. */
async function startIn(folder: ReturnType<typeof tempFolder>, id: string, path: string) {
	const workspace = folder.file('C#(touch $RAN)#{pane_id}');
	mkdirSync(workspace);
	// Says where it is, and what it got.
	script(
		folder.file('nancy'),
		`pwd > "${folder.file('began')}"; printf '%s\\n' "$@" >> "${folder.file('began')}"; sleep 1`,
	);
	const changes = { NANCY_DELEGATES_HOST: 'tmux', RAN: folder.file('ran'), PATH: path, TMUX_TMPDIR: folder.path };
	const runner = await startRunner(folder.file('nancy'), workspace, id, changes);
	return {
		workspace,
		runner,
		began: () => existsSync(folder.file('began')) && readFileSync(folder.file('began'), 'utf8'),
	};
}

const withoutTmux = skippedUnless(onPath('tmux', process.env), 'needs tmux');

it.skipIf(withoutTmux)(
	`runs no command that the name of a folder has in it, in the real tmux${withoutTmux}`,
	async () => {
		await using folder = tempFolder();
		const { workspace, runner, began } = await startIn(folder, 'real', process.env['PATH'] ?? '');
		await expect.poll(began).toBe(`${workspace}\n-C\n${workspace}\nrun\n--delegate\nreal\n`);
		await expect.poll(() => liveness(runner)).toBe('dead');
		expect(existsSync(folder.file('ran'))).toBe(false);
	},
);

it.skipIf(withoutTmux)(`starts a second runner beside one of which nobody knows${withoutTmux}`, async () => {
	await using folder = tempFolder();
	// As long as the folder is there.
	script(folder.file('nancy'), 'while [ -e "$0" ]; do sleep 0.1; done');
	const changes = { NANCY_DELEGATES_HOST: 'tmux', TMUX_TMPDIR: folder.path };
	const start = () => startRunner(folder.file('nancy'), folder.path, 'twice', changes);
	const runners = [await start(), await start()];
	expect(runners.map(liveness)).toEqual(['alive', 'alive']);
	expect(new Set(runners.map(({ pid }) => pid)).size).toBe(2);
	for (const { pid } of runners) process.kill(pid);
});

it('gives tmux the folder in no place where it expands formats', async () => {
	await using folder = tempFolder();
	mkdirSync(folder.file('bin'));
	script(folder.file('bin', 'tmux'), `printf '%s\\n' "$@" >> "${folder.file('asked')}"; echo $$`);
	const { workspace } = await startIn(folder, 'fake', `${folder.file('bin')}:/usr/bin:/bin`);
	const asked = readFileSync(folder.file('asked'), 'utf8').split('\n');
	expect(asked.filter(word => word === workspace)).toHaveLength(1);
	expect(asked[asked.indexOf(workspace) - 1]).toBe('-C');
	expect(asked).not.toContain('-c');
});
