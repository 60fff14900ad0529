import type * as z from 'zod/mini';
import type { HeadlessEvent } from '../core/driver/headless.ts';

// Schemas of lines are `z.lazy`: a hook program has its driver whole and reads no run's output, and would build them at every start.

/** The value of a line of a run's output, nothing for what is none: tools, wrappers and warnings print to the same pipe. */
export function valueOf(line: string): unknown {
	try {
		return JSON.parse(line);
	} catch {
		return undefined;
	}
}

/** A line of a run's output, where `schema` knows it. */
export function knownLine<Schema extends z.ZodMiniType>(schema: Schema, line: string): z.infer<Schema> | undefined {
	const parsed = schema.safeParse(valueOf(line));
	return parsed.success ? parsed.data : undefined;
}

/** What a line tells whose fields are as they should be; nothing for another. */
export function using<Schema extends z.ZodMiniType>(
	schema: Schema,
	line: unknown,
	events: (value: z.infer<Schema>) => readonly HeadlessEvent[],
): readonly HeadlessEvent[] {
	const parsed = schema.safeParse(line);
	return parsed.success ? events(parsed.data) : [];
}
