import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import { readTraffic } from '../../core/traffic/store.ts';
import type { Workspace } from '../../core/workspace/workspace.ts';
import { SessionHistoryOutput, SessionsOutput } from '../../protocol/output/sessions.ts';
import type { SessionId } from '../../protocol/names.ts';
import type { AgentEvent, TrafficRecord } from '../../protocol/traffic.ts';
import { resolveAddress, type TypedAddress } from '../addresses.ts';
import { withCollector } from '../collecting.ts';
import { answer, command, type Answer, type Context } from '../command.ts';
import { findWorkspace } from '../../operations/place.ts';
import { mailboxName } from '../../core/workspace/mailboxName.ts';
import { ownAddress } from '../../core/asker/authorOf.ts';
import { whatHappened } from '../trafficWords.ts';
import { ago, printableLine } from '../words.ts';

const Input = z.object({ of: z.optional(z.string()), show: z.optional(z.string()) });

export const sessions = command(
	{
		name: 'sessions',
		summary: "list the agents' sessions, or show one in short",
		details: [
			'In a terminal that Nancy started those of the own task, elsewhere those of the whole workspace. --show tells a ' +
				"session in short lines: prompts, tools, messages, answers. The agent's own transcript, where it keeps one, is named.",
		],
		positionals: [{ name: 'of', label: '<task>[/<worker>]', help: 'only this task or worker', required: false }],
		options: { show: { value: 'SESSION', help: 'show this session; the beginning of its id is enough' } },
		examples: [['nancy sessions fix-login', 'who worked on it, and since when']],
	},
	Input,
	async (input, context) => {
		const workspace = findWorkspace(context);
		const known = await knownSessions(workspace, await chosen(workspace, context, input.of));
		if (input.show !== undefined) return showSession(workspace, context, input.show);
		return answer(
			SessionsOutput,
			{ sessions: known },
			known.length === 0 ? 'no sessions' : known.flatMap(sessionLines),
		);
	},
);

type KnownSession = z.infer<typeof SessionsOutput>['sessions'][number];

async function chosen(
	workspace: Workspace,
	{ asker }: Context,
	of: string | undefined,
): Promise<TypedAddress | undefined> {
	if (of !== undefined) return resolveAddress(workspace, asker, of);
	const own = ownAddress(asker);
	return own && { task: own.task };
}

/** Oldest first, by task. */
async function knownSessions(workspace: Workspace, wanted: TypedAddress | undefined): Promise<KnownSession[]> {
	const names = wanted
		? [(await workspace.task(wanted.task)).name]
		: (await workspace.tasks()).tasks.map(record => record.name);
	const known: KnownSession[] = [];
	for (const name of names) {
		for (const record of (await workspace.workers(name)).workers) {
			if (wanted?.worker !== undefined && record.name !== wanted.worker) continue;
			const last = record.sessions.at(-1);
			for (const session of record.sessions) {
				known.push({
					session: session.id,
					worker: mailboxName({ task: name, worker: record.name }),
					agent: record.agent,
					startedAt: session.startedAt,
					current: session === last,
					...(session.transcript !== undefined && { transcript: session.transcript }),
				});
			}
		}
	}
	return known;
}

function sessionLines({ session, worker, agent, startedAt, current, transcript }: KnownSession): string[] {
	const heading = `${worker}  ${session}  ${agent}, started ${ago(startedAt)}${current ? '' : ', earlier'}`;
	return [heading, ...(transcript === undefined ? [] : [`  ${printableLine(transcript, 1000)}`])];
}

async function showSession(workspace: Workspace, context: Context, typed: string): Promise<Answer> {
	const known = await findSession(workspace, typed);
	await withCollector(workspace, collect => collect());
	const records = await readTraffic(workspace.paths, known.session);
	const entries = records.flatMap(entryOf);
	const transcript = known.transcript ?? records.findLast(record => record.type === 'event')?.event.transcript;
	if (entries.length === 0) context.note('nothing is recorded of this session');
	return answer(
		SessionHistoryOutput,
		{ session: known.session, worker: known.worker, entries, ...(transcript !== undefined && { transcript }) },
		[
			`${known.worker}  ${known.session}`,
			...(transcript === undefined ? [] : [`transcript: ${printableLine(transcript, 1000)}`]),
			...entries.map(({ at, what, text }) => `${at.slice(0, 19).replace('T', ' ')}  ${what.padEnd(7)}  ${text}`),
		],
	);
}

async function findSession(workspace: Workspace, typed: string): Promise<KnownSession & { session: SessionId }> {
	const matches = (await knownSessions(workspace, undefined)).filter(({ session }) => session.startsWith(typed));
	const [first, second] = matches;
	const found = matches.find(({ session }) => session === typed) ?? (second ? undefined : first);
	if (found) return found;
	if (!first) throw new NancyError('no-message', `there is no session "${typed}"; nancy sessions lists them`);
	throw new NancyError(
		'bad-usage',
		`"${typed}" could be ${matches.map(({ session }) => session).join(', ')}; give more of the id`,
	);
}

type Entry = SessionHistoryOutput['entries'][number];

function entryOf(record: TrafficRecord): Entry[] {
	const { at } = record;
	if (record.type === 'delivery') return [{ at, what: 'message', text: whatHappened(record) }];
	if (record.type === 'trouble') return [{ at, what: 'trouble', text: whatHappened(record) }];
	const what = record.event.subagent === undefined ? entryKind(record.event) : undefined;
	return what ? [{ at, what, text: entryText(record.event) }] : [];
}

const entryKindByEvent: Partial<Record<AgentEvent['kind'], Entry['what']>> = {
	'session-start': 'start',
	prompt: 'prompt',
	'tool-end': 'tool',
	'tool-failed': 'tool',
	'permission-asked': 'asked',
	stop: 'reply',
	'stop-failed': 'trouble',
	interrupted: 'trouble',
	'session-end': 'end',
};

function entryKind({ kind }: AgentEvent): Entry['what'] | undefined {
	return entryKindByEvent[kind];
}

function entryText({ kind, tool, summary, cause }: AgentEvent): string {
	const failed = kind === 'tool-failed' ? '(failed)' : undefined;
	const words = [tool, failed, cause, summary].filter(word => word !== undefined && word !== '');
	return printableLine(words.join(' '), 300);
}
