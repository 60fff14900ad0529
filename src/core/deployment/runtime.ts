import { lstatSync } from 'node:fs';
import {
	access,
	constants,
	lstat,
	mkdir,
	readdir,
	readFile,
	readlink,
	rename,
	stat,
	symlink,
	writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { writeFileAtomic } from '../../base/atomicFile.ts';
import { hasErrno } from '../../base/errors.ts';
import { folderNames } from '../../base/listing.ts';
import { removeTree } from '../../base/removeTree.ts';
import { isExecutable } from '../../base/searchPath.ts';
import { uniqueHex } from '../../base/unique.ts';
import { isAtLeast, parseVersion } from '../../base/version.ts';
import { requireOwn } from '../files/ownFolder.ts';
import { contentHash, hashOfFiles, namesIn, type ContentFile } from './contentHash.ts';
import { LAUNCHER, runtimesIn } from './launcher.ts';
import {
	CACHE,
	NANCY_SCRIPT,
	NODE_PROGRAM,
	NODE_SCRIPT,
	TERMINAL_SCRIPT,
	nodeProgramText,
	recordedNode,
	type NodeProgram,
} from './runtimePrograms.ts';

/** The parts of a runtime: the built programs, and the skills as deployed. Absolute paths. */
export interface RuntimeSources {
	/** Its other parts are beside it. */
	guard: string;
	/** Folder with the program behind the guard, one for each driver: `<driver>.js`. */
	hooks: string;
	cli: string;
	/** Folder with the files of the desk's page. */
	pages: string;
	skills: string;
	/** Folder of a marketplace with Nancy's plugin. */
	plugin: string;
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

/** The parts of the guard for what may be due, and for what is prepared. Each is read only then. */
const GUARD_PARTS = ['due', 'hand-over', 'hand-over.pl'];

/** Programs that the `nancy` command loads only for what needs them. They are beside it. */
const COMPANIONS = ['serve.js', 'picture.js', 'memory.js', 'projects.js'];

/** The folder of the plugin in a runtime, and the link to it in the data folder. */
const PLUGIN = 'plugin';

/** The `.gitignore` of a skill. */
export const HIDING = '*\n';

const PROGRAMS = [LAUNCHER, 'node', 'terminal', 'bin/nancy'];
/** On macOS a pseudo-terminal starts its program with this. */
const SPAWN_HELPER = /(?:^|\/)spawn-helper$/;
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
				pages: join(folder, 'desk'),
				skills: join(folder, 'skills'),
				plugin: join(folder, PLUGIN),
			}
		: {
				guard: join(folder, 'hooks', 'nancy-hook'),
				hooks: join(folder, 'dist', 'hook'),
				cli: join(folder, 'dist', 'nancy.js'),
				pages: join(folder, 'media', 'desk'),
				skills: join(folder, 'skills'),
				plugin: join(folder, 'dist', PLUGIN),
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
	const parts = await partsOf(sources);
	const hash = hashOfFiles(parts);
	const runtime = runtimeAt(dataFolder, `${version}-${hash.slice(0, 8)}`);
	const isOpen = requireOwn([runtime.folder]) || wasOpen;
	const isWhole = !isOpen && (await isOwnAlone(runtime.folder)) && (await isSame(runtime.folder, hash));
	let isRepaired = false;
	if (!isWhole) {
		const temp = join(parent, `.new-${uniqueHex(12)}`);
		try {
			await build(temp, [...parts, { name: NODE_PROGRAM, bytes: Buffer.from(nodeProgramText(node)) }]);
			isRepaired = await replace(temp, runtime.folder);
		} finally {
			await removeTree(temp);
		}
	}
	await sweep(parent);
	await offerPlugin(runtime);
	const known = await recordedNode(runtime.folder);
	if (!known) await writeFileAtomic(join(runtime.folder, NODE_PROGRAM), nodeProgramText(node));
	return { ...runtime, isRepaired, node: known ?? node };
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

/** Everything that a runtime holds, but for the name of its Node. */
async function partsOf({ guard, hooks, cli, pages, skills, plugin }: RuntimeSources): Promise<ContentFile[]> {
	const own = Object.entries({ node: NODE_SCRIPT, terminal: TERMINAL_SCRIPT, 'bin/nancy': NANCY_SCRIPT });
	// Deployed skills are this machine's: like `.nancy`, each keeps itself out of the user's commits.
	for (const skill of await folderNames(skills)) own.push([`skills/${skill}/.gitignore`, HIDING]);
	const written = new Set(own.map(([name]) => name));
	const copied = [
		...[LAUNCHER, ...GUARD_PARTS].map(name => ({ name, file: join(dirname(guard), name) })),
		{ name: 'nancy.js', file: cli },
		...COMPANIONS.map(name => ({ name, file: join(dirname(cli), name) })),
		...(await below(pages, 'desk')),
		...(await below(hooks, 'hook')).filter(({ name }) => !name.endsWith('.map')),
		...(await below(skills, 'skills')),
		...(await below(plugin, PLUGIN)),
	].filter(({ name }) => !written.has(name));
	return [
		...own.map(([name, text]) => ({ name, bytes: Buffer.from(text) })),
		...(await Promise.all(copied.map(async ({ name, file }) => ({ name, bytes: await readFile(file) })))),
	];
}

async function below(folder: string, as: string): Promise<{ name: string; file: string }[]> {
	return (await namesIn(folder)).map(({ name }) => ({ name: `${as}/${name}`, file: join(folder, name) }));
}

async function build(folder: string, parts: readonly ContentFile[]): Promise<void> {
	await mkdir(folder, { recursive: true, mode: 0o700 });
	for (const { name, bytes } of parts) {
		const file = join(folder, name);
		await mkdir(dirname(file), { recursive: true, mode: 0o700 });
		await writeFile(file, bytes, { mode: PROGRAMS.includes(name) || SPAWN_HELPER.test(name) ? 0o755 : 0o644 });
	}
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
		// Node's compile cache makes and renames files while hooks run.
		const found = lstatSync(join(parentPath, name), { throwIfNoEntry: false });
		if (found && found.uid !== me) return false;
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

/**
 * Points the data folder's link to the plugin of this runtime, unless a later version's is there. Agents know the plugin by that link, and the
 * plugin finds by it the programs that it calls.
 */
async function offerPlugin({ folder, dataFolder, version }: Runtime): Promise<void> {
	const link = join(dataFolder, PLUGIN);
	const present = dirname(await readlink(link).catch(() => ''));
	if (present === folder) return;
	const [own, other] = [version, basename(present)].map(parseVersion);
	if (own && other && !isAtLeast(own, other) && isExecutable(join(present, LAUNCHER))) return;
	const fresh = join(dirname(folder), `.new-${uniqueHex(12)}`);
	// On Windows a junction needs no privilege.
	await symlink(join(folder, PLUGIN), fresh, 'junction');
	await rename(fresh, link);
}

/** Leftovers of a kill. They are so old that no other installer is still at work. A fresh link may lead to an old folder. */
async function sweep(parent: string): Promise<void> {
	for (const name of await readdir(parent)) {
		if (!name.startsWith('.new-') && !/\.old-[0-9a-f]{8}$/.test(name)) continue;
		const { mtimeMs } = await lstat(join(parent, name)).catch(() => ({ mtimeMs: Date.now() }));
		if (Date.now() - mtimeMs > ABANDONED_MS) await removeTree(join(parent, name));
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
	await removeTree(old);
	return wasThere;
}
