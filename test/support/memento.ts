/** What VS Code keeps for an extension, as a window has it after a reload: values are copies. */
export function mementoOf(stored: Map<string, unknown> = new Map<string, unknown>()) {
	return {
		get: (key: string) => stored.get(key),
		update: async (key: string, value: unknown) => void stored.set(key, JSON.parse(JSON.stringify(value))),
	};
}
