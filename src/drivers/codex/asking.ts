import * as z from 'zod/mini';
import type { AskedRequest, Asking } from '../../core/driver/asking.ts';
import type { HookAnswer, HookCall } from '../../core/driver/hooks.ts';
import type { Answer, Choice } from '../../protocol/question.ts';
import { SessionId } from '../../protocol/names.ts';
import { printed } from '../answers.ts';
import { oneLine, withoutUndefined } from '../summary.ts';

/**
 * What the holder of a terminal (holder.ts) has the guard hold. The CLI's own prompt is open meanwhile, and the first answer counts. Seen with
 * 0.169.0: after `decline` the turn goes on, `cancel` ends it, and neither takes words.
 */
export const asking: Asking = { read, answer, addedFolders, isReportedApart: true, hidesSubagents: false };

/** The event of Nancy's own for a command that waits for a Yes. */
export const ASKS = 'askCommand';

/** What an answer is for the CLI. */
export const Decision = z.object({ decision: z.enum(['accept', 'decline', 'cancel']) });

const text = () => z.optional(z.nullable(z.string()));

/** `item/commandExecution/requestApproval` of the app server. */
const Request = z.looseObject({
	kind: z._default(z.string(), 'command'),
	itemId: z.string(),
	approvalId: text(),
	environmentId: text(),
	reason: text(),
	networkApprovalContext: z.optional(z.unknown()),
	command: text(),
	cwd: text(),
	availableDecisions: z.optional(z.array(z.unknown())),
});

const Payload = z.looseObject({
	session: SessionId,
	/** The thread of a subagent. */
	subagent: z.optional(z.string()),
	/** Where the agent writes unasked, besides its own folder. */
	folders: z.array(z.string()),
	request: Request,
});

/** Parts of a request that say nothing of what would run. */
const PLUMBING = new Set(
	(
		'kind threadId turnId itemId startedAtMs approvalId command cwd commandActions ' +
		'proposedExecpolicyAmendment proposedNetworkPolicyAmendments availableDecisions'
	).split(' '),
);

/** A shell with one command in quotes that hide nothing, or of one plain word. */
const IN_SHELL = /^(\/[\w/.-]*sh -l?c) (?:'([^']*)'|([\w./-]+))$/;

/** Folders of the programs that everybody has. */
const COMMON = /^\/(?:usr\/(?:local\/)?)?bin\//;

function read({ event, payload }: HookCall): AskedRequest | 'none' {
	if (event !== ASKS) return 'none';
	const { session, subagent, request } = Payload.parse(payload);
	const { kind, itemId, approvalId, networkApprovalContext, command, cwd } = request;
	// Input to a command that runs, parts of one, and the net: the CLI's own prompt shows what they are.
	if (kind !== 'command' || approvalId || networkApprovalContext || !command) return 'none';
	const [, shell, quoted, word] = IN_SHELL.exec(command) ?? [];
	const body = quoted ?? word ?? command;
	return {
		session,
		...withoutUndefined({ subagent, cwd: cwd ?? undefined }),
		kind: 'tool',
		// As its hooks name it.
		tool: 'Bash',
		call: itemId,
		title: oneLine(body) ?? 'Bash',
		body,
		bodyIs: 'command',
		also: [
			// Seen with 0.169.0: what a person has allowed runs outside the sandbox.
			{ name: 'sandbox', value: 'not once it is allowed' },
			...(shell === undefined ? [] : [{ name: 'shell', value: shell.replace(COMMON, '') }]),
			...remarksIn(request),
		],
		files: [],
		fields: [],
		choices: choicesOf(request),
		input: request,
	};
}

/** Everything else that the CLI says of the request, whatever a newer CLI adds. */
function remarksIn(request: z.infer<typeof Request>): { name: string; value: string }[] {
	return Object.entries(request)
		.filter(([name, value]) => !PLUMBING.has(name) && value !== null && value !== undefined)
		.filter(([name, value]) => name !== 'environmentId' || value !== 'local')
		.map(([name, value]) => ({ name, value: typeof value === 'string' ? value : JSON.stringify(value) }));
}

function choicesOf({ availableDecisions }: z.infer<typeof Request>): Choice[] {
	const mayAllow = availableDecisions === undefined || availableDecisions.includes('accept');
	return [
		...(mayAllow ? [{ effect: 'once' as const }] : []),
		{ effect: 'no', isMute: true },
		{ effect: 'end', isMute: true },
	];
}

function answer({ event }: HookCall, { effect }: Answer): HookAnswer {
	if (event !== ASKS) throw new Error(`${event} asks nothing`);
	return printed({ decision: decisionFor(effect) });
}

function decisionFor(effect: Answer['effect']): z.infer<typeof Decision>['decision'] {
	switch (effect) {
		case 'once':
			return 'accept';
		case 'no':
			return 'decline';
		case 'end':
			return 'cancel';
		default:
			throw new Error(`Nancy keeps no rule of Codex for ${effect}`);
	}
}

async function addedFolders({ payload }: HookCall): Promise<readonly string[]> {
	return Payload.parse(payload).folders;
}
