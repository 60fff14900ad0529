import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { npmEnvironment, root } from './bootstrap.mjs';
import { runOrThrow } from './run.mjs';

const VERSION = '4.139.1';
const INTEGRITY = 'sha512-fUYvJVdz4ZoVJfakGiGWXFMpF8K1ObsrpGvX17ZxNpKOzdNHs7lANT670JTr4ZhA8DnWqyvvmFG/d3HV9Yy6ew==';
/** Large parts of VS Code that no test of ours looks at: 220 MB that would be unpacked in vain, and 100 that come with it. */
const UNUSED = {
	dependencies: ['@github/copilot-sdk', '@microsoft/mxc-sdk', '@devcontainers/cli'],
	folders: ['extensions/copilot', 'extensions/mermaid-markdown-features'],
};

const folder = join(root, '.vscode-test', `server-${VERSION}`);

/**
 * Puts a real VS Code server under .vscode-test/: what the npm package code-server carries, without its own front end.
 * Needs tar, make, python3 and a C++ compiler for a small addon.
 * @returns {Promise<string>} the server's folder
 */
export async function installVscodeServer() {
	if (existsSync(folder)) return folder;
	const temporary = join(root, '.vscode-test', `installing-${process.pid}`);
	await mkdir(temporary, { recursive: true });
	const environment = { ...npmEnvironment(), ...headersBesideNode() };
	const npm = (args, cwd) => runOrThrow('npm', args, { cwd, env: environment, yields: true });
	try {
		await npm(['pack', `code-server@${VERSION}`, '--silent'], temporary);
		const archive = join(temporary, `code-server-${VERSION}.tgz`);
		await verify(archive);
		await runOrThrow('tar', ['xzf', archive, 'package/lib/vscode'], { cwd: temporary, yields: true });
		const server = join(temporary, 'package', 'lib', 'vscode');
		await leaveOut(server);
		// Not `npm ci`: the shrinkwrap in the package lacks an entry.
		await npm(['install', '--omit=dev', '--ignore-scripts', '--silent'], server);
		// Not spdlog, which takes longest: VS Code then keeps its log in memory, and nobody here reads it. -O0: in two thirds of the time.
		environment.CXXFLAGS = '-O0';
		await npm(['rebuild', '@vscode/native-watchdog', '--silent'], server);
		await rename(server, folder).catch(error => {
			if (!existsSync(folder)) throw error;
		});
	} finally {
		await rm(temporary, { recursive: true, force: true });
	}
	return folder;
}

async function leaveOut(server) {
	for (const unused of UNUSED.folders) await rm(join(server, unused), { recursive: true, force: true });
	const file = join(server, 'package.json');
	const manifest = JSON.parse(await readFile(file, 'utf8'));
	for (const unused of UNUSED.dependencies) delete manifest.dependencies[unused];
	await writeFile(file, JSON.stringify(manifest));
}

async function verify(archive) {
	const found =
		'sha512-' +
		createHash('sha512')
			.update(await readFile(archive))
			.digest('base64');
	if (found !== INTEGRITY)
		throw new Error(`code-server ${VERSION} has another integrity than the pinned one: ${found}`);
}

/** Addons compile without a download where Node's headers came with the Node we run. */
function headersBesideNode() {
	const prefix = dirname(dirname(process.execPath));
	return existsSync(join(prefix, 'include', 'node', 'node_api.h')) ? { npm_config_nodedir: prefix } : {};
}
