import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/**
 * Makes a program that is another one with a home of its own: some agent CLIs are told their home by HOME alone, and the desktop
 * around them needs the user's.
 * @param folder the new program's, made where it is missing
 */
export async function atHome(folder: string, executable: string, home: string): Promise<string> {
	const file = join(folder, basename(executable));
	await mkdir(folder, { recursive: true });
	// In its place: the terminal's process is to be the agent's own.
	const lines = ['#!/bin/sh', `export HOME=${quoted(home)}`, `exec ${quoted(executable)} "$@"`, ''];
	await writeFile(file, lines.join('\n'), { mode: 0o755 });
	return file;
}

function quoted(text: string): string {
	return `'${text.replaceAll("'", "'\\''")}'`;
}
