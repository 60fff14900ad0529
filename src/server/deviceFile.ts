import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { writeFileAtomic } from '../base/atomicFile.ts';
import { liveness } from '../base/liveness.ts';
import { holdingLock } from '../core/files/holdingLock.ts';
import { jsonText, readJsonFile } from '../core/files/jsonFile.ts';
import { requireOwn } from '../core/files/ownFolder.ts';
import { readPlainText } from '../core/files/plainFile.ts';
import { DeviceId, Scope } from '../protocol/deskApi.ts';
import { Moment, ProcessRecord } from '../protocol/records.ts';

/** A paired browser. Agents may be able to read this: the token itself is in no file. */
export const DeviceRecord = z.object({
	id: DeviceId,
	/** What it calls itself, safe to show. */
	name: z.string(),
	scope: Scope,
	/** SHA-256 of its token. */
	token: z.string(),
	/** The program that serves it. Its token is worth nothing without this one. */
	server: ProcessRecord,
	madeAt: Moment,
	/** To within a minute. */
	usedAt: Moment,
	expiresAt: Moment,
});
export type DeviceRecord = z.infer<typeof DeviceRecord>;

const DeviceFileText = z.object({ version: z.literal(1), devices: z.array(DeviceRecord) });

/** `desk/devices.json` in the user's data folder: the paired browsers of all servers of this user. Who takes one out of it has revoked it. */
export class DeviceFile {
	/** For a watcher. */
	readonly folder: string;
	private readonly file: string;

	/** @param dataFolder the user's: see base/folders */
	constructor(private readonly dataFolder: string) {
		this.folder = join(dataFolder, 'desk');
		this.file = join(this.folder, 'devices.json');
	}

	/** Oldest first, of servers that run. @throws NancyError `bad-file` if the file is unreadable, or somebody else's */
	async read(): Promise<DeviceRecord[]> {
		requireOwn([this.dataFolder, this.folder], this.file);
		const found = await readJsonFile(this.file, DeviceFileText, readPlainText);
		return (found?.devices ?? []).filter(({ server }) => liveness(server) !== 'dead');
	}

	/** Changes the list alone. Devices of servers that have ended go. */
	async change(to: (devices: readonly DeviceRecord[]) => readonly DeviceRecord[]): Promise<void> {
		await mkdir(this.folder, { recursive: true, mode: 0o700 });
		requireOwn([this.dataFolder, this.folder], this.file);
		await holdingLock(`${this.file}.lock`, async () => {
			const devices = to(await this.read());
			await writeFileAtomic(this.file, jsonText({ version: 1, devices }));
		});
	}

	/** Its connections close at once, whoever serves it. */
	async revoke(id: DeviceId): Promise<void> {
		await this.change(devices => devices.filter(device => device.id !== id));
	}

	/** {@link revoke} for every device. */
	async revokeAll(): Promise<void> {
		await this.change(() => []);
	}
}
