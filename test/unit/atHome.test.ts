import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { atHome } from '../support/atHome.ts';
import { tempFolder } from '../support/tempFolder.ts';

it('a program of the demo runs with the demo’s home, with its own arguments, and as the very process that was started', async () => {
	await using folder = tempFolder("nancy it's-");
	mkdirSync(folder.file('installed'));
	const executable = folder.file('installed/agent');
	writeFileSync(executable, '#!/bin/sh\nprintf "%s\\n" "$$" "$HOME" "$#" "$@"\n', { mode: 0o755 });
	const home = folder.file('home');
	const program = await atHome(folder.file('bin'), executable, home);
	expect(program).toBe(folder.file('bin/agent'));
	const { pid, stdout } = spawnSync(program, ['a b', '$HOME'], { encoding: 'utf8' });
	expect(stdout.trimEnd().split('\n')).toEqual([String(pid), home, '2', 'a b', '$HOME']);
});
