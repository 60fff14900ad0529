import * as z from 'zod/mini';
import type { HookCall } from '../core/driver/hooks.ts';
import { isObject } from './summary.ts';

// Building a schema costs the hook more than using it, so each schema is built when its event comes.

/** Schemas of payloads by the names of their events. */
type Schemas<Payload> = Readonly<Record<string, () => z.ZodMiniType<Payload>>>;

/** Any of the payloads that these schemas read. */
export type PayloadOf<All extends Schemas<unknown>> = z.infer<ReturnType<All[keyof All]>>;

interface ParsedPayload<Known, Unknown> {
	payload: Known | Unknown;
	/** The same, if its event has a schema of its own. */
	known: Known | undefined;
}

/**
 * Reads payloads by the schemas of their events. The returned function throws if a payload does not match its event.
 * @param unknownEvent the event of a payload without a schema, by its name
 */
export function payloadParser<Known, Unknown>(
	schemas: Schemas<Known>,
	unknownEvent: (name: string) => z.ZodMiniType<Unknown>,
): (name: string, value: unknown) => ParsedPayload<Known, Unknown> {
	const built = new Map<string, z.ZodMiniType<Known>>();
	return (name, value) => {
		const schema = built.get(name) ?? (Object.hasOwn(schemas, name) ? schemas[name]?.() : undefined);
		if (schema === undefined) return { payload: unknownEvent(name).parse(value), known: undefined };
		built.set(name, schema);
		const known = schema.parse(value);
		return { payload: known, known };
	};
}

/** Whether a payload contradicts the session that the hook's environment names. */
export function isOfAnotherSession(session: string | undefined, payload: unknown): boolean {
	const own = isObject(payload) ? payload['session_id'] : undefined;
	return session !== undefined && session !== '' && own !== undefined && own !== session;
}

/** For a CLI whose payloads do not name their event: adds the name of the called hook. */
export function namedPayload({ event, payload }: HookCall): unknown {
	return isObject(payload) ? { ...payload, event } : payload;
}

/** The field in which a payload names its event. It must be the called hook's event, else the settings are mixed up. */
export function eventName<Name extends string>(name: Name) {
	return z.literal(name, { error: ({ input }) => `the hook of ${name} was called for ${String(input)}` });
}
