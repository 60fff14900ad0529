import type { ComposeDrafts } from '../../src/ui/inbox/composeDrafts.ts';

/** As VS Code keeps it over a reload: as JSON. */
export function jsonMemory(): ConstructorParameters<typeof ComposeDrafts>[0] {
	const kept = new Map<string, string>();
	return {
		keys: () => [...kept.keys()],
		get: <T>(key: string): T | undefined => JSON.parse(kept.get(key) ?? 'null') ?? undefined,
		update: async (key, value) => void kept.set(key, JSON.stringify(value)),
	};
}
