import { join } from 'node:path';
import { parseVersion, type Version } from '../../base/version.ts';
import type { AgentEvent, DeliveryNote } from '../../protocol/traffic.ts';
import { readSealed } from '../files/sealedDeployments.ts';
import { can } from '../driver/abilities.ts';
import type { Driver } from '../driver/driver.ts';
import type { Slot } from '../driver/slot.ts';
import { claimBatch } from '../mailbox/batch.ts';
import { isAroundTools, isBeforeTool, isDue, mayWake } from '../mailbox/due.ts';
import type { Mailbox } from '../mailbox/mailbox.ts';
import type { NotesToTell } from '../memory/telling.ts';
import { isSettled, type StoredMessage } from '../mailbox/mailboxFiles.ts';
import { folderByState } from '../mailbox/mailboxPaths.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { makeBell } from '../workspace/bell.ts';
import { bindSession } from './bindings.ts';
import { BoundaryMark } from './boundaryMark.ts';
import { beginHalt, currentHalt, endHalt, HALTED_BESIDE } from './halt.ts';
import { keepReceipts } from './keepReceipts.ts';
import { readHeldStops, readPhase, writeHeldStops, writePhase } from './phase.ts';
import type { BoundSession } from './sessions.ts';

/** Hands text to the agent; false if nobody took it. */
export type Print = (text: string) => Promise<boolean>;

/** The program that sees the event, and its way to the agent. */
export interface TurnPlace {
	readonly workspace: Workspace;
	readonly driver: Driver;
	/** Whether the agent can run `nancy archive`. */
	readonly canFile: boolean;
	readonly print: Print;
	/** Whether due messages may reach the agent. It gives each that may not a reason. */
	readonly mayHandOver: (mailbox: Mailbox, due: readonly StoredMessage[]) => Promise<boolean>;
	/** What the session has to be told of its project at this event. */
	readonly notes: (event: AgentEvent) => Promise<NotesToTell | undefined>;
	/** Rings a bell that the session watches only once it has this event's answer, if a message is in the inbox then. */
	readonly ringLater: (bell: string, inbox: string) => Promise<void>;
	/** Keeps a note for the traffic. */
	readonly note: (content: DeliveryNote) => void;
}

/** Whether the answer can tell the session what to watch. */
export function isBeginning({ kind }: AgentEvent): boolean {
	return kind === 'session-start' || kind === 'folder-changed' || kind === 'watch-asked';
}

/** The turn is over, and nothing is handed over: the user broke it off, or the model failed. */
export function isBrokenOff({ kind }: AgentEvent): boolean {
	return kind === 'interrupted' || kind === 'stop-failed';
}

/** For the model, once for each conversation. It costs no start of a program: the hook answers there anyway. */
const INTRODUCTION =
	'Nancy hands you messages from your user and from other agents while you work, each marked as a Nancy message. ' +
	'The skills check-directives and send-message say how to list, file and answer them.';

const SEPARATOR = '\n\n';

/** A resumed conversation and a copy of one have its beginning. A compaction may have dropped it. */
function isNewToModel({ kind, cause }: AgentEvent): boolean {
	return kind === 'session-start' && cause !== 'resume' && cause !== 'fork';
}

/** One event of a worker's main agent. */
export class Turn {
	private readonly mailbox: Mailbox;

	constructor(
		private readonly place: TurnPlace,
		private readonly event: AgentEvent,
		private readonly slot: Slot,
		private readonly bound: BoundSession,
	) {
		this.mailbox = this.workspace.mailbox(bound.address);
	}

	private get workspace() {
		return this.place.workspace;
	}

	async run(): Promise<void> {
		const { kind, session } = this.event;
		if (!isBeforeTool(kind)) endHalt(this.workspace, session);
		if (kind === 'prompt') await writePhase(this.workspace.paths, session, 'busy');
		const heldStops = kind === 'stop' ? await this.heldStops() : 0;
		const version = await this.agentVersion();
		if (isBeginning(this.event)) {
			await this.tellBeginning(version);
			// Compaction goes on in the middle of a turn.
			if (kind === 'session-start' && this.event.cause !== 'compact') await this.settleEarlier();
		} else if (heldStops < this.place.driver.hooks.stopCap && (await this.handOver(version))) {
			if (kind === 'stop') {
				await writePhase(this.workspace.paths, session, 'busy');
				await writeHeldStops(this.workspace.paths, session, heldStops + 1);
				return;
			}
		} else if (isBeforeTool(kind) && (await this.denyBeside())) {
			return;
		}
		await this.settle(heldStops);
	}

	/** Queues messages again that an earlier session or process was handed and does not have. No window may be open to do it. */
	private async settleEarlier(): Promise<void> {
		const { settleEarlier } = await import('./lostDeliveries.ts');
		const { record, isNewProcess } = this.bound;
		await settleEarlier(this.workspace, [this.place.driver], record, isNewProcess);
	}

	/** Updates the records after an event that did not hold the agent back. */
	private async settle(heldStops: number): Promise<void> {
		const { kind, session, cause } = this.event;
		const begins = kind === 'session-start' && cause !== 'compact' && !(await this.isOvertaken());
		if (kind === 'stop' || isBrokenOff(this.event) || begins) {
			await writePhase(this.workspace.paths, session, 'idle');
		}
		// The agent has been held back as often as its CLI allows. The remaining messages wake it.
		if (heldStops >= this.place.driver.hooks.stopCap && (await this.hasWaking())) {
			await this.workspace.ring(this.bound.address);
		}
	}

	/** Whether the hook of the first prompt was faster than this one of the start, where the CLI runs both at once. */
	private async isOvertaken(): Promise<boolean> {
		if (this.place.driver.hooks.reportsStart !== 'at-first-prompt') return false;
		const { phase, ageMs } = await readPhase(this.workspace.paths, this.event.session);
		// An earlier process may have been killed in the middle of a turn. The hook of a prompt runs beside this one.
		return phase === 'busy' && (!this.bound.isNewProcess || ageMs < process.uptime() * 1000);
	}

	/** Tells the session to watch its doorbell and the model how its mailbox works, if its CLI takes that. */
	private async tellBeginning(version: Version | undefined): Promise<void> {
		const { workspace, event, bound } = this;
		const { driver } = this.place;
		const bell = await makeBell(workspace.paths, event.session);
		const notes = await this.place.notes(event);
		const introduction = isNewToModel(event) ? INTRODUCTION : '';
		const room = driver.hooks.contextLimit - introduction.length - SEPARATOR.length;
		const told = await notes?.within(room);
		const words = [introduction, told].filter(Boolean).join(SEPARATOR);
		const { stdout, watches } = driver.hooks.beginAnswer(event, { bell, words });
		if (stdout === '') return;
		if (!(await this.place.print(stdout))) return;
		if (told !== undefined) notes?.wereTold();
		if (!watches) return;
		// Messages may be queued already, and more may come before the session watches its bell. No window may be open to ring again.
		await this.place.ringLater(bell, join(this.mailbox.folder, folderByState.queued));
		if (!bound.watched && (version === undefined || can(driver, 'wake', version)))
			await bindSession(workspace, event.session, { address: bound.address, watched: true });
	}

	/** Whether anything was due and handed over. From the claim to the receipt, all is done in the same folders. */
	private handOver(version: Version | undefined): Promise<boolean> {
		return this.mailbox.holding(() => this.handOverDue(version));
	}

	private async handOverDue(version: Version | undefined): Promise<boolean> {
		const { driver } = this.place;
		const { kind, session } = this.event;
		const mark = isAroundTools(this.slot) ? BoundaryMark.begin(this.mailbox) : undefined;
		const occasion = { kind, slot: this.slot, session, canFile: this.place.canFile };
		const notes = kind === 'prompt' ? await this.place.notes(this.event) : undefined;
		const room = driver.hooks.contextLimit - (notes ? notes.least + SEPARATOR.length : 0);
		let isRefused = false;
		const batch = await claimBatch(this.mailbox, occasion, room, async due => {
			isRefused = !(await this.place.mayHandOver(this.mailbox, due));
			return !isRefused;
		});
		if (batch.claims.length === 0) {
			// The messages are due once the user has looked at the refusal, without a change in the inbox.
			if (isRefused || (await this.mayBeDueUnchanged())) mark?.discard();
			else mark?.nothingWasDue();
			if (notes) await this.tell(notes, version);
			return false;
		}
		mark?.discard();
		if (batch.effect !== 'none' && isBeforeTool(kind)) {
			await beginHalt(this.workspace, this.event.session, batch.effect);
		}
		// Messages go first: notes have waited for days.
		const left = driver.hooks.contextLimit - batch.text.length - SEPARATOR.length;
		const told = await notes?.within(left);
		const text = [batch.text, told].filter(Boolean).join(SEPARATOR);
		const answer = driver.hooks.answer(this.event, { text, effect: batch.effect, version });
		if (!(await this.place.print(answer.stdout))) {
			for (const claim of batch.claims) claim.release();
			return false;
		}
		await keepReceipts(this.place, this.bound.address, this.event, batch, answer.rung ?? 'hook');
		if (told !== undefined) notes?.wereTold();
		return true;
	}

	/** Tells the session of its project, where no message is due. */
	private async tell(notes: NotesToTell, version: Version | undefined): Promise<void> {
		const { hooks } = this.place.driver;
		const text = await notes.within(hooks.contextLimit);
		if (text === undefined) return;
		if (await this.place.print(hooks.answer(this.event, { text, effect: 'none', version }).stdout))
			notes.wereTold();
	}

	/** Whether an untouched message may become due at the next event of a tool. */
	private async mayBeDueUnchanged(): Promise<boolean> {
		const others = Object.values(this.place.driver.hooks.slots).filter(
			slot => isAroundTools(slot) && slot !== this.slot,
		);
		const { messages } = await this.mailbox.list(['queued']);
		return messages.some(message => !isSettled(message) || others.some(slot => isDue(slot, message.content)));
	}

	/** Denies a call whose neighbour was halted. */
	private async denyBeside(): Promise<boolean> {
		const hasBatchEnd = async () => {
			const version = await this.deployedVersion();
			return version !== undefined && can(this.place.driver, 'batchEnd', version);
		};
		const effect = await currentHalt(this.workspace, this.event.session, this.mailbox, hasBatchEnd);
		if (effect === 'none') return false;
		const delivery = { text: HALTED_BESIDE, effect, version: undefined };
		await this.place.print(this.place.driver.hooks.answer(this.event, delivery).stdout);
		return true;
	}

	private async heldStops(): Promise<number> {
		if (this.event.continuing !== true) return 0;
		return readHeldStops(this.workspace.paths, this.event.session);
	}

	private async hasWaking(): Promise<boolean> {
		const { messages } = await this.mailbox.list(['queued']);
		return messages.some(mayWake);
	}

	/** Looked up only if an answer depends on it. */
	private async agentVersion(): Promise<Version | undefined> {
		if (isAroundTools(this.slot)) return undefined;
		const recorded = this.bound.record.agentVersion;
		return recorded === undefined ? this.deployedVersion() : parseVersion(recorded);
	}

	/**
	 * The version that the hooks were written for, which decides the events. Unknown if it is unreadable. Only the form of an answer
	 * depends on it, so that must not keep a message back.
	 */
	private async deployedVersion(): Promise<Version | undefined> {
		const sealed = await readSealed(this.workspace.own).catch(() => undefined);
		const deployed = sealed?.deployments.find(({ driver }) => driver === this.place.driver.id);
		return parseVersion(deployed?.agentVersion ?? '');
	}
}
