import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { serverProgram } from './vscodeServer.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** What `npm run package` makes. */
export const packagedExtension = join(root, 'out', 'nancy.vsix');

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
