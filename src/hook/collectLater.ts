import { dirname, join } from 'node:path';

/**
 * Lets the `nancy` command of this runtime collect a workspace's events after the hook's end. The command holds none of the hook's pipes,
 * because the CLI waits for those. It does nothing while a window collects. Its folder says where to collect: it counts as an agent's, and
 * an agent names no workspace.
 */
export async function collectLater(workspaceFolder: string): Promise<void> {
	// Loaded only here: it takes longer than most hooks do.
	const { spawn } = await import('node:child_process');
	// This program is `<runtime>/hook/<driver>.js`.
	const nancy = join(dirname(dirname(process.argv[1] ?? '')), 'bin', 'nancy');
	spawn(nancy, ['traffic', '--limit', '0'], { cwd: workspaceFolder, detached: true, stdio: 'ignore' })
		.on('error', () => undefined) // then the next session tries, or a window
		.unref();
}
