import type * as z from 'zod/mini';

/**
 * What clients are told of a tool's arguments. It knows the few kinds that the tools have, and throws for another one. Zod's own converter
 * would be a tenth of the time that this program takes to start.
 */
export function jsonSchema(schema: z.core.$ZodType): Record<string, unknown> {
	// Zod's description of a schema for libraries. The general type does not say that the kinds are told apart by `type`.
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every schema of zod is one of these
	const { def } = (schema as z.core.$ZodTypes)._zod;
	switch (def.type) {
		case 'object': {
			const fields = Object.entries(def.shape);
			const required = fields.filter(([, field]) => field._zod.def.type !== 'optional').map(([name]) => name);
			const properties = Object.fromEntries(fields.map(([name, field]) => [name, jsonSchema(field)]));
			return {
				type: 'object',
				properties,
				...(required.length > 0 && { required }),
				additionalProperties: false,
			};
		}
		case 'optional':
			return jsonSchema(def.innerType);
		case 'array':
			return { type: 'array', items: jsonSchema(def.element), ...bounds(def.checks, 'Items') };
		case 'enum':
			return { type: 'string', enum: Object.values(def.entries) };
		case 'string':
			return { type: 'string', ...bounds(def.checks, 'Length') };
		case 'number':
			return { type: 'number', ...bounds(def.checks, '') };
		default:
			throw new Error(`no tool takes a ${def.type}`);
	}
}

/** @param of what is counted */
function bounds(checks: readonly z.core.$ZodCheck[] = [], of: string): Record<string, unknown> {
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every check of zod is one of these
	const known = checks as readonly z.core.$ZodChecks[];
	return Object.assign({}, ...known.map(check => bound(check._zod.def, of)));
}

function bound(def: z.core.$ZodChecks['_zod']['def'], of: string): Record<string, unknown> {
	switch (def.check) {
		case 'min_length':
			return { [`min${of}`]: def.minimum };
		case 'max_length':
			return { [`max${of}`]: def.maximum };
		case 'greater_than':
			return { [def.inclusive ? 'minimum' : 'exclusiveMinimum']: def.value };
		default:
			return {};
	}
}
