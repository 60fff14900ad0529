import { isDeepStrictEqual } from 'node:util';
import type { Memento } from 'vscode';
import * as z from 'zod/mini';
import { StartChoice } from './startChoice.ts';

const KEY = 'startPresets';

const Preset = z.object({ name: z.string().check(z.trim(), z.minLength(1)), choice: StartChoice });
const Named = z.object({ name: z.string() });

export interface Preset {
	/** The name. A preset that cannot be read may have none: then it is empty. */
	name: string;
	/** `undefined` if it cannot be read. */
	choice: StartChoice | undefined;
	/** As it is kept. */
	kept: unknown;
}

/**
 * Ways to start agents that the user has saved by name. They are kept outside every workspace, where agents do not write. One that cannot be
 * read stays until the user deletes it.
 */
export class Presets {
	constructor(private readonly memory: Pick<Memento, 'get' | 'update'>) {}

	/** In the order in which they were saved. */
	list(): Preset[] {
		return this.kept().map(kept => {
			const preset = Preset.safeParse(kept).data;
			return { name: preset?.name ?? Named.safeParse(kept).data?.name ?? '', choice: preset?.choice, kept };
		});
	}

	/** The preset that is this choice. Places and permissions of agents that are not chosen do not count. */
	matching(choice: StartChoice): Preset | undefined {
		return this.list().find(preset => preset.choice && isDeepStrictEqual(essence(preset.choice), essence(choice)));
	}

	/** Replaces the one of that name. */
	async save(name: string, choice: StartChoice): Promise<void> {
		const preset = { name: name.trim(), choice: essence(choice) };
		const others = this.list().filter(each => each.name !== preset.name);
		await this.memory.update(KEY, [...others.map(({ kept }) => kept), preset]);
	}

	async rename({ kept }: Preset, name: string): Promise<void> {
		const renamed = (each: unknown) => (isDeepStrictEqual(each, kept) ? withName(each, name.trim()) : each);
		await this.memory.update(KEY, this.kept().map(renamed));
	}

	async delete({ kept }: Preset): Promise<void> {
		await this.memory.update(
			KEY,
			this.kept().filter(each => !isDeepStrictEqual(each, kept)),
		);
	}

	private kept(): unknown[] {
		const kept = this.memory.get(KEY) ?? [];
		return Array.isArray(kept) ? kept : [kept];
	}
}

function withName(kept: unknown, name: string): unknown {
	return typeof kept === 'object' && kept !== null ? { ...kept, name } : kept;
}

function essence(choice: StartChoice): StartChoice {
	const { agents, models, place, permissions } = StartChoice.parse(choice);
	const own = Object.entries(permissions).filter(([agent]) => agents.includes(agent));
	return { agents: agents.toSorted(), models: models.trim(), place, permissions: Object.fromEntries(own) };
}
