import { existsSync } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { writeFileAtomic } from '../../base/atomicFile.ts';
import { entryNames } from '../../base/listing.ts';
import { DriverId, SessionId } from '../../protocol/names.ts';
import { jsonText, readJsonFile } from '../files/jsonFile.ts';
import { sweepFolder } from '../files/leftBehind.ts';
import { requireOwn, type OwnFolder } from '../files/ownFolder.ts';

const FOLDER = 'plugin-sessions';

/** A session whose events come from the hooks of a plugin. */
const PluginSession = z.lazy(() =>
	z.object({
		version: z.literal(1),
		driver: DriverId,
		/** The user's own records of the workspace. */
		records: z.string(),
	}),
);
type Known = z.infer<typeof PluginSession> & { session: SessionId };

/**
 * The sessions that an agent's plugin serves: `plugin-sessions/<session>` in the user's data folder. A plugin's hooks run in every folder. They
 * do something only for these sessions, and their shell asks for no more than whether the file is there (plugin/door).
 */
export class PluginSessions {
	private readonly folder: string;

	/** @param own the records of the workspace */
	constructor(private readonly own: OwnFolder) {
		this.folder = join(own.dataFolder, FOLDER);
	}

	/**
	 * Has the plugin serve a session, if it may. The file comes before the last question: a deployment writes its record first, and then calls
	 * {@link end}. So one of the two sees the other.
	 * @param mayServe whether a person wants that here, and nothing else serves the session
	 */
	async begin(driver: DriverId, session: SessionId, mayServe: () => Promise<boolean>): Promise<boolean> {
		let isServed = false;
		try {
			if (!(await mayServe())) return false;
			await mkdir(this.folder, { recursive: true, mode: 0o700 });
			requireOwn([this.own.dataFolder, this.folder]);
			const known = { version: 1, driver, records: this.own.folder } satisfies z.infer<typeof PluginSession>;
			await writeFileAtomic(this.file(session), jsonText(known));
			isServed = await mayServe();
		} finally {
			if (!isServed) await this.forget(session);
		}
		return isServed;
	}

	/** From now on the plugin of these agents serves no session of the workspace that has begun. */
	async end(isOf: (driver: DriverId) => boolean): Promise<void> {
		for (const { driver, session } of await this.all()) if (isOf(driver)) await this.forget(session);
	}

	async forget(session: SessionId): Promise<void> {
		await rm(this.file(session), { force: true });
	}

	/** Whether the plugin serves this session, in this workspace. */
	async serves(session: SessionId): Promise<boolean> {
		return (await readJsonFile(this.file(session), PluginSession))?.records === this.own.folder;
	}

	/** When the plugin of an agent was last found to serve a session of the workspace; `undefined` if it serves none. */
	async lastBegun(driver: DriverId): Promise<Date | undefined> {
		const own = (await this.all()).filter(each => each.driver === driver);
		const times = await Promise.all(own.map(({ session }) => stat(this.file(session)).then(({ mtime }) => mtime)));
		return times.toSorted((a, b) => a.getTime() - b.getTime()).at(-1);
	}

	private async all(): Promise<Known[]> {
		return (await sessionsIn(this.folder)).filter(({ records }) => records === this.own.folder);
	}

	private file(session: SessionId): string {
		return join(this.folder, session);
	}
}

/** Removes the sessions of workspaces whose records are gone. */
export async function sweepPluginSessions(dataFolder: string): Promise<void> {
	const folder = join(dataFolder, FOLDER);
	await sweepFolder(folder);
	for (const { session, records } of await sessionsIn(folder))
		if (!existsSync(records)) await rm(join(folder, session), { force: true });
}

/** A file that cannot be read is none of Nancy's. */
async function sessionsIn(folder: string): Promise<Known[]> {
	const found: Known[] = [];
	for (const name of await entryNames(folder)) {
		const session = SessionId.safeParse(name);
		if (!session.success) continue;
		const known = await readJsonFile(join(folder, name), PluginSession).catch(() => undefined);
		if (known) found.push({ ...known, session: session.data });
	}
	return found;
}
