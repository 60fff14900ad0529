/** A TOML file in which each top-level key is one line. Takes what JSON can hold, except null. */
export function toml(table: Record<string, unknown>): string {
	return Object.entries(table)
		.map(([key, value]) => `${JSON.stringify(key)} = ${inline(value)}\n`)
		.join('');
}

function inline(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
	if (typeof value !== 'object' || value === null) return JSON.stringify(value);
	return `{ ${Object.entries(value)
		.map(([key, each]) => `${JSON.stringify(key)} = ${inline(each)}`)
		.join(', ')} }`;
}
