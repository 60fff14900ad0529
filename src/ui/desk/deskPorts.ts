import type { Event } from '../../base/event.ts';
import type { DeskView } from '../../core/live/deskView.ts';
import type { DeviceId } from '../../protocol/deskApi.ts';
import type { Scope } from '../../protocol/scope.ts';
import type { Folder } from '../ports.ts';

/** The desk, and its server for browsers: handed in by the composition root. */
export interface DeskOperations {
	/** What pages are told. */
	readonly view: Pick<DeskView, 'question'>;
	/** Starts a server of the window's folders. */
	open(folders: { list(): readonly Folder[]; onDidChange: Event<void> }, owner: DeskOwner): Promise<OpenDesk>;
	/** The paired browsers of all servers of this user. */
	devices(): Promise<readonly DeskDevice[]>;
	/** Closes what it has open, at once. */
	revoke(id: DeviceId): Promise<void>;
	/** {@link revoke} for every device of this user, whoever serves it. */
	revokeAll(): Promise<void>;
}

/** The person at the window. */
export interface DeskOwner {
	/** @returns what the browser may do; `undefined`: it stays out */
	letIn(newcomer: DeskNewcomer, signal: AbortSignal): Promise<Scope | undefined>;
	warn(what: 'guesses' | 'devices-unreadable'): void;
}

export interface DeskNewcomer {
	/** By its own words. */
	readonly name: string;
	/** It shows the same number. */
	readonly number: string;
	/** What it asks for. */
	readonly scope: Scope;
}

export interface OpenDesk {
	readonly port: number;
	/** On the machine of the workspace. */
	readonly address: string;
	/** It has closed itself. */
	readonly onDidEnd: Event<void>;
	/** The address for one browser, good for two minutes. */
	invite(address: string): string;
	/** Makes it known under these addresses too. */
	setAddresses(addresses: readonly URL[]): void;
	close(): Promise<void>;
	/** An address for a phone's camera, as SVG. */
	picture(address: string): string;
}

export interface DeskDevice {
	readonly id: DeviceId;
	readonly name: string;
	readonly scope: Scope;
	readonly madeAt: string;
	readonly usedAt: string;
}
