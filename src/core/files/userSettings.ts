import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { readTextIfExists, writeFileAtomic } from '../../base/atomicFile.ts';
import { hasErrno, NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { isInside } from '../../base/inside.ts';
import { realOr } from '../../base/realPath.ts';
import {
	CommonSettings,
	DelegateSettings,
	FolderSettings,
	UserSettings,
	type ExecutorSettings,
	type SettingsLayer,
} from '../../protocol/settings.ts';
import { readAgentServers, type AgentServers } from './agentServers.ts';
import { holdingLock } from './holdingLock.ts';
import { jsonText, readJsonFile } from './jsonFile.ts';

/** Others than the owner may write. */
const WRITABLE_BY_OTHERS = 0o022;

/**
 * The user's settings in a place that every program of Nancy's finds, with and without VS Code. They name commands and permissions, so they
 * are in the user's own configuration folder: files below `.nancy` may come with somebody else's repository.
 */
export class UserSettingsFile {
	readonly file: string;
	/** The agents that this window has named there. It takes back no others: they may be of another editor, or of another profile. */
	private named: Entries = {};

	/** @param configFolder the user's: see base/folders */
	constructor(
		configFolder: string,
		private readonly home = homedir(),
	) {
		this.file = join(configFolder, 'settings.json');
	}

	/**
	 * The settings of a folder: those of the nearest folder at or above it, else those of all. In each case the editor's override those
	 * written by hand.
	 * @throws NancyError `not-trusted` if somebody else could have written the file
	 */
	async forFolder(folder: string): Promise<CommonSettings> {
		const place = realOr(folder);
		this.refuseInside(folder);
		const { editor, ...byHand } = await this.read();
		const layers = editor ? [byHand, editor] : [byHand];
		const common = layers.map(({ delegates }) => CommonSettings.parse(delegates));
		// Whatever an earlier editor wrote.
		const found = [
			nearestOf(byHand.folders, place, DelegateSettings),
			...(editor ? [nearestOf(editor.folders, place, FolderSettings)] : []),
		];
		const nearest = found.flatMap(each => each ?? []);
		// A stable order: of the same folder the editor's come last.
		const own = nearest.toSorted((a, b) => a.path.length - b.path.length).map(({ settings }) => settings);
		const permissionsFromAgents = Object.assign({}, ...common.map(each => each.permissionsFromAgents));
		const answers = Object.assign({}, ...common.map(each => each.answers));
		const { max, ...settings }: CommonSettings = Object.assign({}, ...common, ...own);
		return {
			...settings,
			...(max && { max }),
			...(Object.keys(permissionsFromAgents).length > 0 && { permissionsFromAgents }),
			...(Object.keys(answers).length > 0 && { answers }),
		};
	}

	/**
	 * The agents that the user has named, by hand and in an editor.
	 * @param folder the workspace, if there is one
	 * @throws NancyError `not-trusted` as {@link forFolder} does
	 */
	async agentServers(folder: string | undefined): Promise<AgentServers> {
		if (folder !== undefined) this.refuseInside(folder);
		const { agentServers, editor } = await this.read();
		return readAgentServers([
			{ place: this.file, value: agentServers },
			{ place: `VS Code (nancy.agentServers)`, value: editor?.agentServers },
		]);
	}

	/**
	 * Replaces the editor's settings: those of everything, and those of these folders. Other windows' folders stay, and so do the agents that
	 * other windows have named.
	 * @param current is called once nobody else writes, so that the newest settings stay
	 */
	async saveEditor(current: () => SettingsLayer): Promise<void> {
		// A user without settings needs no file.
		if (isEmpty(current()) && !(await this.isThere())) return;
		await holdingLock(`${this.file}.lock`, async () => {
			const settings = await this.read();
			const layer = current();
			const { delegates = {}, folders = {}, agentServers } = settings.editor ?? {};
			const named = entriesOf(layer.agentServers);
			const servers = { ...without(entriesOf(agentServers), this.named), ...named };
			const editor = {
				delegates: layer.delegates,
				folders: withoutEmpty({ ...folders, ...layer.folders }),
				...(Object.keys(servers).length > 0 && { agentServers: servers }),
			};
			const before = { delegates, folders, ...(agentServers !== undefined && { agentServers }) };
			if (!isDeepStrictEqual(before, editor)) await this.write({ ...settings, editor });
			this.named = named;
		});
	}

	/**
	 * Names another machine for delegates. Everything else in the file stays.
	 * @throws NancyError `bad-usage` if the name is taken
	 */
	async addExecutor(name: string, executor: ExecutorSettings): Promise<void> {
		await holdingLock(`${this.file}.lock`, async () => {
			const settings = await this.read();
			const { executors = {} } = settings.delegates;
			if (Object.hasOwn(executors, name))
				throw new NancyError('bad-usage', phrase`a machine is named ${JSON.stringify(name)} already`);
			const delegates = { ...settings.delegates, executors: { ...executors, [name]: executor } };
			await this.write({ ...settings, delegates });
		});
	}

	/** The user may keep the file elsewhere, behind a link, which stays. */
	private write(settings: unknown): Promise<void> {
		return writeFileAtomic(realOr(this.file), jsonText(settings));
	}

	private refuseInside(folder: string): void {
		const place = realOr(folder);
		if (!isInside(place, realOr(dirname(this.file))) || isInside(place, realOr(this.home))) return;
		throw new NancyError(
			'not-trusted',
			phrase`${this.file} is inside ${folder}, which may be somebody else's; set XDG_CONFIG_HOME to a folder of your own`,
		);
	}

	private async read(): Promise<UserSettings> {
		await this.refuseOthers();
		// It may be a link: many keep such files elsewhere.
		return (await readJsonFile(this.file, UserSettings, readTextIfExists)) ?? UserSettings.parse({});
	}

	private async isThere(): Promise<boolean> {
		return (await this.stat()) !== undefined;
	}

	private stat(): Promise<Stats | undefined> {
		return stat(this.file).catch((error: unknown) => {
			if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return undefined;
			throw error;
		});
	}

	private async refuseOthers(): Promise<void> {
		if (process.platform === 'win32') return;
		const found = await this.stat();
		if (!found || (found.uid === process.getuid?.() && (found.mode & WRITABLE_BY_OTHERS) === 0)) return;
		throw new NancyError(
			'not-trusted',
			phrase`others can write ${this.file}, which names commands to run; make it yours alone: chown and chmod 600`,
		);
	}
}

type Entries = Readonly<Record<string, unknown>>;

/** What is no object names nothing: the editor itself says that it is wrong. */
function entriesOf(setting: unknown): Entries {
	return z.record(z.string(), z.unknown()).safeParse(setting).data ?? {};
}

/** Those that are not the same in both. */
function without(entries: Entries, gone: Entries): Entries {
	return Object.fromEntries(Object.entries(entries).filter(([name, entry]) => !isDeepStrictEqual(entry, gone[name])));
}

function withoutEmpty<T extends object>(folders: Readonly<Record<string, T>>): Record<string, T> {
	return Object.fromEntries(Object.entries(folders).filter(([, settings]) => Object.keys(settings).length > 0));
}

function isEmpty({ delegates, folders, agentServers }: SettingsLayer): boolean {
	return (
		agentServers === undefined &&
		Object.keys(delegates).length === 0 &&
		Object.keys(withoutEmpty(folders)).length === 0
	);
}

/** The innermost of these folders that is the place, or above it. Links count as their targets. */
function nearestOf(
	folders: SettingsLayer['folders'],
	place: string,
	kind: typeof DelegateSettings | typeof FolderSettings,
): { path: string; settings: DelegateSettings } | undefined {
	const all = Object.entries(folders).map(([folder, settings]) => ({
		path: realOr(folder),
		settings: kind.parse(settings),
	}));
	return all
		.filter(({ path }) => isAbsolute(path) && isInside(path, place))
		.toSorted((a, b) => b.path.length - a.path.length)[0];
}
