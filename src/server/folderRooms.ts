import { lstatSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type * as z from 'zod/mini';
import { errorText, NancyError } from '../base/errors.ts';
import { isInside, pathFrom } from '../base/inside.ts';
import { phrase } from '../base/phrase.ts';
import { visible, visibleLine } from '../base/visible.ts';
import { busyIn, worktreeOf } from '../core/delegates/inWorktree.ts';
import { remarksMessage, remarksText } from '../core/delegates/remarks.ts';
import { shownAnswer } from '../core/live/deskTexts.ts';
import type { DeskWords } from '../core/live/deskView.ts';
import { addedRules } from '../core/questions/addedRules.ts';
import { Questions, type Asked } from '../core/questions/questions.ts';
import { isYes } from '../core/questions/reply.ts';
import { whatHappened } from '../core/traffic/whatHappened.ts';
import * as operations from '../operations/index.ts';
import { perform } from '../operations/operation.ts';
import type { DelegateId } from '../protocol/delegate.ts';
import type { MessageReply, MessageRequest } from '../protocol/deskApi.ts';
import {
	MOST_ANSWERS,
	MOST_FILES,
	MOST_LINES,
	MOST_TRAFFIC,
	type AllowedQuery,
	type AllowedReply,
	type AnsweredQuestion,
	type ChangesQuery,
	type ChangesReply,
	type DiffQuery,
	type DiffReply,
	type FileQuery,
	type FileReply,
	type RemarksRequest,
	type TrafficQuery,
	type TrafficReply,
} from '../protocol/deskRooms.ts';
import type { FolderId } from '../protocol/deskState.ts';
import { RulesOutput } from '../protocol/output/rules.ts';
import type { TrafficRecord } from '../protocol/traffic.ts';
import type { Worktree } from '../protocol/worktree.ts';
import type { Done, ServedRooms } from './served.ts';
import { at, type ServedFolder } from './servedFolder.ts';

/** Nothing that is only looked at says who looks. */
const LOOKING = at('');

/** In UTF-16 units, of a diff or of lines. */
const LONGEST_TEXT = 200_000;

/** In UTF-16 units, of a record. */
const LONGEST_RECORD = 300;

/** How long others wait for one look, in milliseconds. */
const LONGEST_TURN_MS = 60_000;

/** Looks that wait for their turn. */
const MOST_WAITING = 8;

/** The rooms of the desk that are seldom looked at. */
export class FolderRooms implements ServedRooms {
	/** The turns of looks that start git, and of looks that only read: a git that hangs holds up none of the latter. */
	private readonly turns = { git: new Turn(), files: new Turn() };

	/**
	 * @param inFolder finds a folder, and makes data of a failure
	 */
	constructor(
		private readonly inFolder: <T>(id: FolderId, act: (folder: ServedFolder) => Promise<T>) => Promise<Done<T>>,
		private readonly send: (device: string, request: MessageRequest) => Promise<Done<MessageReply>>,
		private readonly words: Pick<DeskWords, 'agentName' | 'withoutPaths'>,
	) {}

	changes({ folder: id, delegate }: z.infer<typeof ChangesQuery>): Promise<Done<ChangesReply>> {
		return this.inTurn('git', id, async folder => {
			const worktree = worktreeIn(folder, delegate);
			const found = await perform(await operations.worktreeChanges(), LOOKING, { worktree }, folder.context);
			const files = found.files.slice(0, MOST_FILES).map(({ path, before, status, lines }) => ({
				path: this.safe(path),
				...(before !== undefined && { before: this.safe(before) }),
				status,
				...(lines && { lines }),
			}));
			return { ...found, files, more: found.files.length - files.length };
		});
	}

	diff({ folder: id, delegate, path }: z.infer<typeof DiffQuery>): Promise<Done<DiffReply>> {
		return this.inTurn('git', id, async folder => {
			const input = { worktree: worktreeIn(folder, delegate), path };
			const { lines, isTooLarge } = await perform(
				await operations.worktreeDiff(),
				LOOKING,
				input,
				folder.context,
			);
			if (!lines && !isTooLarge) throw new NancyError('bad-file', phrase`this file is not among the changes`);
			const text = this.safe((lines ?? []).join('\n'));
			return { path, text: text.slice(0, LONGEST_TEXT), isCut: isTooLarge || text.length > LONGEST_TEXT };
		});
	}

	file({ folder: id, path, from, to }: z.infer<typeof FileQuery>): Promise<Done<FileReply>> {
		return this.inTurn('git', id, async ({ context }) => {
			const first = Number(from);
			const count = to === undefined ? MOST_LINES : Math.min(MOST_LINES, Math.max(1, Number(to) - first + 1));
			const input = { path, from: first, count };
			const { lines, total } = await perform(await operations.fileLines(), LOOKING, input, context);
			const text = this.safe(lines.join('\n'));
			return { path, from: first, total, text: text.slice(0, LONGEST_TEXT), isCut: text.length > LONGEST_TEXT };
		});
	}

	allowed({ folder: id }: z.infer<typeof AllowedQuery>): Promise<Done<AllowedReply>> {
		return this.inTurn('files', id, async ({ context }) => {
			const asked = await new Questions(context.workspace.own).all();
			const rules = await perform(await operations.rules(), LOOKING, {}, context).catch(
				(error: unknown) => error,
			);
			const found = RulesOutput.safeParse(rules);
			return {
				added: addedRules(asked).map(({ rule, keptIn, at: when, asked: { question } }) => ({
					rule: this.safe(rule),
					keptIn: this.safe(keptIn),
					asked: visibleLine(`${question.tool}: ${question.title}`, LONGEST_RECORD),
					at: when,
				})),
				rules: (found.data?.rules ?? []).map(each => this.ruleOf(each)),
				isPaused: found.data?.isPaused ?? false,
				...(!found.success && { problem: this.safe(errorText(rules)) }),
				answers: asked
					.filter(({ answer, outcome }) => answer ?? outcome)
					.toReversed()
					.slice(0, MOST_ANSWERS)
					.map(each => this.answeredOf(each)),
			};
		});
	}

	private ruleOf({ rule, used }: RulesOutput['rules'][number]): AllowedReply['rules'][number] {
		const { id, effect, driver, tool, request, session, until } = rule;
		return {
			id,
			effect,
			agentName: this.words.agentName(driver),
			tool: visibleLine(tool),
			...(request && { body: this.safe(request.body).slice(0, LONGEST_TEXT) }),
			isOfSession: session !== undefined,
			until,
			used,
			...(rule.effect === 'once' && { uses: rule.uses }),
		};
	}

	private answeredOf({ question, answer, outcome }: Asked): AnsweredQuestion {
		const { id, driver, askedAt, kind, tool, title, choices } = question;
		return {
			id,
			agentName: this.words.agentName(driver),
			askedAt,
			kind,
			tool: visibleLine(tool),
			title: visibleLine(title, LONGEST_RECORD),
			choices: choices.map(({ effect }) => ({ effect, isYes: isYes(effect) })),
			...(answer && { answer: shownAnswer(answer) }),
			...(outcome && {
				outcome: {
					state: outcome.state,
					evidence: visibleLine(this.safe(outcome.evidence), LONGEST_RECORD),
					at: outcome.at,
				},
			}),
		};
	}

	traffic({ folder: id, task, worker }: z.infer<typeof TrafficQuery>): Promise<Done<TrafficReply>> {
		return this.inTurn('files', id, async ({ source, context }) => {
			const workers = source.overview().tasks.find(({ record }) => record.name === task)?.workers ?? [];
			const session = workers.find(({ record }) => record.name === worker)?.state.session;
			const input = {
				of: { task, worker },
				limit: MOST_TRAFFIC,
				// Otherwise the files of all sessions are read.
				...(session !== undefined && { session }),
			};
			const { records } = await perform(await operations.traffic(), LOOKING, input, context);
			return { records: records.map(record => this.recordOf(record, context.workspace.folder)) };
		});
	}

	private recordOf(record: TrafficRecord, folder: string): TrafficReply['records'][number] {
		const { kind, tool, summary } = record.type === 'event' ? record.event : {};
		const path = tool === undefined || summary === undefined ? undefined : fileIn(folder, summary);
		return {
			id: record.id,
			at: record.at,
			...(kind && { kind }),
			text: visibleLine(this.safe(whatHappened(record)), LONGEST_RECORD),
			...(path !== undefined && { path }),
		};
	}

	stop(device: string, delegate: DelegateId, id: FolderId) {
		return this.inFolder(id, async ({ context, refresh }) => {
			await perform(await operations.stopDelegate(), at(device), { id: delegate }, context);
			await refresh();
			return {};
		});
	}

	async remark(device: string, id: DelegateId, { folder, remarks, nonce }: RemarksRequest) {
		const reader = await this.inFolder(folder, async served => {
			const busy = busyIn(worktreeIn(served, id), served.source.delegates());
			if (busy) return busy.record;
			throw new NancyError(
				'wrong-state',
				phrase`The delegate has ended. "Send Back" in VS Code starts it again with your comments.`,
			);
		});
		if (!reader.ok) return reader;
		const { task, worker } = reader.value;
		const text = remarksMessage(
			remarksText(remarks.map(({ path, line, text: words }) => ({ file: path, line, text: words }))),
		);
		return this.send(device, { folder, task, worker, kind: 'feedback', text, nonce });
	}

	/** Safe to show on a page. */
	private safe(text: string): string {
		return visible(this.words.withoutPaths(text));
	}

	private inTurn<T>(of: 'git' | 'files', id: FolderId, look: (folder: ServedFolder) => Promise<T>): Promise<Done<T>> {
		return this.turns[of].take(() => this.inFolder(id, look));
	}
}

/** Looks, one after the other: each costs the machine something. */
class Turn {
	private waiting = 0;
	private last: Promise<unknown> = Promise.resolve();

	/** One that hangs, as git does at a pipe in the place of a file, keeps its turn for a minute. */
	take<T>(look: () => Promise<Done<T>>): Promise<Done<T>> {
		if (this.waiting >= MOST_WAITING)
			return Promise.resolve({ ok: false, code: 'busy', message: 'Too much is looked at right now. Try again.' });
		this.waiting++;
		const looked = this.last.then(look);
		const over = looked.catch(() => undefined);
		this.last = this.last
			.then(() => Promise.race([over, sleep(LONGEST_TURN_MS, undefined, { ref: false })]))
			.finally(() => this.waiting--);
		return looked;
	}
}

/** The file that a tool's subject names, from the folder; `undefined` if it names none there. */
function fileIn(folder: string, subject: string): string | undefined {
	const path = resolve(folder, subject);
	if (path === folder || !isInside(folder, path) || visible(subject) !== subject) return undefined;
	try {
		return lstatSync(path, { throwIfNoEntry: false })?.isFile() ? pathFrom(folder, path) : undefined;
	} catch {
		return undefined; // a name that is too long for the disk, a file in the place of a folder
	}
}

/** @throws NancyError if there is no such delegate, or it has no worktree */
function worktreeIn({ source }: ServedFolder, id: DelegateId): Worktree {
	const all = source.delegates();
	const delegate = all.find(({ record }) => record.id === id);
	if (!delegate) throw new NancyError('no-task', phrase`There is no such delegate.`);
	const worktree = worktreeOf(delegate, all);
	if (worktree) return worktree;
	throw new NancyError('bad-usage', phrase`This delegate works in the folder itself, so its changes are not apart.`);
}
