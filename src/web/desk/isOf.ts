import type { Shape } from './shape.ts';

/** Whether a value has a shape. It may have more fields: a newer server says more. */
export function isOf<T>(shape: Shape<T>, value: unknown): value is T {
	const {
		type,
		properties = {},
		required = [],
		items,
		additionalProperties: rest,
		anyOf,
		enum: values,
		pattern,
	} = shape;
	if (values && !values.includes(value)) return false;
	if (anyOf && !anyOf.some(each => isOf(each, value))) return false;
	if (type === undefined) return true;
	if (type === 'array') return Array.isArray(value) && (!items || value.every(each => isOf(items, each)));
	if (type === 'null') return value === null;
	if (type === 'integer') return Number.isInteger(value);
	if (type !== 'object') return typeof value === type && (pattern === undefined || matches(pattern, value));
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
	const fields = new Map<string, unknown>(Object.entries(value));
	return (
		required.every(name => fields.has(name)) &&
		(!rest || [...fields.values()].every(field => isOf(rest, field))) &&
		Object.entries(properties).every(([name, inner]) => !fields.has(name) || isOf(inner, fields.get(name)))
	);
}

const patterns = new Map<string, RegExp>();

function matches(pattern: string, value: unknown): boolean {
	const known = patterns.get(pattern) ?? new RegExp(pattern, 'u');
	patterns.set(pattern, known);
	return typeof value === 'string' && known.test(value);
}
