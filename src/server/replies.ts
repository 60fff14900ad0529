import type * as z from 'zod/mini';
import type { Done } from './served.ts';

/** What a request is answered. */
export interface Reply {
	readonly status: number;
	readonly json: unknown;
}

/** Runs a request whose body is as its schema says. */
export async function given<S extends z.ZodMiniType>(
	schema: S,
	body: unknown,
	run: (request: z.infer<S>) => Promise<Reply>,
): Promise<Reply> {
	const parsed = schema.safeParse(body);
	if (parsed.success) return run(parsed.data);
	const place = parsed.error.issues[0]?.path.join('.') || 'the body';
	return failure(400, 'bad-request', `The request is not as docs/api.md says: look at ${place}.`);
}

const statusByCode: Readonly<Record<string, number>> = {
	'wrong-state': 409,
	'not-queued': 409,
	busy: 409,
	'no-folder': 404,
	'no-question': 404,
	'no-task': 404,
	'bad-file': 404,
	'no-agent': 404,
	'not-trusted': 403,
	'bad-usage': 400,
	'bad-name': 400,
	'bad-message': 400,
};

export function done<S extends z.ZodMiniType>(schema: S, result: Done<z.infer<S>>): Reply {
	return result.ok
		? said(schema, result.value)
		: failure(statusByCode[result.code] ?? 500, result.code, result.message);
}

export function said<S extends z.ZodMiniType>(schema: S, value: z.infer<S>): Reply {
	return { status: 200, json: schema.parse(value) };
}

/** @param message English, for people */
export function failure(status: number, code: string, message: string): Reply {
	return { status, json: { error: { code, message } } };
}

export function wrongMethod(right: string): Reply {
	return failure(405, 'wrong-method', `Use ${right}.`);
}
