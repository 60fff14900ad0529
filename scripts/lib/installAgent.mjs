import { existsSync } from 'node:fs';
import { copyFile, mkdir, open, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { adapterIds, localAgent, packageOf, pinnedAgent } from '../../test/support/pinnedAgent.ts';
import { INSTALL, npmEnvironment, root } from './bootstrap.mjs';
import { runOrThrow } from './run.mjs';

const SHEBANG = '#!/usr/bin/env node\n';

/**
 * Installs an agent CLI at its pinned version under .agents/. The folder appears whole, by a rename, so half an install is
 * never used. The lock file pins by integrity, and names no registry.
 * @param {import('../../test/support/pinnedAgent.ts').AgentId} id
 * @returns {Promise<string>} the executable
 */
export async function installAgent(id) {
	const { manifest, ...agent } = pinnedAgent(id);
	return install(id, agent, async temporary => {
		for (const file of ['package.json', 'package-lock.json'])
			await copyFile(join(manifest, file), join(temporary, file));
	});
}

/**
 * Installs the newest version of an agent CLI that npm has, beside the pinned one.
 * @param {import('../../test/support/pinnedAgent.ts').AgentId} id
 * @returns {Promise<string>} the version
 */
export async function installNewest(id) {
	const name = packageOf(id);
	const printed = await runOrThrow('npm', ['view', name, 'version', '--loglevel=error'], { env: npmEnvironment() });
	const version = /^\d+\.\d+\.\d+\S*$/m.exec(printed)?.[0];
	if (version === undefined) throw new Error(`npm tells no version of ${name}: ${printed}`);
	await installVersion(id, version);
	return version;
}

/**
 * Installs an agent CLI at any version, beside the pinned one.
 * @param {import('../../test/support/pinnedAgent.ts').AgentId} id
 * @param {string} version
 * @returns {Promise<string>} the executable
 */
export function installVersion(id, version) {
	return install(id, localAgent(id, version), async temporary => {
		const manifest = { private: true, dependencies: { [packageOf(id)]: version } };
		await writeFile(join(temporary, 'package.json'), JSON.stringify(manifest));
	});
}

/** @param {(folder: string) => Promise<void>} writeManifest */
async function install(id, { folder, executable }, writeManifest) {
	if (existsSync(join(folder, 'done'))) return executable;
	const temporary = join(root, '.agents', `installing-${id}-${process.pid}`);
	await mkdir(temporary, { recursive: true });
	try {
		await writeManifest(temporary);
		const options = adapterIds.includes(id) ? [...INSTALL, '--omit=optional'] : INSTALL;
		await runOrThrow('npm', options, { cwd: temporary, env: npmEnvironment(), yields: true });
		await bindToNode(join(temporary, relative(folder, executable)));
		await writeFile(join(temporary, 'done'), '');
		await rename(temporary, folder).catch(error => {
			if (!existsSync(join(folder, 'done'))) throw error;
		});
	} finally {
		await rm(temporary, { recursive: true, force: true });
	}
	return executable;
}

/**
 * A CLI written in JavaScript runs under whatever `node` is first on PATH, which may be too old for it. This puts a script in
 * the place of npm's link that takes the project's own Node, without changing the PATH that the agent's tools see.
 */
async function bindToNode(executable) {
	if (process.platform === 'win32') return;
	if ((await beginning(executable)) !== SHEBANG) return;
	const program = await readlink(executable);
	const script = [
		'#!/bin/sh',
		'here=$(dirname "$(readlink -f "$0")")',
		// From .agents/<agent>/node_modules/.bin to the project's.
		'node="$here/../../../../node_modules/.bin/node"',
		'[ -x "$node" ] || node=node',
		`exec "$node" "$here/${program}" "$@"`,
	];
	await rm(executable);
	await writeFile(executable, `${script.join('\n')}\n`, { mode: 0o755 });
}

/** As much of a file as a shebang is long: a native program has hundreds of megabytes. */
async function beginning(file) {
	const handle = await open(file);
	try {
		const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(SHEBANG.length) });
		return buffer.toString('utf8', 0, bytesRead);
	} finally {
		await handle.close();
	}
}
