import { visibleLine } from '../base/visible.ts';
import type { Claim } from '../core/mailbox/messageClaims.ts';
import { redactText } from '../core/traffic/redact.ts';
import type { Workspace } from '../core/workspace/workspace.ts';
import type { Executor } from '../executors/executor.ts';
import { mayHandOver } from '../git/mayHandOver.ts';
import type { MessageId } from '../protocol/names.ts';
import type { RemoteJob, RemoteLetter, RemoteReceipt } from '../protocol/remoteJob.ts';

/**
 * The messages of a delegate on another machine. This process claims what waits here, carries it over, and files it with the receipt that
 * comes back. After a kill the message waits again and is carried again. The other machine knows it by its id, and hands it over once.
 */
export class RemoteMail {
	private readonly claims = new Map<MessageId, Claim>();
	private readonly carried = new Set<MessageId>();
	/** Messages that somebody has taken back there. They are not carried again. */
	private readonly takenBack = new Set<MessageId>();

	constructor(
		private readonly workspace: Workspace,
		private readonly executor: Executor,
		private readonly job: RemoteJob,
	) {}

	/** The messages that are on their way or there, without a receipt so far. */
	get letters(): RemoteLetter[] {
		return [...this.claims.values()].map(({ id, content, author }) => ({ id, content, author }));
	}

	/** Whether {@link collect} has anything to do. At most looks it has not, and to know that costs little. */
	get hasOpen(): boolean {
		const { mailbox } = this.job;
		return mailbox !== undefined && this.workspace.mailbox(mailbox).hasOpen();
	}

	/**
	 * Claims what waits here, while the machine answers. From then on it is taken back there first. Returns what is still to be carried.
	 */
	async collect(): Promise<RemoteLetter[]> {
		const address = this.job.mailbox;
		if (!address) return [];
		const mailbox = this.workspace.mailbox(address);
		const claims = await mailbox.claim(
			({ id }) => (this.takenBack.has(id) ? 'leave' : 'take'),
			due => mayHandOver(this.workspace, mailbox, due),
		);
		for (const claim of claims) this.claims.set(claim.id, claim);
		return this.letters.filter(({ id }) => !this.carried.has(id));
	}

	/** Carries messages over. A repeat does no harm. */
	async carry(letters: readonly RemoteLetter[]): Promise<void> {
		if (letters.length > 0) await this.executor.carry(this.job, letters);
		for (const { id } of letters) this.carried.add(id);
	}

	/** Files the messages that the agent has. What its machine says of them is somebody else's words. */
	deliver(receipts: readonly RemoteReceipt[]): void {
		for (const { id, deliveredAt, event, session, tool } of receipts) {
			const claim = this.claims.get(id);
			if (!claim) continue;
			const line = (text: string) => visibleLine(redactText(text), 100);
			claim.deliver({
				deliveredAt,
				event: line(event),
				driver: this.job.agent,
				session,
				...(tool !== undefined && { tool: line(tool) }),
				rung: 'hook',
			});
			this.claims.delete(id);
		}
	}

	/** These wait here again, until whoever has taken them back there does so here. Its machine can make no message disappear. */
	giveBack(takenBack: readonly MessageId[]): void {
		for (const id of takenBack) {
			this.takenBack.add(id);
			this.claims.get(id)?.release();
			this.claims.delete(id);
		}
	}

	/** What the agent has not got waits here again. */
	release(): void {
		for (const claim of this.claims.values()) {
			try {
				claim.release();
			} catch {} // whoever looks after the end of this process gives it back
		}
		this.claims.clear();
	}
}
