import type { Disposable } from './lifetime.ts';

/** Listeners return nothing. An async listener is then a lint error; nobody would see its rejection. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

export class Emitter<T> implements Disposable {
	private readonly listeners = new Set<(value: T) => void>();

	readonly event: Event<T> = listener => {
		this.listeners.add(listener);
		return { dispose: () => this.listeners.delete(listener) };
	};

	/** Calls every listener. If one throws, the others are still called, and the error surfaces afterwards. */
	fire(value: T): void {
		const snapshot = [...this.listeners];
		const failures: unknown[] = [];
		for (const listener of snapshot) {
			try {
				listener(value);
			} catch (error) {
				failures.push(error);
			}
		}
		if (failures.length > 0) throw new AggregateError(failures, 'a listener failed');
	}

	dispose(): void {
		this.listeners.clear();
	}
}
