/** Anything that must be released. Same shape as VS Code's, so either side accepts the other's. */
export interface Disposable {
	dispose(): void;
}

/** Owns disposables. A disposable that is added after the store was disposed is disposed at once, so nothing outlives its owner. */
export class DisposableStore implements Disposable {
	private readonly items = new Set<Disposable>();
	private disposed = false;

	get isDisposed(): boolean {
		return this.disposed;
	}

	add<T extends Disposable>(item: T): T {
		if (this.disposed) item.dispose();
		else this.items.add(item);
		return item;
	}

	dispose(): void {
		this.disposed = true;
		const items = [...this.items].reverse();
		this.items.clear();
		for (const item of items) item.dispose();
	}
}
