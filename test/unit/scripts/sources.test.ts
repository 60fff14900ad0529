import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { repository } from '../../support/programs.ts';

it('are loaded by a script as they are, without a warning', async () => {
	const script = ['--input-type=module', '--eval', `await import('./src/base/version.ts')`];
	const { stderr } = await promisify(execFile)(process.execPath, script, { cwd: repository });
	expect(stderr).toBe('');
});
