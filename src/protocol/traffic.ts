import * as z from 'zod/mini';
import { DriverId, MessageId, SessionId, TaskName, WorkerName } from './names.ts';
import { Moment, Rung } from './records.ts';

/**
 * Nancy's vocabulary for what agents report, over all drivers. `other` keeps an event that a newer CLI has and Nancy does
 * not know: shown, never acted on.
 */
export const EventKind = z.enum([
	'session-start',
	'session-end',
	'prompt',
	'tool-start',
	'tool-end',
	'tool-failed',
	'batch-end',
	/** A tool is about to be allowed, denied or asked about. Another event tells whether a person is asked. */
	'permission-check',
	'permission-asked',
	'permission-denied',
	/** If the CLI reports it at once: the action in question begins, or is refused. */
	'permission-answered',
	'notification',
	'stop',
	'stop-failed',
	'interrupted',
	'subagent-start',
	'subagent-stop',
	'compact-start',
	'compact-end',
	'folder-changed',
	/** A session that has not learned what to watch asks again. */
	'watch-asked',
	'doorbell',
	'model-changed',
	'settings-changed',
	'message-shown',
	'other',
]);
export type EventKind = z.infer<typeof EventKind>;

/** The meaning of one hook payload, as a driver reads it. */
export const AgentEvent = z.looseObject({
	driver: DriverId,
	session: SessionId,
	kind: EventKind,
	/** The agent CLI's own event name. */
	event: z.string(),
	/** Present for a subagent's event: it never receives messages and never changes the worker's state. */
	subagent: z.optional(z.string()),
	turn: z.optional(z.string()),
	tool: z.optional(z.string()),
	toolUseId: z.optional(z.string()),
	/** One short line for a person: the tool's subject, or the event's text. */
	summary: z.optional(z.string()),
	durationMs: z.optional(z.number()),
	/**
	 * For `session-start`: `startup`, `resume`, `clear`, `compact`, `fork`. For `session-end`: its reason. For `permission-answered`, it is
	 * one of four words. `taken`: the CLI took Nancy's answer. `ended`: that ended the turn. `late`: it came after another one. `terminal`:
	 * a Yes in the CLI's own prompt.
	 */
	cause: z.optional(z.string()),
	/** For `notification`: the CLI's type, for example `permission_prompt`, `idle_prompt`. */
	notification: z.optional(z.string()),
	/**
	 * For `notification`: what that type says of the agent; `alert` if only its words are for the user. Absent where it says nothing, and in what
	 * earlier versions wrote.
	 */
	tells: z.optional(z.enum(['idle', 'asked', 'answered', 'alert'])),
	model: z.optional(z.string()),
	cwd: z.optional(z.string()),
	transcript: z.optional(z.string()),
	permissionMode: z.optional(z.string()),
	/** For `stop`: the turn goes on only because a Stop hook asked for it. */
	continuing: z.optional(z.boolean()),
	/** For `prompt`: woken by a notification and not typed by a person. */
	isWake: z.optional(z.boolean()),
	/** For `prompt`: it was Nancy that woke the agent, by this rung. */
	wakeRung: z.optional(z.enum(['wake', 'waiter', 'queue', 'keys'])),
	/** A compaction begins, and its end is not reported: the agent may know nothing of what it was told. */
	forgets: z.optional(z.boolean()),
});
export type AgentEvent = z.infer<typeof AgentEvent>;

/** The text that a hook handed to the agent at one event. The hook program writes this beside the raw event. */
export const DeliveryNote = z.looseObject({
	nancy: z.literal('delivery'),
	at: Moment,
	driver: DriverId,
	session: SessionId,
	event: z.string(),
	tool: z.optional(z.string()),
	toolUseId: z.optional(z.string()),
	task: TaskName,
	worker: WorkerName,
	messages: z.array(MessageId),
	rung: Rung,
	effect: z.enum(['none', 'halt', 'pause']),
});
export type DeliveryNote = z.infer<typeof DeliveryNote>;

/** Why a hook did less than it should have: it fails open, and reports that here. */
export const TroubleNote = z.looseObject({
	nancy: z.literal('trouble'),
	at: Moment,
	driver: DriverId,
	session: z.optional(SessionId),
	event: z.string(),
	reason: z.string(),
});
export type TroubleNote = z.infer<typeof TroubleNote>;

/** The longest status that an agent may give itself, in UTF-16 units. */
export const LONGEST_STATUS = 500;

/** How it stands with an agent, in its own words. */
export const StatusWord = z.enum(['working', 'blocked', 'done']);

/** An agent's own words on what it does. They prove nothing. */
export const StatusNote = z.lazy(() =>
	z.looseObject({
		nancy: z.literal('status'),
		at: Moment,
		driver: DriverId,
		session: SessionId,
		/** The call that brought it. */
		event: z.string(),
		text: z.string(),
		state: z.optional(StatusWord),
	}),
);
export type StatusNote = z.infer<typeof StatusNote>;

/** What Nancy itself keeps for the traffic, beside the events. */
export type Note = DeliveryNote | TroubleNote | StatusNote;

const stamp = {
	version: z.literal(1),
	/** Unique within a session: the spool file's name and time. */ id: z.string(),
	at: Moment,
	task: z.optional(TaskName),
	worker: z.optional(WorkerName),
};

/** One line of `traffic/<session>.jsonl`. */
export const TrafficRecord = z.discriminatedUnion('type', [
	z.looseObject({
		...stamp,
		type: z.literal('event'),
		event: AgentEvent,
		/** As received, redacted, cut at a size limit. */ payload: z.unknown(),
	}),
	z.looseObject({ ...stamp, type: z.literal('delivery'), delivery: DeliveryNote }),
	z.looseObject({ ...stamp, type: z.literal('trouble'), trouble: TroubleNote }),
	z.looseObject({ ...stamp, type: z.literal('status'), status: StatusNote }),
]);
export type TrafficRecord = z.infer<typeof TrafficRecord>;
