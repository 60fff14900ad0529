import {
	access,
	chmod,
	constants,
	cp,
	lstat,
	mkdir,
	readdir,
	readFile,
	readlink,
	rename,
	rm,
	stat,
	writeFile,
} from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { readTextIfExists } from '../../base/atomicFile.ts';
import { hasErrno } from '../../base/errors.ts';
import { folderNames } from '../../base/listing.ts';
import { sha256 } from '../../base/sha256.ts';
import { uniqueHex } from '../../base/unique.ts';
import { requireOwn } from '../files/ownFolder.ts';

/** The parts of a runtime: the built programs, and the skills as deployed. Absolute paths. */
export interface RuntimeSources {
	/** Its second part is beside it. */
	guard: string;
	/** Folder with the program behind the guard, one for each driver: `<driver>.js`. */
	hooks: string;
	cli: string;
	skills: string;
}

/** The program that runs the bundled JavaScript. */
export interface NodeProgram {
	executable: string;
	/** It is VS Code's own executable, which acts as Node only with a variable. */
	isElectron: boolean;
}

export interface Runtime {
	folder: string;
	/** The program that settings files call. */
	launcher: string;
	/** Goes first on the PATH of Nancy's terminals; holds `nancy`. */
	bin: string;
	skills: string;
	/** Version and content, for the deployment record. */
	version: string;
	/** The user's data folder that contains the runtime. */
	dataFolder: string;
}

export interface InstalledRuntime extends Runtime {
	/** It was damaged, and has just been replaced. */
	isRepaired: boolean;
	/** The program that runs it. Its first installer may have found another one. */
	node: NodeProgram;
}

/**
 * The beginning of a deployed line, of any version: the launcher's path as one word for the shell, or the test whether it exists.
 * ownEntries.ts decides whether the line is Nancy's.
 */
export const LAUNCHER_PATTERN = /^(?:\[ -x )?('((?:[^']|'\\'')*\/nancy\/runtime\/(\d[^/\s'"]*)\/nancy-hook)')(?=\s|$)/;

/** The launcher that a line of a deployment calls, and the version of its runtime. */
export function launcherIn(line: string): { file: string; version: string } | undefined {
	const [, , file, version] = LAUNCHER_PATTERN.exec(line) ?? [];
	return file === undefined || version === undefined ? undefined : { file: file.replaceAll(`'\\''`, "'"), version };
}

/** The launcher as a deployed line has it, quoted for the shell. */
export function launcherOf(line: string): string {
	return LAUNCHER_PATTERN.exec(line)?.[1] ?? '';
}

/** The launcher of an installed runtime. */
export function installedLauncher(dataFolder: string, version: string): string {
	return join(runtimesIn(dataFolder), version, LAUNCHER);
}

/** The driver that a line of a deployment calls the launcher for. */
export function driverIn(line: string): string | undefined {
	return /\/nancy-hook' ([a-z][a-z0-9-]*) /.exec(line)?.[1];
}

/** A launcher between quotes anywhere in a text: in a whole file that Nancy wrote, in any language. */
export function launcherWithin(text: string): string | undefined {
	return /(['"`])((?:(?!\1)[^\n])*\/nancy\/runtime\/\d[^/\s'"`]*\/nancy-hook)\1/.exec(text)?.[2];
}

/** Whether the program that a whole file calls is gone. A path that quoting has changed tells nothing. */
export async function isLauncherGone(text: string): Promise<boolean> {
	const launcher = launcherWithin(text);
	return launcher?.startsWith('/') === true && !(await isExecutable(launcher));
}

/** Name of the program that hooks call, which every entry of Nancy's in another tool's file has in it. */
export const LAUNCHER = 'nancy-hook';

/** The part of the guard that hands over what is prepared. It is read only then. */
const HAND_OVER = 'hand-over';

/** The `.gitignore` of a skill. */
export const HIDING = '*\n';

/** Where the runtimes of all versions are, below the user's data folder. */
export function runtimesIn(dataFolder: string): string {
	return join(dataFolder, 'runtime');
}

const PROGRAMS = [LAUNCHER, 'node', join('bin', 'nancy')];
/** Node's own compile cache. */
const CACHE = 'cache';
/** Names the Node that runs the rest: its path, and whether it is an editor's own. */
const NODE_PROGRAM = 'node-program';
/** No part of the runtime's hash, because the runtime is the same under any Node. */
const NOT_CONTENT = [CACHE, NODE_PROGRAM];
const ABANDONED_MS = 60 * 60 * 1000;

/** The built programs below an extension's or a clone's folder, or those of an installed runtime itself. */
export function sourcesIn(folder: string, layout: 'package' | 'runtime'): RuntimeSources {
	return layout === 'runtime'
		? {
				guard: join(folder, 'nancy-hook'),
				hooks: join(folder, 'hook'),
				cli: join(folder, 'nancy.js'),
				skills: join(folder, 'skills'),
			}
		: {
				guard: join(folder, 'hooks', 'nancy-hook'),
				hooks: join(folder, 'dist', 'hook'),
				cli: join(folder, 'dist', 'nancy.js'),
				skills: join(folder, 'skills'),
			};
}

/**
 * Installs the programs that settings files point to, outside any editor's extension folder, so an update or another editor never leaves a
 * dead path. The folder is named after version and content: a new build is a new folder, so nothing changes under a running hook. Safe to
 * repeat. A damaged runtime, or one that others could write, is replaced.
 * @throws NancyError `bad-file` if a folder on the way belongs to somebody else
 */
export async function installRuntime(
	sources: RuntimeSources,
	version: string,
	dataFolder: string,
	node: NodeProgram,
): Promise<InstalledRuntime> {
	const parent = runtimesIn(dataFolder);
	await mkdir(parent, { recursive: true, mode: 0o700 });
	const wasOpen = requireOwn([dataFolder, parent]);
	const temp = join(parent, `.new-${uniqueHex(12)}`);
	try {
		await build(temp, sources, node);
		const hash = await contentHash(temp, NOT_CONTENT);
		const name = `${version}-${hash.slice(0, 8)}`;
		const runtime = runtimeAt(dataFolder, name);
		const isOpen = requireOwn([runtime.folder]) || wasOpen;
		const isWhole = !isOpen && (await isOwnAlone(runtime.folder)) && (await isSame(runtime.folder, hash));
		const isRepaired = !isWhole && (await replace(temp, runtime.folder));
		let known = await recordedNode(runtime.folder);
		if (!known) {
			await rename(join(temp, NODE_PROGRAM), join(runtime.folder, NODE_PROGRAM)).catch(ignoreMissing);
			known = node;
		}
		return { ...runtime, isRepaired, node: known };
	} finally {
		await rm(temp, { recursive: true, force: true });
		await sweep(parent);
	}
}

function runtimeAt(dataFolder: string, version: string): Runtime {
	const folder = join(runtimesIn(dataFolder), version);
	return {
		folder,
		launcher: join(folder, 'nancy-hook'),
		bin: join(folder, 'bin'),
		skills: join(folder, 'skills'),
		version,
		dataFolder,
	};
}

async function build(folder: string, sources: RuntimeSources, node: NodeProgram): Promise<void> {
	await mkdir(join(folder, 'bin'), { recursive: true, mode: 0o700 });
	await cp(sources.guard, join(folder, LAUNCHER));
	await cp(join(dirname(sources.guard), HAND_OVER), join(folder, HAND_OVER));
	const isMap = (file: string) => file.endsWith('.map');
	await cp(sources.hooks, join(folder, 'hook'), { recursive: true, filter: file => !isMap(file) });
	await cp(sources.cli, join(folder, 'nancy.js'));
	await cp(sources.skills, join(folder, 'skills'), { recursive: true });
	for (const skill of await folderNames(join(folder, 'skills'))) {
		// Deployed skills are this machine's: like `.nancy`, each keeps itself out of the user's commits.
		await writeFile(join(folder, 'skills', skill, '.gitignore'), HIDING);
	}
	await writeFile(join(folder, 'node'), NODE_SCRIPT);
	await writeFile(join(folder, NODE_PROGRAM), `${node.executable}\n${node.isElectron ? 'electron' : 'node'}\n`);
	await writeFile(join(folder, 'bin', 'nancy'), NANCY_SCRIPT);
	for (const program of PROGRAMS) await chmod(join(folder, program), 0o755);
}

/**
 * NODE_OPTIONS can preload any file, and a rule that lets an agent run `nancy` must not allow that. The command starts without them, and its
 * children get them (`restoreNodeOptions`). A runner mostly waits: without a compiler and with a small nursery it needs 57 MB instead of 76.
 */
const NANCY_SCRIPT = [
	'#!/bin/sh',
	'here=${0%/*}',
	'lean=',
	`[ "\${NANCY_LEAN-}" = 1 ] && lean='--jitless --max-semi-space-size=1'`,
	'NANCY_NODE_OPTIONS=${NODE_OPTIONS-}',
	'export NANCY_NODE_OPTIONS',
	'unset NODE_OPTIONS NANCY_LEAN',
	'exec "$here/../node" $lean "$here/../nancy.js" "$@"',
	'',
].join('\n');

/**
 * Falls back to the `node` on PATH if the program of the installation has gone. Never uses one in the current folder, which an empty or
 * relative entry of PATH means: that may be somebody's repository. The cache spares V8 the compiling. The guard reads this script into its
 * own shell, and names its folder in `nancy_place`.
 */
const NODE_SCRIPT = [
	'#!/bin/sh',
	': "${nancy_place:=${0%/*}}"',
	'program=',
	'kind=',
	`{ IFS= read -r program && IFS= read -r kind; } 2>/dev/null <"$nancy_place/${NODE_PROGRAM}"`,
	'[ "$kind" = electron ] && ELECTRON_RUN_AS_NODE=1 && export ELECTRON_RUN_AS_NODE',
	'if ! [ -x "$program" ]; then',
	'	program=',
	'	set -f',
	'	IFS=:',
	'	for folder in $PATH; do',
	'		case $folder in /*) [ -f "$folder/node" ] && [ -x "$folder/node" ] && program=$folder/node && break ;; esac',
	'	done',
	'	unset IFS',
	'	[ -n "$program" ] || exit 127',
	'fi',
	`NODE_COMPILE_CACHE=$nancy_place/${CACHE}; export NODE_COMPILE_CACHE`,
	'exec "$program" "$@"',
	'',
].join('\n');

/** The Node that a runtime names, while there is such a program. */
async function recordedNode(folder: string): Promise<NodeProgram | undefined> {
	const [executable = '', kind] = ((await readTextIfExists(join(folder, NODE_PROGRAM))) ?? '').split('\n');
	return (await isExecutable(executable)) ? { executable, isElectron: kind === 'electron' } : undefined;
}

/** Whether there is a program that this user may run. */
export async function isExecutable(file: string): Promise<boolean> {
	return access(file, constants.X_OK).then(
		() => true,
		() => false,
	);
}

function ignoreMissing(error: unknown): void {
	if (!hasErrno(error, 'ENOENT')) throw error;
}

/** Whether everything in a folder is the user's, and nobody else can look into it. Files below may then be open to others. */
async function isOwnAlone(folder: string): Promise<boolean> {
	const me = process.getuid?.();
	if (me === undefined) return true;
	const { mode } = await stat(folder).catch(() => ({ mode: 0 }));
	if ((mode & 0o077) !== 0) return false;
	for (const { parentPath, name } of await readdir(folder, { recursive: true, withFileTypes: true }).catch(
		() => [],
	)) {
		if ((await lstat(join(parentPath, name))).uid !== me) return false;
	}
	return true;
}

async function isSame(folder: string, hash: string): Promise<boolean> {
	try {
		for (const program of PROGRAMS) await access(join(folder, program), constants.X_OK);
		return (await contentHash(folder, NOT_CONTENT)) === hash;
	} catch (error) {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR', 'EACCES')) return false;
		throw error;
	}
}

/** Leftovers of a kill. They are so old that no other installer is still at work. */
async function sweep(parent: string): Promise<void> {
	for (const name of await readdir(parent)) {
		if (!name.startsWith('.new-') && !/\.old-[0-9a-f]{8}$/.test(name)) continue;
		const { mtimeMs } = await stat(join(parent, name)).catch(() => ({ mtimeMs: Date.now() }));
		if (Date.now() - mtimeMs > ABANDONED_MS) await rm(join(parent, name), { recursive: true, force: true });
	}
}

/**
 * For a moment there is no launcher. Its guarded line in a settings file then does nothing, silently. Returns whether there was something
 * to replace.
 */
async function replace(fresh: string, folder: string): Promise<boolean> {
	const old = `${folder}.old-${uniqueHex(8)}`;
	let wasThere = true;
	try {
		await rename(folder, old);
	} catch (error) {
		if (!hasErrno(error, 'ENOENT')) throw error;
		wasThere = false;
	}
	try {
		await rename(fresh, folder);
	} catch (error) {
		// Another process has installed the very same content meanwhile.
		if (!hasErrno(error, 'ENOTEMPTY', 'EEXIST')) throw error;
	}
	await rm(old, { recursive: true, force: true });
	return wasThere;
}

/** SHA-256 over names and bytes of everything in a folder, except the files named `except`; for links, over their targets. */
export async function contentHash(folder: string, except: readonly string[] = []): Promise<string> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const files = entries
		.filter(entry => !entry.isDirectory())
		.map(entry => ({
			name: relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'),
			isFile: entry.isFile(),
		}))
		.filter(({ name }) => !except.includes(name.split('/', 1)[0] ?? ''))
		.sort((a, b) => (a.name < b.name ? -1 : 1));
	const parts: (string | Buffer)[] = [];
	for (const { name, isFile } of files) {
		const file = join(folder, name);
		const bytes = isFile ? await readFile(file) : Buffer.from(await readlink(file).catch(() => 'neither'));
		parts.push(`${name}\0${isFile ? '' : 'link '}${bytes.length}\0`, bytes);
	}
	return sha256(...parts);
}
