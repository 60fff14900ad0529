import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ownTarget, vsixOf } from '../../scripts/lib/targets.mts';
import { serverProgram } from './vscodeServer.ts';

/** What `npm run package` makes for this machine. */
export const packagedExtension = vsixOf(ownTarget);

/** Installs a VSIX for a server that will run in `serverFolder`, the way VS Code itself installs it. */
export async function installVsix(serverFolder: string, vsix = packagedExtension): Promise<void> {
	const folders = [
		'--user-data-dir',
		join(serverFolder, 'data'),
		'--extensions-dir',
		join(serverFolder, 'extensions'),
	];
	const { stdout, stderr } = await promisify(execFile)(process.execPath, [
		serverProgram,
		...folders,
		'--install-extension',
		vsix,
	]);
	if (!stdout.includes('successfully installed'))
		throw new Error(`VS Code did not install ${vsix}:\n${stdout}${stderr}`);
}
