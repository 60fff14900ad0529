import * as z from 'zod/mini';
import { Author } from './author.ts';
import { Worktree } from './worktree.ts';
import { DriverId, MessageId, SessionId, TaskName, WorkerName } from './names.ts';

// `z.lazy` if the hook program, whose agent waits for it, does not need the schema: building it costs more than using it.

/** A moment in UTC, ISO 8601. */
export const Moment = z.iso.datetime();

/**
 * How a message reached the agent, best first. `hook`: at one of the agent's own events. `wake`: its driver's native wake. `waiter`: a
 * waiting Stop hook. `queue`: the CLI's own queue command. `resume`: the session was resumed with the messages. `keys`: typed into its
 * terminal. `steer`: given to it in the middle of its turn. `tool`: the agent asked for it, by a tool of Nancy's MCP server.
 */
export const Rung = z.enum(['hook', 'wake', 'waiter', 'queue', 'resume', 'keys', 'steer', 'prompt', 'tool']);
export type Rung = z.infer<typeof Rung>;

/** A delivery that did not reach the model: after its turn was over, the agent's own record did not show it. */
const LostDelivery = z.lazy(() =>
	z.looseObject({ deliveredAt: Moment, event: z.string(), session: SessionId, queuedAgainAt: Moment }),
);

/** Lengths of the parts that a long message was handed over in, in UTF-16 units. */
const PartLengths = z.lazy(() => z.array(z.int().check(z.positive())));

/** The part of a long message that a session has been handed, while the rest waits. `sha256` is that of the text. */
export const HandedParts = z.lazy(() => z.looseObject({ session: SessionId, parts: PartLengths, sha256: z.string() }));
export type HandedParts = z.infer<typeof HandedParts>;

/** A delivery, as it is sealed. A copy for people is beside the delivered message, as `<id>.receipt.json`. */
export const Receipt = z.lazy(() =>
	z.looseObject({
		version: z.literal(1),
		id: MessageId,
		deliveredAt: Moment,
		/** The agent CLI's own event name, for example `PreToolUse`. */
		event: z.string(),
		driver: DriverId,
		session: SessionId,
		tool: z.optional(z.string()),
		toolUseId: z.optional(z.string()),
		rung: Rung,
		/** The author that the agent was told. Older receipts do not say. */
		author: z.optional(Author),
		/** Earlier claims of this message whose hook died. The agent may have read it before. */
		earlierClaims: z.int().check(z.nonnegative()),
		/** Set once the session's transcript shows the whole text. */
		inContextAt: z.optional(Moment),
		/** Set for a message that was too long for one event. The receipt is that of its last part. */
		parts: z.optional(PartLengths),
		/** Oldest first. After each of them the message was queued again. */
		lost: z.optional(z.array(LostDelivery)),
	}),
);
export type Receipt = z.infer<typeof Receipt>;

export const TaskRecord = z.lazy(() =>
	z.looseObject({
		version: z.literal(1),
		name: TaskName,
		title: z.string(),
		prompt: z.string(),
		agent: DriverId,
		createdAt: Moment,
		/** `nancy` started it; `found` is a session that Nancy did not start but whose hooks report. */
		origin: z.enum(['nancy', 'found']),
		archivedAt: z.optional(Moment),
	}),
);
export type TaskRecord = z.infer<typeof TaskRecord>;

/** A process, told apart from a later one with the same pid, and from one of another machine (base/machine). */
export const ProcessRecord = z.object({
	machine: z.optional(z.string().check(z.regex(/^[0-9a-z.]{1,40}$/))),
	pid: z.int(),
	startedTicks: z.number(),
});

/** `tasks/<task>/workers/<worker>.json` */
export const WorkerRecord = z.looseObject({
	version: z.literal(1),
	task: TaskName,
	name: WorkerName,
	agent: DriverId,
	agentVersion: z.optional(z.string()),
	/** The agent's sessions, oldest first; the last is the current one. */
	sessions: z.array(
		z.looseObject({
			id: SessionId,
			startedAt: Moment,
			transcript: z.optional(z.string()),
			/** Nancy chose its id for a start with hooks that its CLI runs, and none of them has reported it yet. */
			unreported: z.optional(z.literal(true)),
		}),
	),
	process: z.optional(ProcessRecord),
	/** The process that is about to start the worker's process, until that one is known. Nobody else may start one meanwhile. */
	starting: z.optional(z.object({ by: ProcessRecord, at: Moment })),
	model: z.optional(z.string()),
	/** The agent was started without hooks: no message reaches it, and no event reports it. */
	hooks: z.optional(z.literal('off')),
	/** The worktree of its own that it works in. A copy for people: whether Nancy made it is sealed. */
	worktree: z.optional(z.lazy(() => z.extend(Worktree, { mergedAt: z.optional(Moment) }))),
	/** The worker is this delegate; its sessions are headless. */
	delegate: z.optional(z.string()),
	startedAt: Moment,
	/** It was started without a prompt. Its CLI reports the start at once, or only with the first prompt. */
	unprompted: z.optional(z.enum(['at-launch', 'at-first-prompt'])),
	/** How its process ended in a terminal of Nancy's: what it printed last, as plain lines, if it ended soon after the start. */
	exit: z.optional(z.object({ code: z.int(), at: Moment, lines: z.array(z.string()) })),
	/** Set if Nancy or a person stopped it, so that a dead pid is not taken for a crash. */
	stoppedAt: z.optional(Moment),
});
export type WorkerRecord = z.infer<typeof WorkerRecord>;

/** What the screen of a CLI shows that it does. `trust`: it asks whether it may trust the folder, before any turn. */
export const ShownState = z.enum(['asking', 'idle', 'trust', 'working']);
export type ShownState = z.infer<typeof ShownState>;

/** `tasks/<task>/screens/<worker>.json`: since when the worker's terminal shows what. Only one that is watched has it. */
export const ShownScreen = z.object({
	version: z.literal(1),
	state: ShownState,
	at: Moment,
	/** When the screen has last shown a turn, if it has since the CLI began. */
	workedAt: z.optional(Moment),
	/** The person has pressed a key right before that breaks off a turn. */
	isBrokenOff: z.optional(z.literal(true)),
});
export type ShownScreen = z.infer<typeof ShownScreen>;

/** `.nancy/config.json` */
export const WorkspaceConfig = z.lazy(() =>
	z.looseObject({
		version: z.literal(1),
		/** Share of the context window, in percent, from which `check-tokens` advises the agent to wrap up. */
		tokenThreshold: z._default(z.number().check(z.minimum(1), z.maximum(100)), 80),
		/** `off`: nothing is deployed and agents are started without hooks. */
		hooks: z.optional(z.enum(['on', 'off'])),
	}),
);
export type WorkspaceConfig = z.infer<typeof WorkspaceConfig>;
