import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { entriesOf } from '../../base/listing.ts';
import { removeTree } from '../../base/removeTree.ts';
import { sha256 } from '../../base/sha256.ts';
import { SealedDeployments, type DeployedFile, type Deployment } from '../../protocol/deployment.ts';
import type { DriverId } from '../../protocol/names.ts';
import { holdingOwnLock } from '../files/holdingLock.ts';
import { sweepFolder } from '../files/leftBehind.ts';
import { OwnFolder } from '../files/ownFolder.ts';
import { PluginSessions } from './pluginSessions.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { removeIfEmpty } from '../../base/removeIfEmpty.ts';
import { DEPLOYMENT, readSealed, RECORD } from '../files/sealedDeployments.ts';

const ORIGINALS = 'originals';
const STAGING = 'staging';
const LAUNCH = 'launch';
const LOCK = 'deploy.lock';

/** Twenty delegates that start at once on a busy machine check their deployments one after another, most of a second each. */
const PATIENCE_MS = 60_000;

/**
 * Nancy's deployments in one workspace, and the originals of the files that it changed. They are in the user's data folder, where no agent
 * and no repository writes. Nothing below `.nancy` decides the content of another tool's file.
 */
export class DeploymentRecords {
	/**
	 * Files are staged here and then renamed. So leftovers of a kill are not in somebody else's folder, and nobody else can exchange a
	 * file.
	 */
	readonly staging: string;
	private readonly own: OwnFolder;
	/** A deployment in the workspace without a record: see found.ts. It is kept with the first change. */
	private found: Deployment | undefined;

	/** @param dataFolder the user's: see base/folders */
	constructor(
		readonly workspace: Workspace,
		readonly dataFolder: string,
	) {
		this.own = new OwnFolder(dataFolder, workspace.folder);
		this.staging = this.own.path(DEPLOYMENT, STAGING);
	}

	/** Every driver's. @throws NancyError `bad-file` for a record that cannot be read */
	async all(): Promise<readonly Deployment[]> {
		return (await this.read()).deployments;
	}

	async of(driver: DriverId): Promise<Deployment | undefined> {
		return (await this.all()).find(each => each.driver === driver);
	}

	/** Files and folders that are wholly Nancy's, relative to the workspace folder, with `/`. */
	async ownPaths(): Promise<string[]> {
		const all = await this.all();
		return all.flatMap(each => [
			...each.ownFiles.map(({ file }) => file),
			...each.skills.map(({ folder }) => folder),
		]);
	}

	/** The facts about another tool's file, whoever edits it. */
	async file(file: string): Promise<DeployedFile | undefined> {
		return (await this.read()).files.find(each => each.file === file);
	}

	/** From now on, this counts as the driver's deployment here, unless there is a record. */
	assume(found: Deployment | undefined): void {
		this.found = found;
	}

	/** Only under the lock. Without any deployment nothing is kept. */
	async change(change: (known: SealedDeployments) => SealedDeployments): Promise<void> {
		const changed = change(await this.read());
		this.found = undefined;
		const files = changed.files.filter(({ file }) =>
			changed.deployments.some(each => each.files.some(edited => edited.file === file)),
		);
		if (changed.deployments.length === 0) await this.own.remove(DEPLOYMENT, RECORD);
		else await this.own.write(SealedDeployments.parse({ ...changed, files }), DEPLOYMENT, RECORD);
		const edited = changed.deployments.filter(each => each.files.length > 0).map(({ driver }) => driver);
		await new PluginSessions(this.own).end(driver => edited.includes(driver));
	}

	/** Keeps a copy of a file. Returns the key of the copy. */
	async keepOriginal(bytes: Uint8Array): Promise<string> {
		const hash = sha256(bytes);
		if (!(await this.original(hash))) await this.own.writeBytes(bytes, DEPLOYMENT, ORIGINALS, hash);
		return hash;
	}

	/** A copy as it was stored; also `undefined` for one that is not whole any more. */
	async original(hash: string): Promise<Buffer | undefined> {
		const bytes = await this.own.readBytes(DEPLOYMENT, ORIGINALS, hash);
		return bytes && sha256(bytes) === hash ? bytes : undefined;
	}

	/** Holds the files that a launch of this driver's CLI is pointed to. */
	launchFolder(driver: DriverId): string {
		return this.own.path(DEPLOYMENT, LAUNCH, driver);
	}

	/** Makes the {@link launchFolder} if it is missing. */
	async makeLaunchFolder(driver: DriverId): Promise<void> {
		await this.own.makeFolder(DEPLOYMENT, LAUNCH, driver);
	}

	/** Serialises deployments and clean-ups over all windows and commands of this user. */
	async locked<T>(run: () => Promise<T>): Promise<T> {
		const alone = async () => {
			await this.own.makeFolder(DEPLOYMENT, STAGING);
			const result = await run();
			await this.sweep();
			return result;
		};
		return holdingOwnLock(this.own, LOCK, alone, PATIENCE_MS);
	}

	/** Removes the leftovers of a kill if there is nothing else to do. */
	async tidy(): Promise<void> {
		const left = (await entriesOf(this.own.folder)).map(({ name }) => name);
		if (left.some(name => name === DEPLOYMENT || name === LOCK)) await this.locked(() => Promise.resolve());
	}

	/** Removes half-written and staged leftovers of a kill, and originals that no record names. */
	private async sweep(): Promise<void> {
		const named = new Set((await this.read()).files.map(({ original }) => original));
		const folder = this.own.path(DEPLOYMENT);
		const originals = join(folder, ORIGINALS);
		for (const { name } of await entriesOf(originals))
			if (!named.has(name)) await rm(join(originals, name), { force: true });
		for (const { name } of await entriesOf(folder))
			if (name === STAGING || name.endsWith('.tmp')) await removeTree(join(folder, name));
		await sweepFolder(this.own.folder);
		for (const each of [originals, join(folder, LAUNCH), folder]) await removeIfEmpty(each);
	}

	private async read(): Promise<SealedDeployments> {
		const { folder } = this.workspace;
		const sealed = await readSealed(this.own);
		const known = sealed ?? { version: 1 as const, folder, files: [], deployments: [] };
		const { found } = this;
		if (!found || known.deployments.some(({ driver }) => driver === found.driver)) return known;
		return { ...known, deployments: [...known.deployments, found] };
	}
}
