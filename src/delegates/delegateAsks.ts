import { liveness } from '../base/liveness.ts';
import type { Questions } from '../core/questions/questions.ts';
import type { DelegateId } from '../protocol/delegate.ts';

/** How often to look, in milliseconds. */
const LOOK_MS = 1000;

/** Watches what a running delegate asks its user. While it waits for an answer, its silence means nothing. */
export class DelegateAsks {
	private timer: NodeJS.Timeout | undefined;
	private looking: Promise<void> = Promise.resolve();
	private hasEnded = false;
	private told = 0;
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
		const questions = await this.desk.ofDelegate(this.id);
		const alone = questions.filter(({ holder }) => liveness(holder) === 'dead');
		for (const { id } of alone) await this.desk.end(id, 'ended', 'the process that waited has ended');
		this.tell(questions.length - alone.length);
	}

	private tell(count: number): void {
		if (count > 0) this.countAsOutput();
		if (count === this.told) return;
		this.told = count;
		this.onChange(count);
	}
}
