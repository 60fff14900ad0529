import { realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Driver } from '../driver/driver.ts';
import { checkoutsAbove, posixPath } from './checkouts.ts';
import { namedPaths } from './namedPaths.ts';
import { contentOf } from './settingsContent.ts';
import { programsAmong, settingsFiles, type Owner } from './settingsFiles.ts';
import { programAt, type WrittenFile } from './writtenFile.ts';

/**
 * The settings as a person wrote them, without Nancy's own entries, and the programs that they name, by their path from the nearest
 * checkout. Files by another name, which may lead elsewhere, are left out.
 */
export async function writtenSettings(
	owner: Owner,
	driver: Driver,
	folder: string,
): Promise<ReadonlyMap<string, WrittenFile>> {
	const [nearest = folder] = checkoutsAbove(folder);
	const top = await realpath(nearest);
	const files = new Map<string, WrittenFile>();
	const paths = new Set<string>();
	for await (const { path, at, isFolder, deniesNothing } of settingsFiles(driver, owner, folder)) {
		if (isFolder || deniesNothing) continue;
		const name = posixPath(nearest, path);
		const file = join(top, name);
		if (name.startsWith('../') || (await realpath(path)) !== file) continue;
		const content = await contentOf(owner, file, driver, posixPath(at, path));
		if (!content) continue;
		files.set(name, { content, mode: (await stat(file)).mode & 0o777 });
		for (const each of namedPaths({ path, at, text: content.toString('utf8') })) paths.add(each);
	}
	for (const path of [...programsAmong(paths, owner.workspaceFolder, folder).values()].flat()) {
		const name = posixPath(nearest, path);
		const program = name.startsWith('../') || files.has(name) ? undefined : await programAt(join(top, name));
		if (program) files.set(name, program);
	}
	// Nancy's skills have one each, and stay behind.
	const isAlone = (name: string) =>
		basename(name) === '.gitignore' &&
		![...files.keys()].some(other => other !== name && other.startsWith(name.slice(0, -'.gitignore'.length)));
	return new Map([...files].filter(([name]) => !isAlone(name)));
}
