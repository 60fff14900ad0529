import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { dataFolder } from '../../base/folders.ts';
import {
	installRuntime,
	sourcesIn,
	type InstalledRuntime,
	type RuntimeSources,
} from '../../core/deployment/runtime.ts';
import type { NodeProgram } from '../../core/deployment/runtimePrograms.ts';
import { findNode } from '../../process/detect.ts';
import type { Program } from './caller.ts';

/** The programs that hooks and terminals call. Installs them for this user if they are missing. */
export async function ownRuntime({ program, env, version }: Program): Promise<InstalledRuntime> {
	return installRuntime(ownSources(program), version, dataFolder(env), await findNode(env, runningProgram()));
}

function runningProgram(): NodeProgram {
	return { executable: process.execPath, isElectron: process.versions['electron'] !== undefined };
}

/** Whether this program is in an installed runtime, or in `dist/` of a package. */
function ownSources(program: string): RuntimeSources {
	const folder = dirname(realpathSync(program));
	const isRuntime = existsSync(join(folder, 'nancy-hook'));
	const sources = isRuntime ? sourcesIn(folder, 'runtime') : sourcesIn(dirname(folder), 'package');
	const missing = Object.values(sources).find(file => !existsSync(file));
	if (missing === undefined) return sources;
	throw new NancyError('io', phrase`this Nancy is not complete: ${missing} is missing; build or install it again`);
}
