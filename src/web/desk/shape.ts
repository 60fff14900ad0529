import * as z from 'zod/mini';

/**
 * A zod schema as data. The page checks what arrives against shapes, because zod's own code and the schemas would take a sixth of the page.
 * The names are those of JSON Schema.
 */
export interface Shape<T> {
	readonly type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null';
	readonly properties?: Readonly<Record<string, Shape<unknown>>>;
	readonly required?: readonly string[];
	readonly items?: Shape<unknown>;
	/** The shape of every field, where names are not fixed. */
	readonly additionalProperties?: Shape<unknown>;
	readonly anyOf?: readonly Shape<unknown>[];
	readonly enum?: readonly unknown[];
	readonly pattern?: string;
	/** Not there: for the compiler, which so knows what has this shape. */
	readonly of?: T;
}

/** The shape of a schema. A condition that JSON Schema has no word for is left out: the server has checked it. */
export function shapeOf<T>(schema: z.core.$ZodType<T>): Shape<T> {
	return lean(z.toJSONSchema(schema, { io: 'input', reused: 'inline', unrepresentable: 'any' }));
}

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const;

function lean(json: z.core.JSONSchema._JSONSchema): Shape<never> {
	if (typeof json === 'boolean') return {};
	const {
		type,
		properties,
		required,
		items,
		additionalProperties: values,
		anyOf,
		oneOf,
		enum: all,
		const: value,
		pattern,
	} = json;
	const each = anyOf ?? oneOf;
	const name = TYPES.find(known => known === type);
	return {
		...(name !== undefined && { type: name }),
		...(properties && {
			properties: Object.fromEntries(Object.entries(properties).map(([key, inner]) => [key, lean(inner)])),
		}),
		...(required && required.length > 0 && { required }),
		...(items !== undefined && !Array.isArray(items) && { items: lean(items) }),
		...(typeof values === 'object' && { additionalProperties: lean(values) }),
		...(each && { anyOf: each.map(lean) }),
		...(all && { enum: all }),
		...(value !== undefined && { enum: [value] }),
		...(pattern !== undefined && { pattern }),
	};
}
