import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join, relative } from 'node:path';
import { hasErrno, NancyError } from '../base/errors.ts';
import { CommonSettings, DelegateSettings, UserSettings, type SettingsLayer } from '../protocol/settings.ts';
import { holdingLock } from './holdingLock.ts';
import { readJsonFile, writeJsonFile } from './jsonFile.ts';

/** Others than the owner may write. */
const WRITABLE_BY_OTHERS = 0o022;

/**
 * The user's settings where every program of Nancy's finds them, with and without VS Code. They name commands and permissions,
 * so that they stand in the user's own configuration folder: what is below `.nancy` may come with somebody else's repository.
 */
export class UserSettingsFile {
	readonly file: string;

	/** @param configFolder the user's: see base/folders */
	constructor(
		configFolder: string,
		private readonly home = homedir(),
	) {
		this.file = join(configFolder, 'settings.json');
	}

	/**
	 * What holds for a folder: of the nearest that says something.
	 * @throws NancyError `not-trusted` where somebody else could have written it
	 */
	async forFolder(folder: string): Promise<CommonSettings> {
		if (isInside(folder, this.file) && !isInside(folder, this.home))
			throw new NancyError(
				'not-trusted',
				`${this.file} is inside ${folder}, which may be somebody else's; set XDG_CONFIG_HOME to a folder of your own`,
			);
		const { editor, ...byHand } = await this.read();
		const layers = editor ? [byHand, editor] : [byHand];
		return layers.reduce<CommonSettings>(
			(settings, { delegates, folders }) => ({
				...settings,
				...CommonSettings.parse(delegates),
				...DelegateSettings.parse(folders[folder] ?? {}),
			}),
			{},
		);
	}

	/** Replaces what the editor's settings say: of everything, and of these folders; other windows' folders stay. */
	async saveEditor(layer: SettingsLayer): Promise<void> {
		const change = (settings: UserSettings): UserSettings => ({
			...settings,
			editor: {
				delegates: layer.delegates,
				folders: withoutEmpty({ ...settings.editor?.folders, ...layer.folders }),
			},
		});
		if (isSame(await this.read(), change)) return;
		await holdingLock(`${this.file}.lock`, async () => writeJsonFile(this.file, change(await this.read())));
	}

	private async read(): Promise<UserSettings> {
		await this.refuseOthers();
		return (await readJsonFile(this.file, UserSettings)) ?? UserSettings.parse({});
	}

	private async refuseOthers(): Promise<void> {
		if (process.platform === 'win32') return;
		const found = await stat(this.file).catch((error: unknown) => {
			if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return undefined;
			throw error;
		});
		if (!found || (found.uid === process.getuid?.() && (found.mode & WRITABLE_BY_OTHERS) === 0)) return;
		throw new NancyError(
			'not-trusted',
			`others can write ${this.file}, which names commands to run; make it yours alone: chown and chmod 600`,
		);
	}
}

function isInside(folder: string, path: string): boolean {
	const way = relative(folder, path);
	return way === '' || (!isAbsolute(way) && way.split(/[/\\]/)[0] !== '..');
}

function withoutEmpty<T extends object>(folders: Readonly<Record<string, T>>): Record<string, T> {
	return Object.fromEntries(Object.entries(folders).filter(([, settings]) => Object.keys(settings).length > 0));
}

function isSame(settings: UserSettings, change: (settings: UserSettings) => UserSettings): boolean {
	const { delegates = {}, folders = {} } = settings.editor ?? {};
	return JSON.stringify({ delegates, folders }) === JSON.stringify(change(settings).editor);
}
