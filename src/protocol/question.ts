import * as z from 'zod/mini';
import { DelegateId } from './delegate.ts';
import { DriverId, SessionId } from './names.ts';
import { Moment, ProcessRecord } from './records.ts';

// These records are in the user's data folder, never below the workspace: whoever can write an answer can allow a tool.

/** The name of a question: `<UTC time>-<random>`. Questions sort by time. */
export const QuestionId = z
	.string()
	.check(z.regex(/^\d{8}T\d{9}Z-[0-9a-f]{8}$/))
	.brand<'QuestionId'>();
export type QuestionId = z.infer<typeof QuestionId>;

/** In UTF-16 units. A longer request cannot be shown whole, so it can be allowed in the agent's own terminal alone. */
export const LONGEST_BODY = 256 * 1024;

/** In UTF-16 units. */
export const LONGEST_WORDS = 4000;

/**
 * What an answer does. `once`: this one request. `session`, `folder`, `user`: also a rule of the CLI's own, until the session ends, in the
 * folder or for the user. `no`: denied, and the agent goes on. `end`: denied, and the turn ends.
 */
export const Effect = z.enum(['once', 'session', 'folder', 'user', 'no', 'end']);
export type Effect = z.infer<typeof Effect>;

/** One answer that a person may choose. Its effect names it: no two choices of a question have the same. */
export const Choice = z.object({
	effect: Effect,
	/** The CLI's own rule, word by word. */
	rule: z.optional(z.string()),
	/** What will hold the rule: a file, as a person would write its path, or the CLI itself for as long as it runs. */
	keptIn: z.optional(z.string()),
	/** For a No: the CLI takes no words with it. */
	isMute: z.optional(z.literal(true)),
});
export type Choice = z.infer<typeof Choice>;

/** One of the questions that a model asks at once. */
export const Field = z.object({
	question: z.string(),
	header: z.optional(z.string()),
	options: z.array(z.object({ label: z.string(), description: z.optional(z.string()) })),
	isMultiple: z.boolean(),
});
export type Field = z.infer<typeof Field>;

/** `tool`: may a tool run. `choice`: the model asks its user. `plan`: may the plan be carried out. */
export const QuestionKind = z.enum(['tool', 'choice', 'plan']);

/**
 * Why a request deserves a closer look. A program has found it: a hint, and no proof that the others are harmless. See core/questions/risks.
 */
export const Risk = z.enum([
	'outside',
	'deletes',
	'hidden',
	'keys',
	'administrator',
	'download',
	'force-push',
	'git-settings',
	'publish',
	'sandbox',
	'unread',
]);
export type Risk = z.infer<typeof Risk>;

/** What is asked for, as a person sees it. */
export const requestShape = () => ({
	/** The whole request. Secrets are taken out. */
	body: z.string(),
	bodyIs: z.enum(['command', 'diff', 'plan', 'json', 'text']),
	/** The other parts of the request, each as text. Secrets are taken out of these and of what follows. */
	also: z.array(z.object({ name: z.string(), value: z.string() })),
	cwd: z.optional(z.string()),
	files: z.array(z.string()),
});

/** Written once by the process that waits for the answer, its holder. */
export const Question = z.lazy(() =>
	z.object({
		version: z.literal(1),
		id: QuestionId,
		driver: DriverId,
		session: SessionId,
		/** The delegate that asks. It has no prompt of its own: without an answer here, its CLI denies. */
		delegate: z.optional(DelegateId),
		/** The CLI's id of the subagent that asks. */
		subagent: z.optional(z.string()),
		/** What the CLI calls that subagent. */
		subagentName: z.optional(z.string()),
		askedAt: Moment,
		kind: QuestionKind,
		tool: z.string(),
		/** The CLI's id of the tool's call, if it names it. */
		call: z.optional(z.string()),
		/** One short line. */
		title: z.string(),
		...requestShape(),
		/**
		 * False if all parts together are longer than {@link LONGEST_BODY}, or hold what looks like a secret. It is also false if a name
		 * does not fit into one line.
		 */
		isWhole: z.boolean(),
		/** Absent if the holder is of an earlier version, which has not looked. */
		risk: z.optional(z.array(Risk)),
		choices: z.array(Choice),
		/** For `choice`. */
		fields: z.array(Field),
		/** SHA-256 of the tool's name and input as the CLI gave them. */
		input: z.string(),
		holder: ProcessRecord,
		/** The CLI's process, if it can be seen. */
		agent: z.optional(ProcessRecord),
		/** SHA-256 of everything above: see core/questions/digest. */
		digest: z.string(),
	}),
);
export type Question = z.infer<typeof Question>;

/** How a person answers. A model's question gets a text or several for each field, by the field's question. */
export const Reply = z.object({
	effect: Effect,
	/** To the model. */
	words: z.optional(z.string().check(z.maxLength(LONGEST_WORDS))),
	values: z.optional(z.record(z.string(), z.array(z.string().check(z.maxLength(LONGEST_WORDS))))),
});
export type Reply = z.infer<typeof Reply>;

/** `page`: a page of the desk's server. `rule`: a rule of the person's own. */
export const AnsweredBy = z.enum(['vscode', 'command', 'page', 'rule']);
export type AnsweredBy = z.infer<typeof AnsweredBy>;

/** Created once: the first answer to a question is the answer. */
export const Answer = z.lazy(() =>
	z.object({
		version: z.literal(1),
		question: QuestionId,
		/** Digest of the question that the person saw. */
		digest: z.string(),
		...Reply.shape,
		/** Where the person answered, or that a rule of the person's did. */
		by: AnsweredBy,
		/** The device, as the person calls it, for `page`. */
		device: z.optional(z.string()),
		/** The rule: see protocol/deskRules. */
		rule: z.optional(z.string()),
		at: Moment,
		/** Seal of everything above: see core/questions/answerSeal. */
		seal: z.string(),
	}),
);
export type Answer = z.infer<typeof Answer>;

/** Created once, when the CLI has the answer. A holder that is killed before leaves none. */
export const Handed = z.lazy(() => z.object({ version: z.literal(1), question: QuestionId, at: Moment }));
export type Handed = z.infer<typeof Handed>;

/** Created once, by the window that tells the user's own program of the question. */
export type Told = Handed;

/**
 * `applied`: the CLI did as answered. `yes-elsewhere`, `no-elsewhere`: answered where the CLI asks. `late`: answered here too, but the CLI had its
 * answer already. `ended`: nobody is asked any more. For a delegate it means No. `silent`: the holder ended first, and the CLI's own prompt
 * remains. `refused`: the answer was not to this question.
 */
export const OutcomeState = z.enum(['applied', 'yes-elsewhere', 'no-elsewhere', 'late', 'ended', 'silent', 'refused']);
export type OutcomeState = z.infer<typeof OutcomeState>;

/** Created once. From then on the question is over. */
export const Outcome = z.lazy(() =>
	z.object({
		version: z.literal(1),
		question: QuestionId,
		state: OutcomeState,
		/** What shows it: an event of the CLI's, a signal, or why an answer was refused. */
		evidence: z.string(),
		at: Moment,
	}),
);
export type Outcome = z.infer<typeof Outcome>;
