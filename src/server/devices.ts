import { createHmac, randomBytes } from 'node:crypto';
import { Emitter } from '../base/event.ts';
import { DisposableStore, type Disposable } from '../base/lifetime.ts';
import { ownIdentity } from '../base/liveness.ts';
import { sha256 } from '../base/sha256.ts';
import { watch } from '../core/live/watch.ts';
import { DeviceId } from '../protocol/deskApi.ts';
import type { Scope } from '../protocol/scope.ts';
import type { DeviceFile, DeviceRecord } from './deviceFile.ts';

/** 256 bits. */
const TOKEN_BYTES = 32;

/** How long a device stays in without being paired again, in milliseconds: 7 days. */
const LASTS_MS = 7 * 24 * 60 * 60 * 1000;

/** How exactly the list says when a device was used, in milliseconds. */
const USED_MS = 60_000;

export interface Paired {
	readonly device: DeviceRecord;
	readonly token: string;
}

/** The paired browsers of this server. Tokens are in its memory alone, so they end with it. */
export class Devices implements Disposable {
	private readonly owned = new DisposableStore();
	private readonly revoked = this.owned.add(new Emitter<DeviceId>());
	readonly onDidRevoke = this.revoked.event;
	private readonly known = new Map<DeviceId, Paired>();
	private readonly byHash = new Map<string, Paired>();
	private looking = Promise.resolve();

	/** @param fail the list cannot be read, and all devices are out */
	constructor(
		private readonly file: DeviceFile,
		private readonly fail: () => void,
	) {
		this.owned.add(watch(file.folder, () => this.lookSoon()));
	}

	dispose(): void {
		this.owned.dispose();
	}

	async add(name: string, scope: Scope): Promise<Paired> {
		const token = randomBytes(TOKEN_BYTES).toString('base64url');
		const now = Date.now();
		const device: DeviceRecord = {
			id: DeviceId.parse(randomBytes(8).toString('hex')),
			name,
			scope,
			token: sha256(token),
			server: ownIdentity(),
			madeAt: new Date(now).toISOString(),
			usedAt: new Date(now).toISOString(),
			expiresAt: new Date(now + LASTS_MS).toISOString(),
		};
		// Listed before it can do anything.
		await this.file.change(devices => [...devices, device]);
		const paired = { device, token };
		this.known.set(device.id, paired);
		this.byHash.set(device.token, paired);
		return paired;
	}

	/** By a token. Looking its hash up takes the same time for every wrong one. */
	of(token: string): DeviceRecord | undefined {
		return this.present(this.byHash.get(sha256(token)));
	}

	/** Shows a page that this server knows the token of a device, without saying it. */
	prove(id: DeviceId, challenge: string): string | undefined {
		const paired = this.known.get(id);
		if (!paired || !this.present(paired)) return undefined;
		return createHmac('sha256', paired.token).update(`nancy desk ${challenge}`).digest('hex');
	}

	/** Whether a device may still look. */
	isIn(id: DeviceId): boolean {
		return this.present(this.known.get(id)) !== undefined;
	}

	/** For the list. */
	seen(id: DeviceId): void {
		const paired = this.known.get(id);
		if (!paired || Date.now() - Date.parse(paired.device.usedAt) < USED_MS) return;
		const usedAt = new Date().toISOString();
		const device = { ...paired.device, usedAt };
		this.known.set(id, { ...paired, device });
		void this.file
			.change(devices => devices.map(each => (each.id === id ? { ...each, usedAt } : each)))
			.catch(() => undefined);
	}

	list(): DeviceRecord[] {
		return [...this.known.values()].map(({ device }) => device);
	}

	/** Out at once. The list follows. */
	async revoke(id: DeviceId): Promise<void> {
		this.forget(id);
		await this.file.revoke(id);
	}

	/** The server ends. */
	async revokeAll(): Promise<void> {
		const ids = new Set(this.known.keys());
		for (const id of ids) this.forget(id);
		if (ids.size > 0) await this.file.change(devices => devices.filter(({ id }) => !ids.has(id)));
	}

	/** Whatever another program has taken out of the list. */
	async look(): Promise<void> {
		// Not those that are added meanwhile.
		const ids = [...this.known.keys()];
		try {
			const listed = new Set((await this.file.read()).map(({ id }) => id));
			for (const id of ids) if (!listed.has(id)) this.forget(id);
		} catch {
			for (const id of ids) this.forget(id);
			if (ids.length > 0) this.fail();
		}
	}

	private lookSoon(): void {
		this.looking = this.looking.then(() => this.look());
	}

	private present(paired: Paired | undefined): DeviceRecord | undefined {
		if (!paired) return undefined;
		if (Date.parse(paired.device.expiresAt) > Date.now()) return paired.device;
		void this.revoke(paired.device.id).catch(() => undefined);
		return undefined;
	}

	private forget(id: DeviceId): void {
		const paired = this.known.get(id);
		if (!paired) return;
		this.known.delete(id);
		this.byHash.delete(paired.device.token);
		this.revoked.fire(id);
	}
}
