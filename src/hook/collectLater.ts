import { dirname, join } from 'node:path';

/**
 * Has a workspace's events collected by the `nancy` command of this runtime, which goes on when the hook has ended. It holds none of
 * the hook's pipes, for the CLI waits for those; and does nothing where a window collects.
 */
export async function collectLater(workspaceFolder: string): Promise<void> {
	// Loaded only here: it takes longer than most hooks do.
	const { spawn } = await import('node:child_process');
	// This program is `<runtime>/hook/<driver>.js`.
	const nancy = join(dirname(dirname(process.argv[1] ?? '')), 'bin', 'nancy');
	spawn(nancy, ['-C', workspaceFolder, 'traffic', '--limit', '0'], { cwd: '/', detached: true, stdio: 'ignore' })
		.on('error', () => undefined) // then the next session tries, or a window
		.unref();
}
