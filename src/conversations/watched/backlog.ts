interface Piece {
	readonly bytes: Uint8Array;
	readonly seen: () => void;
}

/** Bytes of one step. A screen takes them in about 3 ms. */
const STEP = 256 * 1024;

/** A flood has stopped for now if nothing came for so long, in milliseconds. On a busy machine, a program that writes has to wait now and then. */
const QUIET_MS = 20;

/** A step is due after so long, in milliseconds, although a program writes without a pause. */
const LATEST_MS = 50;

/**
 * What a screen has not shown yet. To show bytes takes longer than to pass them on, so it waits until none come. But it is never later than
 * {@link LATEST_MS}, except in a flood.
 */
export class Backlog {
	private readonly pieces: Piece[] = [];
	private bytes = 0;
	private hasCome = false;
	private isAtWork = false;
	private due = 0;

	/** @param put shows bytes, after all earlier ones, and calls `seen` before it shows later ones */
	constructor(private readonly put: (bytes: Uint8Array, seen: () => void) => void) {}

	/** More than a step is left: what the screen shows is old. */
	get isFlood(): boolean {
		return this.bytes > STEP;
	}

	/** The screen shows all that has come. */
	get isEmpty(): boolean {
		return this.bytes === 0;
	}

	/** @param seen is called once these bytes are on the screen, and no later ones */
	add(bytes: Uint8Array, seen: () => void): void {
		this.pieces.push({ bytes, seen });
		this.bytes += bytes.length;
		this.hasCome = true;
		if (!this.isAtWork) this.goOn();
	}

	private goOn(): void {
		this.isAtWork = this.pieces.length > 0;
		if (!this.isAtWork) return;
		const waits = this.hasCome && Date.now() < this.due;
		this.hasCome = false;
		setTimeout(() => (this.hasCome && Date.now() < this.due ? this.goOn() : this.step()), waits ? QUIET_MS : 0);
	}

	private step(): void {
		this.due = Date.now() + LATEST_MS;
		let bytes = 0;
		const end = this.pieces.findIndex(piece => (bytes += piece.bytes.length) >= STEP);
		const step = this.pieces.splice(0, end < 0 ? this.pieces.length : end + 1);
		for (const [index, piece] of step.entries())
			this.put(piece.bytes, () => {
				this.bytes -= piece.bytes.length;
				piece.seen();
				if (index === step.length - 1) this.goOn();
			});
	}
}
