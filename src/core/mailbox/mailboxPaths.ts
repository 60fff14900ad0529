import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { hasErrno } from '../../base/errors.ts';
import { ownIdentity, PROCESS_WORD, processWord } from '../../base/liveness.ts';
import { LONGEST_MESSAGE_NAME, MessageId } from '../../protocol/names.ts';
import { HeldFolder, namedError, NOWHERE } from '../files/heldFolder.ts';
import { refuseLinks } from '../files/links.ts';
import { messageFile } from '../files/paths.ts';
import type { Filed, FiledAs } from './seal.ts';

export type MessageState = 'queued' | 'claimed' | 'delivered' | 'archived' | 'withdrawn';

/** The name of each state's folder in a mailbox. */
export const folderByState: Readonly<Record<MessageState, string>> = {
	queued: 'inbox',
	claimed: 'claimed',
	delivered: 'delivered',
	archived: 'archive',
	withdrawn: 'withdrawn',
};

export const MESSAGE_STATES = [
	'queued',
	'claimed',
	'delivered',
	'archived',
	'withdrawn',
] as const satisfies readonly MessageState[];

export const FILED_STATES = ['delivered', 'archived', 'withdrawn'] as const satisfies readonly MessageState[];

/** The folders in which a message may be that was filed like this: the first one, or where a later step moves it. */
const statesOf: Readonly<Record<NonNullable<Filed['as']>, readonly [MessageState, ...MessageState[]]>> = {
	handing: ['claimed'],
	delivered: ['delivered', 'archived'],
	read: ['delivered', 'archived'],
	// When a delivered message is archived, the seal comes before the move.
	archived: ['archived', 'delivered'],
	withdrawn: ['withdrawn'],
};

/** The state whose folder a message gets that is filed like this. */
export function stateOf(as: FiledAs): MessageState {
	return statesOf[as][0];
}

/** Whether a message that was filed like this may be in the folder of this state. */
export function mayBeIn(state: MessageState, as: NonNullable<Filed['as']>): boolean {
	return statesOf[as].includes(state);
}

/** `<process>-<id>.md`: names the claimer, so that a dead claimer's message can go back. */
export const CLAIM_FILE = new RegExp(`^${PROCESS_WORD}-(?<id>.+)\\.md$`);

/**
 * The names of one mailbox's files, and which of them are there. Nothing here reads, moves or changes a file. Paths are for calls of the
 * system, within {@link holding}; only {@link file} is for people.
 */
export class MailboxPaths {
	/** How many operations are at work. */
	private holders = 0;
	private box: HeldFolder | undefined;
	private readonly states = new Map<MessageState, HeldFolder>();

	/**
	 * @param root the `.nancy` folder; no link in its place or below it is followed
	 * @param canHold whether folders can be held open: see {@link HeldFolder}
	 */
	constructor(
		private readonly root: string,
		readonly folder: string,
		private readonly canHold: boolean,
	) {}

	/**
	 * Runs an operation. The folders that it uses are opened once and held until its end. Operations within it share them.
	 * @throws NancyError `bad-file` for a link in the place of a folder, before anything is done
	 */
	holding<T>(act: () => T): T {
		this.holders++;
		try {
			this.look();
			return act();
		} catch (error) {
			throw namedError(error);
		} finally {
			this.end();
		}
	}

	/** {@link holding} for an operation that takes its time. */
	async holdingDuring<T>(act: () => Promise<T>): Promise<T> {
		this.holders++;
		try {
			this.look();
			return await act();
		} catch (error) {
			throw namedError(error);
		} finally {
			this.end();
		}
	}

	/** Before the first change: a link in the place of any folder stops the whole operation. */
	private look(): void {
		if (this.holders > 1) return;
		this.refuseLinks();
		for (const state of MESSAGE_STATES) this.folderOf(state);
	}

	private end(): void {
		this.holders--;
		if (this.holders > 0) return;
		for (const folder of [this.box, ...this.states.values()]) folder?.close();
		this.box = undefined;
		this.states.clear();
	}

	/** The path of a file, or of its folder, for people. */
	file(state: MessageState, name?: string): string {
		const folder = `${this.folder}${sep}${folderByState[state]}`;
		return name === undefined ? folder : `${folder}${sep}${name}`;
	}

	/** @param name one path segment. Called a dozen times for each message; `join` would parse the path every time */
	in(state: MessageState, name?: string): string {
		const held = this.folderOf(state);
		if (held) return held.at(name);
		return this.canHold ? NOWHERE : this.file(state, name);
	}

	/** A file beside the folders of the states. */
	beside(name: string): string {
		return this.box?.at(name) ?? NOWHERE;
	}

	/** Makes the folder of a state if it is missing. */
	make(state: MessageState): void {
		if (this.folderOf(state)) return;
		this.box ??= this.openBox(0o700);
		if (this.box) this.states.set(state, this.box.make(folderByState[state]));
	}

	private folderOf(state: MessageState): HeldFolder | undefined {
		if (this.holders === 0) throw new Error('no operation holds the folders');
		const known = this.states.get(state);
		if (known) return known;
		this.box ??= this.openBox();
		const folder = this.box?.inner(folderByState[state]);
		if (folder) this.states.set(state, folder);
		return folder;
	}

	private openBox(make?: number): HeldFolder | undefined {
		return HeldFolder.openBelow(this.root, this.folder, make, this.canHold);
	}

	message(state: MessageState, id: MessageId): string {
		return this.in(state, messageFile(id));
	}

	/** A message that this process has claimed. */
	claim(id: MessageId): string {
		return this.in('claimed', `${processWord(ownIdentity())}-${messageFile(id)}`);
	}

	/** Why a queued message still waits. */
	held(id: MessageId): string {
		return this.in('queued', `${id}.held`);
	}

	/** How often a message was given back. */
	returns(id: MessageId): string {
		return this.in('claimed', `${id}.returns`);
	}

	receipt(state: MessageState, id: MessageId): string {
		return this.in(state, `${id}.receipt.json`);
	}

	/** The files in a state's folder that end as a message does. */
	names(state: MessageState): string[] {
		return this.filesIn(state).filter(name => name.endsWith('.md'));
	}

	private filesIn(state: MessageState): string[] {
		try {
			const entries = readdirSync(this.in(state), { withFileTypes: true });
			return entries.filter(entry => entry.isFile()).map(entry => entry.name);
		} catch (error) {
			if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return [];
			throw error;
		}
	}

	/**
	 * Where no folder can be held, links are looked for when an operation begins and right before each move. Only the moment between look and
	 * move is left then to a program that exchanges a folder.
	 */
	refuseLinks(): void {
		if (this.canHold) return;
		let folder = this.root;
		const above = relative(this.root, this.folder)
			.split(sep)
			.map(segment => (folder = join(folder, segment)));
		const states = MESSAGE_STATES.map(state => this.file(state));
		refuseLinks([this.root, ...above, ...states]);
	}

	claimedIds(): ReadonlySet<MessageId> {
		const ids = this.names('claimed').map(name => idOf('claimed', name));
		return new Set(ids.filter(id => id !== undefined));
	}

	/** Whether a message of this name has been filed. */
	isFiled(id: MessageId): boolean {
		return FILED_STATES.some(state => existsSync(this.message(state, id)));
	}
}

/** Undefined for a name that no message may have: see {@link nameProblem}. */
export function idOf(state: MessageState, name: string): MessageId | undefined {
	const stem = state === 'claimed' ? CLAIM_FILE.exec(name)?.groups?.['id'] : name.slice(0, -'.md'.length);
	const id = MessageId.safeParse(stem);
	return id.success ? id.data : undefined;
}

/** Why {@link idOf} rejects it. */
export function nameProblem(state: MessageState, name: string): string {
	if (state === 'claimed' && !CLAIM_FILE.test(name))
		return `its name is not that of a claim; if it is a message, move it to ${folderByState.queued}`;
	return Buffer.byteLength(name) - '.md'.length > LONGEST_MESSAGE_NAME
		? 'its name is too long; rename it'
		: 'its name has a character that no message may have; rename it';
}
