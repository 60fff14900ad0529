import { isDeepStrictEqual } from 'node:util';
import { ownIdentity, type ProcessIdentity } from '../../base/liveness.ts';
import { sha256 } from '../../base/sha256.ts';
import { exact, visible, visibleLine } from '../../base/visible.ts';
import type { DelegateId } from '../../protocol/delegate.ts';
import type { DriverId } from '../../protocol/names.ts';
import type { Question } from '../../protocol/question.ts';
import { LONGEST_BODY, QuestionId } from '../../protocol/question.ts';
import type { AskedRequest } from '../driver/asking.ts';
import { newId } from '../mailbox/messageId.ts';
import { redactText, redactValue } from '../traffic/redact.ts';
import { digestOf } from './digest.ts';
import { isYes } from './reply.ts';
import { risksOf, type Surroundings } from './risks.ts';

export interface WhoAsks {
	/** Where it works. Without that, every place counts as outside. */
	readonly around?: Surroundings;
	/** Set if one asks. */
	readonly delegate?: DelegateId | undefined;
	/** The CLI's process, if it can be seen. */
	readonly agent?: ProcessIdentity | undefined;
}

/**
 * The question of this process, which waits for the answer. What cannot be shown whole can be denied here, and allowed in the agent's terminal
 * alone.
 */
export function newQuestion(
	driver: DriverId,
	{ input, ...request }: AskedRequest,
	{ around = { folders: [], home: '/', settings: [] }, delegate, agent }: WhoAsks = {},
): Question {
	const clean = withoutSecrets(request);
	const shown = {
		...request,
		title: redactText(request.title),
		...(request.bodyIs === 'command' ? asSeen(clean) : clean),
	};
	const { body, also, files, fields, choices } = shown;
	const isShort = lengthOf([body, also, files, fields, choices]) <= LONGEST_BODY;
	// What looks like a secret may be a part of the command that the shell runs.
	const isUnchanged = isDeepStrictEqual({ ...request, ...clean }, request);
	const isWhole = isShort && isUnchanged && [request.tool, ...request.also.map(({ name }) => name)].every(isOneLine);
	// Answers go by the texts of the fields.
	const isClear = new Set(request.fields.map(field => field.question)).size === request.fields.length;
	const now = Date.now();
	const question = {
		...shown,
		...(!isShort && { body: shown.body.slice(0, LONGEST_BODY), also: [], files: [], fields: [] }),
		version: 1 as const,
		id: QuestionId.parse(newId(now)),
		driver,
		...(delegate !== undefined && { delegate }),
		askedAt: new Date(now).toISOString(),
		isWhole,
		// The risks are those of the request itself: parts that are taken out of the shown texts count too.
		risk: risksOf({ input, ...request }, around),
		choices: request.choices.filter(({ effect }) => (isWhole && isClear) || !isYes(effect)),
		input: sha256(JSON.stringify([request.tool, input])),
		holder: ownIdentity(),
		...(agent && { agent }),
	};
	return { ...question, digest: digestOf(question) };
}

/** The length of all texts in a value, in UTF-16 units. */
function lengthOf(value: unknown): number {
	if (typeof value === 'string') return value.length;
	if (typeof value !== 'object' || value === null) return 0;
	return Object.values(value).reduce<number>((sum, each) => sum + lengthOf(each), 0);
}

/** No blank and no end of a line may look like another. */
function asSeen<T extends Pick<Question, 'body' | 'also'>>(command: T): T {
	const also = command.also.map(({ name, value }) => ({ name, value: exact(value) }));
	return { ...command, body: exact(command.body), also };
}

/** What a person must see whole. The title is a short form of it. */
function withoutSecrets({
	body,
	also,
	cwd,
	files,
	fields,
}: Pick<Question, 'body' | 'also' | 'cwd' | 'files' | 'fields'>) {
	return {
		body: redactText(body),
		also: also.map(({ name, value }) => ({ name: redactText(name), value: redactValue(name, value) })),
		...(cwd !== undefined && { cwd: redactText(cwd) }),
		files: files.map(redactText),
		fields: fields.map(({ question, header, options, isMultiple }) => ({
			question: redactText(question),
			...(header !== undefined && { header: redactText(header) }),
			options: options.map(({ label, description }) => ({
				label: redactText(label),
				...(description !== undefined && { description: redactText(description) }),
			})),
			isMultiple,
		})),
	};
}

/** Whether a desk shows a name as it is: it has one line for it. */
function isOneLine(name: string): boolean {
	return visibleLine(name) === visible(name);
}
