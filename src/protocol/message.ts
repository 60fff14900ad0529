import * as z from 'zod/mini';

export const MessageKind = z.enum(['directive', 'feedback', 'result']);
export type MessageKind = z.infer<typeof MessageKind>;

export const Priority = z.enum(['normal', 'urgent']);
export type Priority = z.infer<typeof Priority>;

/** A message's effect besides being read: `halt` denies the present tool call, `pause` denies it and ends the turn. */
export const Effect = z.enum(['none', 'halt', 'pause']);
export type Effect = z.infer<typeof Effect>;

/** The header lines of a message file; every one is optional in the file. */
export const MessageHeader = z.object({
	kind: z._default(MessageKind, 'directive'),
	priority: z._default(Priority, 'normal'),
	effect: z._default(Effect, 'none'),
	/** `orchestrator` (the human), `<task>/<worker>`, or `delegate:<id>`. */
	from: z._default(z.string().check(z.trim(), z.minLength(1), z.maxLength(200)), 'orchestrator'),
	/** Place in the queue set by hand (1 is first); messages without one come after, by id. */
	order: z.optional(z.int().check(z.positive())),
});
export type MessageHeader = z.infer<typeof MessageHeader>;

export interface MessageContent extends MessageHeader {
	/** Markdown, without the header lines. */
	text: string;
}

export type ParsedMessage = { ok: true; content: MessageContent } | { ok: false; reason: string };

const fieldByLabel = { type: 'kind', priority: 'priority', effect: 'effect', from: 'from', order: 'order' } as const;
const HEADER_LINE = /^\*\*([A-Za-z]+):\*\*[ \t]*(.*?)[ \t]*$/;

/**
 * Reads a message file. A line that looks like a header but is not one of ours starts the text. So a note such as `**Note:** look here`
 * needs no escaping.
 */
export function parseMessage(file: string): ParsedMessage {
	const lines = file.replace(/^\uFEFF/, '').split(/\r?\n/);
	const fields: Record<string, string | number> = {};
	let next = 0;
	for (; next < lines.length; next++) {
		const match = HEADER_LINE.exec(lines[next] ?? '');
		const field = fieldFor(match?.[1]);
		if (!match || !field) break;
		const value = match[2] ?? '';
		fields[field] = field === 'order' ? Number(value) : field === 'from' ? value : value.toLowerCase();
	}
	const header = MessageHeader.safeParse(fields);
	if (!header.success) {
		const field = header.error.issues[0]?.path[0];
		return { ok: false, reason: `header "${labelOf(field)}" is not valid: ${allowedValues(field)}` };
	}
	const text = lines.slice(next).join('\n').replace(/^\n+/, '').trimEnd();
	if (text === '') return { ok: false, reason: 'the message has no text' };
	return { ok: true, content: { ...header.data, text } };
}

/** Writes what {@link parseMessage} reads. Defaults are written too where a person reading the file would want them. */
export function formatMessage(content: MessageContent): string {
	const header = [
		`**Type:** ${content.kind}`,
		`**Priority:** ${content.priority}`,
		`**From:** ${content.from.replace(/\s+/g, ' ')}`,
		...(content.effect === 'none' ? [] : [`**Effect:** ${content.effect}`]),
		...(content.order === undefined ? [] : [`**Order:** ${content.order}`]),
	];
	return `${header.join('\n')}\n\n${content.text.trimEnd()}\n`;
}

function fieldFor(label: string | undefined): keyof MessageHeader | undefined {
	const key = label?.toLowerCase();
	for (const [name, field] of Object.entries(fieldByLabel)) if (name === key) return field;
	return undefined;
}

/** The name of the value in the file. */
function labelOf(field: PropertyKey | undefined): string {
	return Object.entries(fieldByLabel).find(([, named]) => named === field)?.[0] ?? String(field);
}

function allowedValues(field: PropertyKey | undefined): string {
	switch (field) {
		case 'kind':
			return 'use directive, feedback or result';
		case 'priority':
			return 'use normal or urgent';
		case 'effect':
			return 'use none, halt or pause';
		case 'order':
			return 'use a whole number from 1';
		default:
			return 'use a name of 1 to 200 characters';
	}
}
