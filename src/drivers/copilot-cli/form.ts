import * as z from 'zod/mini';
import type { AskedRequest } from '../../core/driver/asking.ts';
import type { Answer, Field } from '../../protocol/question.ts';
import { SessionId } from '../../protocol/names.ts';
import { oneLine, withoutUndefined } from '../summary.ts';

const text = () => z.optional(z.string());
const titled = () => z.array(z.object({ const: z.string(), title: z.string() }));
const named = { title: text(), description: text(), default: z.optional(z.unknown()) };

/** The fields that Nancy can show. A form with any other is answered in the terminal. */
const Property = z.union([
	z.strictObject({
		...named,
		type: z.literal('string'),
		enum: z.optional(z.array(z.string())),
		oneOf: z.optional(titled()),
	}),
	z.strictObject({ ...named, type: z.literal('boolean') }),
	z.strictObject({
		...named,
		type: z.literal('array'),
		items: z.union([
			z.strictObject({ type: z.literal('string'), enum: z.array(z.string()) }),
			z.strictObject({ anyOf: titled() }),
		]),
	}),
]);
type Property = z.infer<typeof Property>;

const Payload = z.looseObject({
	sessionId: SessionId,
	agentId: text(),
	agentName: text(),
	cwd: text(),
	request: z.looseObject({
		toolCallId: text(),
		message: z.string(),
		requestedSchema: z.looseObject({ properties: z.record(z.string(), z.unknown()) }),
	}),
});

/** The CLI would get the first of two values with one title, whichever the person chose. */
const Properties = z.record(
	z.string(),
	Property.check(z.refine(property => new Set(optionsOf(property)).size === optionsOf(property).length)),
);

/** The CLI's form for its `ask_user`; `none` if Nancy cannot show each of its fields, or cannot tell its options apart. */
export function readForm(payload: unknown): AskedRequest | 'none' {
	const { request, ...asked } = Payload.parse(payload);
	const properties = Properties.safeParse(request.requestedSchema.properties);
	if (!properties.success) return 'none';
	const fields = Object.entries(properties.data).map(([name, property]) => fieldOf(name, property));
	return {
		session: asked.sessionId,
		...withoutUndefined({
			subagent: asked.agentId,
			subagentName: asked.agentName,
			cwd: asked.cwd,
			call: request.toolCallId,
		}),
		kind: 'choice',
		tool: 'ask_user',
		title: oneLine(request.message) ?? 'ask_user',
		body: [request.message, ...fields.map(({ question }) => question)].join('\n'),
		bodyIs: 'text',
		// A page of fields shows no body.
		also: [{ name: 'message', value: request.message }],
		files: [],
		fields,
		// The CLI's No takes no words, and the turn goes on without them. So the turn is ended; that of a subagent cannot be.
		choices: [{ effect: 'once' }, { effect: asked.agentId === undefined ? 'end' : 'no', isMute: true }],
		input: request,
	};
}

/** What the form's fields get for a Yes. @throws Error for a text that is no answer to its field */
export function formContent(payload: unknown, { values = {} }: Pick<Answer, 'values'>): Record<string, unknown> {
	const properties = Properties.parse(Payload.parse(payload).request.requestedSchema.properties);
	return Object.fromEntries(
		Object.entries(properties).map(([name, property]) => {
			const { question } = fieldOf(name, property);
			return [name, valueFor(property, values[question] ?? [], question)];
		}),
	);
}

function fieldOf(name: string, property: Property): Field {
	const { title = name, description } = property;
	return {
		question: description === undefined ? title : `${title}: ${description}`,
		options: optionsOf(property).map(label => ({ label })),
		isMultiple: property.type === 'array',
	};
}

function optionsOf(property: Property): string[] {
	switch (property.type) {
		case 'boolean':
			return ['true', 'false'];
		case 'string':
			return property.enum ?? property.oneOf?.map(({ title }) => title) ?? [];
		case 'array':
			return 'enum' in property.items ? property.items.enum : property.items.anyOf.map(({ title }) => title);
	}
}

function valueFor(property: Property, texts: readonly string[], question: string): unknown {
	switch (property.type) {
		case 'boolean': {
			const [given = ''] = texts;
			if (given !== 'true' && given !== 'false') throw new Error(`"${question}" takes true or false`);
			return given === 'true';
		}
		case 'string': {
			const [given = ''] = texts;
			return property.oneOf?.find(({ title }) => title === given)?.const ?? given;
		}
		case 'array': {
			const { items } = property;
			if ('enum' in items) return [...texts];
			return texts.map(given => items.anyOf.find(({ title }) => title === given)?.const ?? given);
		}
	}
}
