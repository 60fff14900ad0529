import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { npmEnvironment, root } from './bootstrap.mjs';
import { runOrThrow } from './run.mjs';

/** The lock file beside it pins every platform's binary by integrity. */
const manifest = join(root, 'scripts', 'agents', 'claude-code');

/**
 * Installs the pinned Claude Code CLI under .agents/. The folder appears whole, by a rename, so half an install is never used.
 * @returns {Promise<string>} the executable
 */
export async function installClaudeCode() {
	const { dependencies } = JSON.parse(await readFile(join(manifest, 'package.json'), 'utf8'));
	const folder = join(root, '.agents', `claude-code-${dependencies['@anthropic-ai/claude-code']}`);
	const executable = join(folder, 'node_modules', '.bin', 'claude');
	if (existsSync(join(folder, 'done'))) return executable;
	const temporary = join(root, '.agents', `installing-${process.pid}`);
	await mkdir(temporary, { recursive: true });
	try {
		for (const file of ['package.json', 'package-lock.json'])
			await copyFile(join(manifest, file), join(temporary, file));
		await runOrThrow('npm', ['ci'], { cwd: temporary, env: npmEnvironment() });
		await writeFile(join(temporary, 'done'), '');
		await rename(temporary, folder).catch(error => {
			if (!existsSync(join(folder, 'done'))) throw error;
		});
	} finally {
		await rm(temporary, { recursive: true, force: true });
	}
	return executable;
}
