import type { Questions } from '../core/questions/questions.ts';
import type { DelegateId } from '../protocol/delegate.ts';
import type { Question } from '../protocol/question.ts';

/** How often to look, in milliseconds. */
const LOOK_MS = 1000;

/** Watches what a running delegate asks its user. While it waits for an answer, its silence means nothing. */
export class DelegateAsks {
	private timer: NodeJS.Timeout | undefined;
	private looking: Promise<void> = Promise.resolve();
	private hasEnded = false;
	private told = 0;
	/** Its questions without an answer, as last read. */
	private open: readonly Question[] = [];
	/** The desk's stamps at the last two reads. */
	private read: readonly string[] = [];
	private countAsOutput: () => void = () => undefined;

	/** @param onChange gets how many answers it waits for, at each change */
	constructor(
		private readonly desk: Questions,
		private readonly id: DelegateId,
		private readonly onChange: (count: number) => void,
	) {}

	/**
	 * Looks now and then until {@link end}.
	 * @param countAsOutput of the run: see `RunListener`
	 */
	begin(countAsOutput: () => void): void {
		this.countAsOutput = countAsOutput;
		this.lookOn();
	}

	private lookOn(): void {
		this.looking = this.look()
			// The next look finds out.
			.catch(() => undefined)
			.then(() => {
				if (!this.hasEnded) this.timer = setTimeout(() => this.lookOn(), LOOK_MS);
			});
	}

	/** Its agent has ended, so nobody waits for an answer. Resolves when no desk shows a question of it any more. */
	async end(): Promise<void> {
		this.hasEnded = true;
		clearTimeout(this.timer);
		await this.looking;
		const left = await this.desk.ofDelegate(this.id).catch(() => []);
		for (const { id } of left) await this.desk.end(id, 'ended', 'the delegate has ended').catch(() => undefined);
		this.tell(0);
	}

	private async look(): Promise<void> {
		await this.readChanges();
		const held: Question[] = [];
		for (const question of this.open) {
			if (await this.desk.holders.isAlive(question.holder)) held.push(question);
			else await this.desk.end(question.id, 'ended', 'the process that waited has ended');
		}
		this.open = held;
		this.tell(this.open.length);
	}

	/** The desk has every delegate's questions. After a change they are read twice: a second change in the same tick leaves the stamp as it is. */
	private async readChanges(): Promise<void> {
		const stamp = await this.desk.stamp();
		const [last, before] = this.read;
		if (stamp === last && stamp === before) return;
		this.open = await this.desk.ofDelegate(this.id);
		this.read = last === undefined ? [stamp] : [stamp, last];
	}

	private tell(count: number): void {
		if (count > 0) this.countAsOutput();
		if (count === this.told) return;
		this.told = count;
		this.onChange(count);
	}
}
