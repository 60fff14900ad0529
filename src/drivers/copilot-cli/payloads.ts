import * as z from 'zod/mini';
import { SessionId } from '../../protocol/names.ts';
import { payloadParser, type PayloadOf } from '../payload.ts';
import { ANSWERED, BELL, JOINED } from './ownEvents.ts';

const text = () => z.string();
const maybeText = () => z.optional(z.string());

/** What every event carries. Loose: a newer CLI adds fields, and they are kept in the traffic. */
const common = () => ({
	/** In the events of a subagent's own turn: the subagent's. */
	sessionId: SessionId,
	cwd: maybeText(),
	transcriptPath: maybeText(),
	/** These two only in a subagent's events. */
	agentId: maybeText(),
	parentAgentId: z.optional(SessionId),
});

const call = () => ({ toolName: text(), toolArgs: z.optional(z.unknown()) });
const agent = () => ({ agentName: maybeText() });

function event<Name extends string, Fields extends z.core.$ZodShape>(name: Name, fields: Fields) {
	return z.looseObject({ ...common(), event: z.literal(name), ...fields });
}

/** The events of Copilot CLI 1.0.102 that Nancy deploys, and those of Nancy's extensions. A payload does not name its event: its hook's command line does. */
const schemas = {
	sessionStart: () => event('sessionStart', { source: maybeText(), initialPrompt: maybeText() }),
	sessionEnd: () => event('sessionEnd', { reason: maybeText() }),
	userPromptSubmitted: () => event('userPromptSubmitted', { prompt: text() }),
	preToolUse: () => event('preToolUse', call()),
	permissionRequest: () => event('permissionRequest', { toolName: text(), toolInput: z.optional(z.unknown()) }),
	postToolUse: () => event('postToolUse', call()),
	postToolUseFailure: () => event('postToolUseFailure', { ...call(), error: maybeText() }),
	agentStop: () => event('agentStop', { stop_hook_active: z.optional(z.boolean()), stopReason: maybeText() }),
	subagentStart: () => event('subagentStart', agent()),
	subagentStop: () => event('subagentStop', agent()),
	notification: () => event('notification', { notification_type: maybeText(), message: maybeText() }),
	errorOccurred: () =>
		event('errorOccurred', {
			error: z.optional(z.looseObject({ message: maybeText() })),
			errorContext: maybeText(),
		}),
	preCompact: () => event('preCompact', { trigger: maybeText() }),
	[JOINED]: () => event(JOINED, {}),
	[BELL]: () => event(BELL, {}),
	[ANSWERED]: () => event(ANSWERED, { toolCallId: maybeText(), by: z.enum(['yes', 'nancy', 'ended', 'late']) }),
};

export type KnownPayload = PayloadOf<typeof schemas>;

const unknownEvent = (name: string) => event(name, {});
export type UnknownPayload = z.infer<ReturnType<typeof unknownEvent>>;

export const parsePayload = payloadParser<KnownPayload, UnknownPayload>(schemas, unknownEvent);
