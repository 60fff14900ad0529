import { existsSync } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, relative, sep } from 'node:path';
import * as z from 'zod/mini';
import { hasErrno, NancyError } from '../../base/errors.ts';
import { isInside } from '../../base/inside.ts';
import { folderNames } from '../../base/listing.ts';
import { sha256 } from '../../base/sha256.ts';
import type { Driver } from '../driver/driver.ts';
import { OwnFolder } from '../files/ownFolder.ts';
import { readPlainFile } from '../files/plainFile.ts';
import { foldersUpFrom } from '../workspace/placeFrom.ts';

/** Sealed as `seen/<driver>.json`: the settings with which a person last started this CLI. */
const Seen = z.object({
	version: z.literal(1),
	/** Hash of each file, by its path from the nearest checkout, or from the folder outside a checkout. */
	files: z.record(z.string(), z.string()),
});
type Files = z.infer<typeof Seen>['files'];

/** Nobody has as many settings. A larger place cannot be searched at every start. */
const MOST_FILES = 10_000;

/**
 * The settings of agents' CLIs in a workspace that can run commands. An agent that may only edit files can write them, and the next agent
 * that starts there runs their commands. So an agent starts another one only with settings that a person has started it with.
 */
export class SeenSettings {
	private readonly own: OwnFolder;

	/** @param dataFolder the user's: see base/folders */
	constructor(
		private readonly dataFolder: string,
		private readonly workspaceFolder: string,
	) {
		this.own = new OwnFolder(dataFolder, workspaceFolder);
	}

	/** Notes the present settings: a person starts the CLI with them, or sets it up. */
	async note(driver: Driver, folder = this.workspaceFolder): Promise<void> {
		const files = await this.filesOf(driver, folder);
		await this.own.write({ version: 1, files } satisfies z.infer<typeof Seen>, 'seen', `${driver.id}.json`);
	}

	/**
	 * @param folder that the agent works in: the workspace, or a worktree, which has the same files
	 * @throws NancyError `not-trusted` for settings that no person has started the CLI with
	 */
	async require(driver: Driver, folder = this.workspaceFolder): Promise<void> {
		const unseen = await this.unseen(driver, folder);
		if (unseen === undefined) return;
		const what = `an agent may not start ${driver.displayName} here, because its settings can run commands: ${unseen}`;
		throw new NancyError('not-trusted', `${what}. No person has started it with these settings. ${cure(driver)}`);
	}

	/** {@link require} for a CLI that has just begun. It reads its settings itself, so they may have been changed since the look before. */
	async requireStill(driver: Driver, folder = this.workspaceFolder): Promise<void> {
		const unseen = await this.unseen(driver, folder);
		if (unseen === undefined) return;
		const what =
			`${driver.displayName} was ended, because settings of it that can run commands were changed while it started: ${unseen}. ` +
			'It may have run them.';
		throw new NancyError('not-trusted', `${what} ${cure(driver)}`);
	}

	/** The names of the settings that no person has started the CLI with; `undefined` if there are none. */
	private async unseen(driver: Driver, folder: string): Promise<string | undefined> {
		const files = await this.filesOf(driver, folder);
		if (Object.keys(files).length === 0) return undefined;
		const seen = (await this.own.read(Seen, 'seen', `${driver.id}.json`))?.files ?? {};
		const names = Object.keys(files).filter(name => files[name] !== seen[name]);
		if (names.length === 0) return undefined;
		return names.slice(0, 5).join(', ') + (names.length > 5 ? ` and ${names.length - 5} more` : '');
	}

	private async filesOf(driver: Driver, folder: string): Promise<Files> {
		const { nearest, outermost } = checkoutsOf(folder);
		const files = new Map<string, string>();
		for (let at = folder; ; at = dirname(at)) {
			for (const name of driver.executableSettings) {
				for await (const path of this.filesIn(join(at, name), new Set())) {
					const content = await this.contentOf(path, driver, at);
					if (content !== undefined) files.set(posixPath(nearest, path), sha256(content));
					if (files.size > MOST_FILES) throw tooMany(join(at, name));
				}
			}
			if (at === outermost) break;
		}
		return Object.fromEntries([...files].toSorted(([a], [b]) => (a < b ? -1 : 1)));
	}

	/** @param above folders that this one is in, by their real paths: a link may lead back */
	private async *filesIn(path: string, above: ReadonlySet<string>): AsyncIterable<string> {
		const found = await stat(path).catch((error: unknown) => {
			if (hasErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return undefined;
			throw error;
		});
		if (!found?.isDirectory()) {
			if (found && basename(path) !== '.gitignore') yield path;
			return;
		}
		const real = await realpath(path);
		if (above.has(real)) return;
		for (const name of await readdir(path)) yield* this.filesIn(join(path, name), new Set([...above, real]));
	}

	/** Without Nancy's own entries, which may be there or not; `undefined` if the file has nothing else. */
	private async contentOf(path: string, driver: Driver, folder: string): Promise<string | undefined> {
		const content = await readPlainFile(await realpath(path));
		if (content === undefined || (await this.isOwnSkill(path, content))) return undefined;
		const text = content.toString('utf8');
		if (!text.includes(this.runtimes)) return content.toString('latin1');
		const rest = await this.withoutOwn(text, driver, posixPath(folder, path));
		return rest.trim() === '' || rest.trim() === '{}' ? undefined : this.withoutVersion(rest);
	}

	private get runtimes(): string {
		return join(this.dataFolder, 'runtime') + sep;
	}

	/** Nancy's own entries are known by a sealed record, or as word for word the driver's text. */
	private async withoutOwn(text: string, driver: Driver, file: string): Promise<string> {
		const [{ DeploymentRecords }, { ownEntries }, { withoutEntries }, { Workspace }] = await Promise.all([
			import('../deployment/records.ts'),
			import('../deployment/ownEntries.ts'),
			import('../deployment/settingsText.ts'),
			import('../workspace/workspace.ts'),
		]);
		try {
			const records = new DeploymentRecords(new Workspace(this.workspaceFolder), this.dataFolder);
			const { isNancys } = await ownEntries(records, driver, file, text);
			return withoutEntries(file, text, isNancys);
		} catch {
			return text; // no JSON: all of it counts
		}
	}

	/** Another version of Nancy is no other setting: only Nancy's own folder counts, where no agent writes. */
	private withoutVersion(text: string): string {
		return text
			.split(this.runtimes)
			.map((part, index) => (index === 0 ? part : part.replace(/^\d[\w.-]*/, '')))
			.join(this.runtimes);
	}

	/** Copied from one of Nancy's runtimes. */
	private async isOwnSkill(path: string, content: Buffer): Promise<boolean> {
		const [, skill] = /[/\\]skills[/\\]([^/\\]+)[/\\]SKILL\.md$/.exec(path) ?? [];
		if (skill === undefined) return false;
		for (const version of await folderNames(this.runtimes)) {
			const own = await readPlainFile(join(this.runtimes, version, 'skills', skill, 'SKILL.md'));
			if (own?.equals(content)) return true;
		}
		return false;
	}
}

function cure({ displayName, id }: Driver): string {
	return (
		`Look at them, then start ${displayName} once yourself (in VS Code, or nancy orchestrate --agent ${id}), ` +
		`or run: nancy setup --agent ${id}`
	);
}

function posixPath(from: string, path: string): string {
	return relative(from, path).split(sep).join('/');
}

function tooMany(path: string): NancyError {
	return new NancyError('not-trusted', `there are more than ${MOST_FILES} files of settings at ${path}; remove some`);
}

/**
 * The checkouts that a folder is in; outside a checkout, the folder itself. An agent can make a `.git` in its workspace, so the nearest one
 * hides no settings above it. A checkout of the whole home folder counts only if there is no other.
 */
function checkoutsOf(folder: string): { nearest: string; outermost: string } {
	const checkouts = foldersUpFrom(folder).filter(each => existsSync(join(each, '.git')));
	const [nearest = folder] = checkouts;
	const outermost = checkouts.findLast(each => !isInside(each, homedir())) ?? nearest;
	return { nearest, outermost };
}
