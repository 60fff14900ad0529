import * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { visibleLine } from '../base/visible.ts';
import { readTraffic } from '../core/traffic/store.ts';
import { whatHappened } from '../core/traffic/whatHappened.ts';
import type { Workspace } from '../core/workspace/workspace.ts';
import { SessionHistoryOutput } from '../protocol/output/sessions.ts';
import type { AgentEvent, TrafficRecord } from '../protocol/traffic.ts';
import { withCollector } from './shared/collecting.ts';
import { knownSessions, type KnownSession } from './shared/knownSessions.ts';
import { anybody, type Operation } from './operation.ts';

const Input = z.object({
	/** A session's id, or the beginning of one. */
	session: z.string(),
});

/** Tells a session in short: prompts, tools, messages, answers. */
export const sessionHistory: Operation<z.infer<typeof Input>, SessionHistoryOutput> = {
	name: 'sessionHistory',
	input: Input,
	output: SessionHistoryOutput,
	permit: anybody,
	async run(_asker, { session: typed }, { workspace }) {
		const { session, worker, transcript: known } = await findSession(workspace, typed);
		await withCollector(workspace, collect => collect());
		const records = await readTraffic(workspace.paths, session);
		const transcript = known ?? records.findLast(record => record.type === 'event')?.event.transcript;
		return {
			session,
			worker,
			entries: records.flatMap(entryOf),
			...(transcript !== undefined && { transcript }),
		};
	},
};

async function findSession(workspace: Workspace, typed: string): Promise<KnownSession> {
	const matches = (await knownSessions(workspace)).filter(({ session }) => session.startsWith(typed));
	const [first, second] = matches;
	const found = matches.find(({ session }) => session === typed) ?? (second ? undefined : first);
	if (found) return found;
	if (!first) throw new NancyError('no-message', phrase`there is no session "${typed}"; nancy sessions lists them`);
	throw new NancyError(
		'bad-usage',
		phrase`"${typed}" could be ${matches.map(({ session }) => session).join(', ')}; give more of the id`,
	);
}

type Entry = SessionHistoryOutput['entries'][number];

function entryOf(record: TrafficRecord): Entry[] {
	const { at } = record;
	if (record.type === 'delivery') return [{ at, what: 'message', text: whatHappened(record) }];
	if (record.type === 'status') return [{ at, what: 'status', text: whatHappened(record) }];
	if (record.type === 'trouble') return [{ at, what: 'trouble', text: whatHappened(record) }];
	const what = record.event.subagent === undefined ? entryKindByEvent[record.event.kind] : undefined;
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

function entryText({ kind, tool, summary, cause }: AgentEvent): string {
	const failed = kind === 'tool-failed' ? '(failed)' : undefined;
	const words = [tool, failed, cause, summary].filter(word => word !== undefined && word !== '');
	return visibleLine(words.join(' '), 300);
}
