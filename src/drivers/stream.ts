import type * as z from 'zod/mini';
import type { HeadlessEvent } from '../core/driver/headless.ts';

// Schemas of lines are `z.lazy`: a hook program contains its whole driver but reads no run's output, and would build them at every start.

/** The value of a line of a run's output, or nothing: tools, wrappers and warnings print to the same pipe. */
export function valueOf(line: string): unknown {
	try {
		return JSON.parse(line);
	} catch {
		return undefined;
	}
}

/** A line of a run's output, if it matches `schema`. */
export function knownLine<Schema extends z.ZodMiniType>(schema: Schema, line: string): z.infer<Schema> | undefined {
	const parsed = schema.safeParse(valueOf(line));
	return parsed.success ? parsed.data : undefined;
}

/** The meaning of a line whose fields have the expected types; nothing for another. */
export function using<Schema extends z.ZodMiniType>(
	schema: Schema,
	line: unknown,
	events: (value: z.infer<Schema>) => readonly HeadlessEvent[],
): readonly HeadlessEvent[] {
	const parsed = schema.safeParse(line);
	return parsed.success ? events(parsed.data) : [];
}
