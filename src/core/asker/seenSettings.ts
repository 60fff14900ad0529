import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import { isInside } from '../../base/inside.ts';
import type { Driver } from '../driver/driver.ts';
import { OwnFolder } from '../files/ownFolder.ts';
import { foldersUpFrom } from '../workspace/placeFrom.ts';
import { checkoutOf, checkoutsAbove, posixPath } from './checkouts.ts';
import { packagesIn } from './completions.ts';
import { namedPaths } from './namedPaths.ts';
import { cure, once, shownNames } from './unseenWords.ts';
import {
	hashOf,
	MOST_FILES,
	nameBase,
	placesOf,
	programsAmong,
	programsHash,
	settingsFiles,
	tooMany,
	type GitPrograms,
	type Programs,
} from './settingsFiles.ts';
import { comparable, contentOf } from './settingsContent.ts';
import { linksOut, worktreeTop } from './settingsLinks.ts';

/** Sealed as `seen/<driver>.json`: the settings with which a person last started this CLI. */
const Seen = z.object({
	version: z.literal(1),
	/** Hash of each file, by its path from the workspace folder. */
	files: z.record(z.string(), z.string()),
	/** The workspace's checkout, by its path from there. Earlier records lack it, and their files are named from that checkout. */
	checkout: z.optional(z.string()),
});
type Seen = z.infer<typeof Seen>;
type Files = Seen['files'];

interface Present {
	/** Settings, and the programs that they name. */
	files: Files;
	/** What they name, by its name, whether it is there or not. */
	named: Programs;
	/** What those name that deny nothing. */
	modules: Programs;
}

/**
 * The settings of agents' CLIs in a workspace that can run commands, and the programs that they name. An agent that may only edit files can
 * write them, and the next agent that starts there runs their commands. The same goes for what git runs there. So an agent starts another one only with settings that a person has
 * started it with.
 */
export class SeenSettings {
	private readonly own: OwnFolder;

	/** @param dataFolder the user's: see base/folders */
	constructor(
		readonly dataFolder: string,
		readonly workspaceFolder: string,
		private readonly gitPrograms: GitPrograms,
	) {
		this.own = new OwnFolder(dataFolder, workspaceFolder);
	}

	/**
	 * Notes the present settings: a person starts the CLI with them, or names it for a set-up.
	 * @returns the names of those that were others when they were last noted, or were none
	 */
	async note(driver: Driver, folder = this.workspaceFolder): Promise<string[]> {
		const { files } = await this.present(driver, folder);
		// An unreadable record counts for nobody, and all is new.
		const before = (await this.seen(driver).catch(() => undefined))?.files ?? {};
		const checkout = checkoutOf(nameBase(this.workspaceFolder, folder));
		await this.own.write({ version: 1, files, checkout } satisfies Seen, 'seen', `${driver.id}.json`);
		const missing = Object.keys(before).filter(name => files[name] === undefined);
		const others = Object.keys(files).filter(name => files[name] !== before[name]);
		return once([...missing.map(name => `${name} (missing)`), ...others]);
	}

	/**
	 * @param folder that the agent works in: the workspace, or a worktree, which has the same files
	 * @throws NancyError `not-trusted` for settings that no person has started the CLI with, or if some of them are missing. A missing file
	 * may have had the rules that deny
	 */
	async require(driver: Driver, folder = this.workspaceFolder): Promise<void> {
		const unseen = await this.unseen(driver, folder);
		if (unseen === undefined) return;
		const what = `an agent may not start ${driver.displayName} in ${folder}, because its settings can run commands and deny them: ${unseen}`;
		throw new NancyError('not-trusted', `${what}. No person has started it with these settings. ${cure(driver)}`);
	}

	/**
	 * {@link require} for a CLI that has just begun. It reads its settings itself, so they may have been changed since the look before.
	 * @param isItsOwn nobody else writes in the folder: what is among the packages there, the CLI has put there
	 */
	async requireStill(driver: Driver, folder = this.workspaceFolder, isItsOwn = false): Promise<void> {
		const unseen = await this.unseen(driver, folder, isItsOwn ? packagesIn(driver.completions, folder) : undefined);
		if (unseen === undefined) return;
		const what =
			`${driver.displayName} was ended, because settings of it that can run commands were changed while it started: ${unseen}. ` +
			'It may have run them.';
		throw new NancyError('not-trusted', `${what} ${cure(driver)}`);
	}

	/**
	 * The names of the settings that no person has started the CLI with; `undefined` if there are none.
	 * @param except files and folders that do not count, absolute
	 */
	async unseen(driver: Driver, folder: string, except?: ReadonlySet<string>): Promise<string | undefined> {
		const present = await this.present(driver, folder, except);
		const { files } = present;
		const out = await this.linksOut(present, driver, folder, except);
		const seen = await this.seen(driver);
		const lost = seen ? this.lost(seen, present, driver, folder, except) : await this.lostAbove(driver, folder);
		const changed = Object.keys(files).filter(name => files[name] !== seen?.files[name]);
		const named = once([...out, ...lost, ...changed]);
		return named.length === 0 ? undefined : shownNames(named);
	}

	private seen(driver: Driver): Promise<Seen | undefined> {
		return this.own.read(Seen, 'seen', `${driver.id}.json`);
	}

	/** {@link lost} by the record of the nearest workspace above: an agent can make a `.nancy` below, where no person has started the CLI. */
	private async lostAbove(driver: Driver, folder: string): Promise<string[]> {
		for (const at of foldersUpFrom(dirname(this.workspaceFolder))) {
			const above = new SeenSettings(this.dataFolder, at, this.gitPrograms);
			const seen = await above.seen(driver);
			if (seen) return above.lost(seen, await above.present(driver, folder), driver, folder);
		}
		return [];
	}

	/** Links of a worktree, which lead to where the agents of the workspace may write. */
	private async linksOut(
		{ named, modules }: Present,
		driver: Driver,
		folder: string,
		except?: ReadonlySet<string>,
	): Promise<string[]> {
		const top = worktreeTop(this.workspaceFolder, folder);
		if (top === undefined) return [];
		const places = placesOf(driver, this, folder).map(({ path }) => path);
		const programs = [...named.values(), ...modules.values()].flat();
		const links = await linksOut({ top, places, programs, except });
		return links.map(path => `${posixPath(folder, path)} (a link that leads out of the worktree, or nowhere)`);
	}

	/** What a person has seen and the CLI will not read, each with the reason. */
	private lost(
		seen: Seen,
		{ files, named }: Present,
		driver: Driver,
		folder: string,
		except: ReadonlySet<string> = new Set(),
	): string[] {
		const names = Object.keys(seen.files);
		const isBelowCheckout = checkoutsAbove(dirname(this.workspaceFolder)).length > 0;
		if (seen.checkout === undefined && isBelowCheckout)
			return names.map(name => `${name} (noted by an earlier version of Nancy)`);
		const base = nameBase(this.workspaceFolder, folder);
		// Some CLIs read no settings above the checkout. An agent can make a `.git`, and so another checkout.
		const isOther = seen.checkout !== undefined && seen.checkout !== checkoutOf(base);
		const others = names.filter(name => isOther && name.startsWith('../'));
		// A person may have started the CLI in a folder below, which has more.
		const places = placesOf(driver, this, folder).flatMap(({ path, deniesNothing }) =>
			deniesNothing ? [] : [posixPath(base, path)],
		);
		const isRead = (name: string) =>
			places.some(place => name === place || name.startsWith(`${place}/`)) || named.has(name);
		const isLeftOut = (name: string) => [...except].some(each => isInside(each, join(base, name)));
		const missing = names.filter(name => files[name] === undefined && isRead(name) && !isLeftOut(name));
		return [...missing.map(name => `${name} (missing)`), ...others.map(name => `${name} (in another checkout)`)];
	}

	/** The settings that a CLI would read now, and the programs that they name. */
	private async present(driver: Driver, folder: string, except?: ReadonlySet<string>): Promise<Present> {
		const base = nameBase(this.workspaceFolder, folder);
		const settings = new Set<string>();
		const files = new Map<string, string>();
		const [paths, ofModules] = [new Set<string>(), new Set<string>()];
		for await (const { path, at, isFolder, deniesNothing } of settingsFiles(driver, this, folder, except)) {
			const name = posixPath(base, path);
			if (isFolder) {
				files.set(`${name}/`, 'a folder');
				continue;
			}
			settings.add(name);
			// Runs nothing, and opencode writes one of its own.
			if (basename(path) === '.gitignore') continue;
			const content = await contentOf(this, await realpath(path), driver, posixPath(at, path));
			if (!content) continue;
			files.set(name, hashOf(comparable(this, name, content), (await stat(path)).mode));
			const kept = deniesNothing ? ofModules : paths;
			for (const each of namedPaths({ path, at, text: content.toString('utf8') })) kept.add(each);
		}
		const named = programsAmong(paths, this.workspaceFolder, folder);
		const modules = programsAmong(ofModules, this.workspaceFolder, folder);
		const plain = new Set<string>();
		for (const [name, each] of [...modules, ...named]) {
			const hash = settings.has(name) ? undefined : await programsHash(each, plain);
			if (hash !== undefined && files.set(name, hash).size > MOST_FILES) throw tooMany(folder);
		}
		// A CLI may call git at its start, outside its sandbox.
		for (const [name, hash] of await this.gitPrograms(folder)) files.set(name, hash);
		const sorted = [...files].toSorted(([a], [b]) => (a < b ? -1 : 1));
		return { files: Object.fromEntries(sorted), named, modules };
	}
}
