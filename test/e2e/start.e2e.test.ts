import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('npm start opens a workbench without an account', async () => {
	const { stdout } = await promisify(execFile)('node', ['scripts/start.mjs', '--demo', '--once', '--no-open']);
	expect(stdout).toMatch(/^Claude Code.*: with a scripted model/m);
	expect(stdout).toMatch(/^Open http:\/\/127\.0\.0\.1:\d+\/\?folder=\S+$/m);
	expect(stdout).toContain('The workbench answers.');
});
