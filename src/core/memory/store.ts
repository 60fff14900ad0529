import { join } from 'node:path';
import { readTextIfExists } from '../../base/atomicFile.ts';
import { hasCode } from '../../base/errors.ts';
import { folderNames } from '../../base/listing.ts';
import { ConfigFile, type MemoryConfig, type ProjectRecord } from '../../protocol/memory.ts';
import { ProjectName } from '../../protocol/memoryNames.ts';
import { holdingLock } from '../files/holdingLock.ts';
import { requireOwn } from '../files/ownFolder.ts';
import { namedConfig, unusedKeys } from './config.ts';
import { ProjectFolder } from './projectFolder.ts';
import { checked, tomlOf } from './toml.ts';

/** A project reads the notes of so many others, one above the other. */
export const MOST_PARENTS = 8;

/** The projects in the user's config folder. Files are the truth: a person may read and edit each of them. */
export class MemoryStore {
	private readonly root: string;

	/** @param configFolder the user's: see base/folders */
	constructor(private readonly configFolder: string) {
		this.root = join(configFolder, 'projects');
	}

	/** @throws NancyError `bad-file` for a file that does not parse */
	async config(): Promise<MemoryConfig> {
		const file = join(this.configFolder, 'config.toml');
		// The user may keep it elsewhere, behind a link.
		const config = tomlOf(file, (await readTextIfExists(file)) ?? '');
		return { ...checked(file, namedConfig(config), ConfigFile), problems: unusedKeys(file, config) };
	}

	/** {@link config}. Where the user's file does not parse, the default without extractions: what a task leaves is saved in any case. */
	async configOrDefault(): Promise<MemoryConfig> {
		return this.config().catch((error: unknown) => {
			if (!hasCode(error, 'bad-file')) throw error;
			const { extraction, ...others } = ConfigFile.parse({});
			return { ...others, extraction: { ...extraction, enabled: false }, problems: [] };
		});
	}

	async names(): Promise<ProjectName[]> {
		const found = (await folderNames(this.root)).map(name => ProjectName.safeParse(name));
		return found.flatMap(({ success, data }) => (success ? [data] : [])).sort();
	}

	/** Runs a step alone, over all projects, windows and commands. A project is locked within it, never around it. */
	async locked<T>(work: () => Promise<T>): Promise<T> {
		requireOwn([this.root]);
		return holdingLock(join(this.root, '.lock'), work);
	}

	/** A project's folder, whether it is there or not. */
	folderOf(name: ProjectName): ProjectFolder {
		return new ProjectFolder(name, [this.root, join(this.root, name)]);
	}

	/** The project, its parent, and so on, up to one that cannot be read. */
	async line(project: ProjectFolder): Promise<ProjectFolder[]> {
		const found: ProjectFolder[] = [];
		for (let at: ProjectFolder | undefined = project; at && found.length < MOST_PARENTS;) {
			const { name } = at;
			if (found.some(each => each.name === name)) break;
			const record: ProjectRecord | undefined =
				at === project ? await at.record() : await at.record().catch(() => undefined);
			if (!record) break;
			const parent: ProjectName | undefined = record.parent;
			found.push(at);
			at = parent === undefined ? undefined : this.folderOf(parent);
		}
		return found;
	}
}
