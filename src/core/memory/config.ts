import { CONFIG_TABLES, type MemoryConfig } from '../../protocol/memory.ts';

/** At the top of the file, or in `[context]`: another name of `max_tokens`. */
const CAP = 'max_context_tokens';

/** The tables, with the keys that have an effect there. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
	extraction: Object.keys(CONFIG_TABLES.extraction.shape),
	context: [...Object.keys(CONFIG_TABLES.context.shape), CAP],
	repl: Object.keys(CONFIG_TABLES.repl.shape),
};

/** The values of config.toml, each under the one name that its schema has. */
export function namedConfig({ [CAP]: top, ...rest }: Readonly<Record<string, unknown>>): Record<string, unknown> {
	const { context = {} } = rest;
	if (!isTable(context)) return rest;
	const { [CAP]: below, max_tokens: cap = below ?? top, ...other } = context;
	return { ...rest, context: { ...other, ...(cap !== undefined && { max_tokens: cap }) } };
}

/** The keys of config.toml that have no effect. */
export function unusedKeys(file: string, config: Readonly<Record<string, unknown>>): MemoryConfig['problems'] {
	return Object.entries(config).flatMap(([table, value]) => {
		const known = KEYS[table] ?? [];
		if (!isTable(value)) return table === CAP || known.length > 0 ? [] : { file, reason: unusedText(table) };
		return Object.keys(value)
			.filter(key => !known.includes(key))
			.map(key => ({ file, reason: unusedText(`${table}.${key}`) }));
	});
}

function unusedText(key: string): string {
	return key.endsWith('.api_key_env')
		? `${key} has no effect: Nancy asks your own agents, which have their own login`
		: `Nancy knows no key ${key}, which has no effect`;
}

function isTable(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
