import { join } from 'node:path';
import { isExecutable } from '../../base/searchPath.ts';

/** Name of the program that hooks call, which every entry of Nancy's in another tool's file has in it. */
export const LAUNCHER = 'nancy-hook';

/** Where the runtimes of all versions are, below the user's data folder. */
export function runtimesIn(dataFolder: string): string {
	return join(dataFolder, 'runtime');
}

/** The launcher of an installed runtime. */
export function installedLauncher(dataFolder: string, version: string): string {
	return join(runtimesIn(dataFolder), version, LAUNCHER);
}

/**
 * The beginning of a deployed line, of any version: the launcher's path as one word for the shell, or the test whether it exists.
 * ownEntries.ts decides whether the line is Nancy's.
 */
export const LAUNCHER_PATTERN = /^(?:\[ -x )?('((?:[^']|'\\'')*\/nancy\/runtime\/(\d[\w.+-]*)\/nancy-hook)')(?=\s|$)/;

/** The launcher that a line of a deployment calls, and the version of its runtime. */
export function launcherIn(line: string): { file: string; version: string } | undefined {
	const [, , file, version] = LAUNCHER_PATTERN.exec(line) ?? [];
	return file === undefined || version === undefined ? undefined : { file: file.replaceAll(`'\\''`, "'"), version };
}

/** The launcher as a deployed line has it, quoted for the shell. */
export function launcherOf(line: string): string {
	return LAUNCHER_PATTERN.exec(line)?.[1] ?? '';
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
export function isLauncherGone(text: string): boolean {
	const launcher = launcherWithin(text);
	return launcher?.startsWith('/') === true && !isExecutable(launcher);
}
