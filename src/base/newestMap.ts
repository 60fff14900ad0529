/** A map with a limited number of entries. The entry that was set longest ago goes first. */
export class NewestMap<Key, Value> {
	private readonly entries = new Map<Key, Value>();

	constructor(private readonly most: number) {}

	get(key: Key): Value | undefined {
		return this.entries.get(key);
	}

	set(key: Key, value: Value): void {
		this.entries.delete(key);
		this.entries.set(key, value);
		for (const oldest of this.entries.keys()) {
			if (this.entries.size <= this.most) return;
			this.entries.delete(oldest);
		}
	}

	delete(key: Key): void {
		this.entries.delete(key);
	}

	values(): Value[] {
		return [...this.entries.values()];
	}
}
