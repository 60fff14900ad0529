import { downloadAndUnzipVSCode, runTests } from '@vscode/test-electron';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** @param asked `desktop` for one to be downloaded, or the executable of an installed one */
export async function findDesktop(asked: string, cachePath: string): Promise<string> {
	if (asked !== 'desktop') {
		if (existsSync(asked)) return asked;
		throw new Error(`NANCY_TEST_VSCODE is neither "desktop" nor an executable: ${asked}`);
	}
	try {
		return await downloadAndUnzipVSCode({ version: 'stable', cachePath });
	} catch (cause) {
		throw new Error(
			'VS Code could not be downloaded. Set NANCY_TEST_VSCODE to the executable of an installed one, or leave it unset: the ' +
				'host tests then run in the VS Code server.',
			{ cause },
		);
	}
}

export interface DesktopRun {
	executable: string;
	/** Becomes the editor's own: user data and extensions. */
	folder: string;
	workspace: string;
	extension: string;
	tests: string;
	env: Record<string, string>;
}

/** Opens a window that runs the tests and closes; false when it ended badly. On Linux it needs a display. */
export async function runInDesktop({
	executable,
	folder,
	workspace,
	extension,
	tests,
	env,
}: DesktopRun): Promise<boolean> {
	try {
		await runTests({
			vscodeExecutablePath: executable,
			extensionDevelopmentPath: extension,
			extensionTestsPath: tests,
			extensionTestsEnv: env,
			launchArgs: [
				workspace,
				'--disable-telemetry',
				'--user-data-dir',
				join(folder, 'data'),
				'--extensions-dir',
				join(folder, 'extensions'),
			],
		});
		return true;
	} catch (error) {
		console.log(error instanceof Error ? error.message : String(error));
		return false;
	}
}
