import { sha256 } from '../../base/sha256.ts';
import { visible, visibleLine } from '../../base/visible.ts';
import type { DelegateId } from '../../protocol/delegate.ts';
import {
	FolderId,
	type DeskFolder,
	type DeskMessage,
	type DeskQuestion,
	type DeskState,
	type DeskTask,
	type DeskWorker,
} from '../../protocol/deskState.ts';
import { ORCHESTRATOR } from '../../protocol/names.ts';
import type { Receipt } from '../../protocol/records.ts';
import type { Delegate } from '../delegates/delegate.ts';
import { heldText, type LimitOf } from '../mailbox/held.ts';
import type { MailboxListing, StoredMessage } from '../mailbox/mailboxFiles.ts';
import { alikeAs } from '../questions/alike.ts';
import { mailboxName } from '../workspace/mailboxName.ts';
import type { WorkerAddress } from '../workspace/workspace.ts';
import { deskDelegate } from './deskDelegate.ts';
import { choiceOf, LINE, shownAnswer, textsOf, type QuestionTexts } from './deskTexts.ts';
import { asksInTerminal } from './inTerminal.ts';
import type { LiveQuestion } from './liveQuestions.ts';
import type { Overview, TaskView, WorkerView } from './overview.ts';

/** A workspace folder that a desk shows. Everything is in memory. */
export interface DeskSource {
	/** See {@link folderId}. */
	readonly id: FolderId;
	readonly name: string;
	overview(): Overview;
	messages(address: WorkerAddress): MailboxListing;
	delegates(): readonly Delegate[];
	/** Those that are not over, and the newest of those that are. */
	questions(): readonly LiveQuestion[];
}

/** Names a folder on pages, which need not know its path. */
export function folderId(path: string): FolderId {
	return FolderId.parse(sha256(path).slice(0, 12));
}

export interface DeskWords {
	readonly agentName: (driver: string) => string;
	readonly limitOf: LimitOf;
	/** Takes out what a page must not get: the path of the user's data folder. */
	readonly withoutPaths: (text: string) => string;
}

/** The newest messages of a mailbox that are shown: of those that wait, and of the others. Whatever an agent writes, a page can hold it. */
const WAITING_SHOWN = 100;
const FILED_SHOWN = 30;

/** In UTF-16 units. A page shows more only on the computer. */
const LONGEST_TEXT = 16 * 1024;

/** The longest shown part of the request of a question that is over, in UTF-16 units. */
const LONGEST_OVER = 2000;

/** What the pages of the desk's server show: the same as the window's views, without what stays on this machine. */
export class DeskView {
	/** Making texts safe is most of the work, and the texts do not change. */
	private readonly questions = new WeakMap<LiveQuestion['question'], QuestionTexts>();
	private readonly messages = new WeakMap<StoredMessage, string>();

	constructor(private readonly words: DeskWords) {}

	/** All folders together. Items are in no order. */
	of(sources: readonly DeskSource[]): DeskState {
		const state: DeskState = { folders: [], questions: [], tasks: [], messages: [], delegates: [] };
		for (const source of sources) {
			const overview = source.overview();
			const tasks = overview.tasks.filter(({ record }) => record.archivedAt === undefined);
			state.folders.push(folderOf(source, overview));
			state.tasks.push(...tasks.map(task => this.task(source, task)));
			state.questions.push(...source.questions().map(asked => shortIfOver(this.question(source, asked))));
			const delegates = source.delegates();
			state.delegates.push(
				...delegates.map(delegate => deskDelegate(source.id, delegate, delegates, this.words)),
			);
			state.messages.push(...tasks.flatMap(task => this.mailboxes(source, task)));
		}
		return state;
	}

	/** All messages that wait in a mailbox, oldest first. */
	waiting(source: Pick<DeskSource, 'id' | 'messages'>, address: WorkerAddress): DeskMessage[] {
		const queued = source.messages(address).messages.filter(({ state }) => state === 'queued');
		return queued
			.toSorted(newestFirst)
			.toReversed()
			.map(message => this.message(source.id, address, message));
	}

	private message(folder: FolderId, address: WorkerAddress, message: StoredMessage): DeskMessage {
		const mailbox = mailboxName(address);
		const { id, state, content, author, receipt, held } = message;
		const text = this.messages.get(message) ?? visible(content.text.slice(0, LONGEST_TEXT));
		this.messages.set(message, text);
		return {
			key: `${folder}/${mailbox}/${id}`,
			folder,
			id,
			mailbox,
			isToPerson: address.worker === ORCHESTRATOR,
			state,
			kind: content.kind,
			priority: content.priority,
			effect: content.effect,
			author,
			from: visibleLine(content.from, LINE),
			text,
			isCut: content.text.length > LONGEST_TEXT,
			...(receipt && { receipt: receiptOf(receipt) }),
			...(held && { held: this.safe(String(heldText(held, this.words.limitOf))) }),
		};
	}

	/** One of the source's questions, as a page shows it. */
	question(source: Pick<DeskSource, 'id' | 'overview' | 'delegates'>, asked: LiveQuestion): DeskQuestion {
		const { question, answer, outcome, address } = asked;
		const { id, digest, driver, delegate, subagent, subagentName, askedAt, kind, bodyIs, isWhole } = question;
		const { tasks } = source.overview();
		const title = address && tasks.find(({ record }) => record.name === address.task)?.record.title;
		const texts = this.questions.get(question) ?? textsOf(question);
		this.questions.set(question, texts);
		const sub = subagentName ?? subagent;
		const alike = alikeAs(question);
		return {
			key: id,
			folder: source.id,
			id,
			digest,
			driver,
			agentName: this.words.agentName(driver),
			...(address && { task: address.task, worker: address.worker }),
			...(title !== undefined && { taskTitle: visibleLine(title, LINE) }),
			...(delegate !== undefined && { delegate: { id: delegate, title: titleOf(source, delegate) } }),
			...(sub !== undefined && { subagent: visibleLine(sub, LINE) }),
			askedAt,
			kind,
			bodyIs,
			isWhole,
			risk: question.risk ?? ['unread'],
			...texts,
			...(alike !== undefined && { alike }),
			choices: question.choices.map(choice => choiceOf(question, choice)),
			isOpen: !answer && !outcome,
			...(answer && { answer: shownAnswer(answer) }),
			...(outcome && {
				outcome: { state: outcome.state, evidence: this.line(outcome.evidence), at: outcome.at },
			}),
		};
	}

	private task(source: DeskSource, { record, unread, workers }: TaskView): DeskTask {
		const { id: folder } = source;
		const asked = source.questions();
		return {
			key: `${folder}/${record.name}`,
			folder,
			task: record.name,
			title: visibleLine(record.title, LINE),
			createdAt: record.createdAt,
			unread,
			workers: workers.map(worker => this.worker(worker, asksInTerminal(worker, asked))),
		};
	}

	private worker({ record, state, facts, queued, said, alert }: WorkerView, isInTerminal: boolean): DeskWorker {
		const { phase, tool, summary, source, at, since, subagents, exitCode, session } = state;
		const { contextTokens: tokens, contextWindow: window } = facts ?? {};
		return {
			worker: record.name,
			agent: record.agent,
			agentName: this.words.agentName(record.agent),
			phase,
			...(tool !== undefined && { tool: visibleLine(tool, LINE) }),
			...(summary !== undefined && { summary: this.line(summary) }),
			source: this.line(source),
			at,
			since,
			...(said && { said: { ...said, text: this.line(said.text) } }),
			...(alert && { alert: { ...alert, text: this.line(alert.text) } }),
			...(subagents !== undefined && { subagents }),
			queued,
			...(exitCode !== undefined && { exitCode }),
			...(isInTerminal && { asksInTerminal: true as const }),
			...(record.hooks === 'off' && { isWithoutHooks: true }),
			...(record.delegate !== undefined && { delegate: record.delegate }),
			...(session !== undefined && { session }),
			...(tokens !== undefined && { context: { tokens, ...(window !== undefined && { window }) } }),
		};
	}

	private mailboxes(source: DeskSource, { record, workers }: TaskView): DeskMessage[] {
		const names = [ORCHESTRATOR, ...workers.map(worker => worker.record.name)];
		return names.flatMap(worker => {
			const address = { task: record.name, worker };
			const { messages } = source.messages(address);
			const waiting = messages
				.filter(each => isWaiting(each))
				.toSorted(newestFirst)
				.slice(0, WAITING_SHOWN);
			const filed = messages.filter(each => !isWaiting(each)).slice(0, FILED_SHOWN);
			// Files of one name in two folders are two messages. The one that waits counts.
			const shown = new Map([...filed.toReversed(), ...waiting].map(message => [message.id, message]));
			return [...shown.values()].map(message => this.message(source.id, address, message));
		});
	}

	private safe(text: string): string {
		return visible(this.words.withoutPaths(text));
	}

	private line(text: string): string {
		return visibleLine(this.words.withoutPaths(text), LINE);
	}
}

/** Nobody decides about a question that is over: what it was about is enough. Pages get the state again and again. */
function shortIfOver(question: DeskQuestion): DeskQuestion {
	if (!question.outcome) return question;
	const { body } = question;
	return { ...question, body: body.length > LONGEST_OVER ? `${body.slice(0, LONGEST_OVER)}…` : body, also: [] };
}

function isWaiting({ state }: StoredMessage): boolean {
	return state === 'queued' || state === 'claimed';
}

function newestFirst(a: StoredMessage, b: StoredMessage): number {
	return a.id < b.id ? 1 : -1;
}

function folderOf({ id, name }: DeskSource, { problems }: Overview): DeskFolder {
	return { key: id, folder: id, name: visibleLine(name), problems: problems.length };
}

function titleOf(source: Pick<DeskSource, 'delegates'>, id: DelegateId): string {
	return visibleLine(source.delegates().find(({ record }) => record.id === id)?.record.title ?? '', LINE);
}

function receiptOf({ deliveredAt, event, tool, rung, inContextAt, lost }: Receipt): DeskMessage['receipt'] {
	return {
		deliveredAt,
		event: visibleLine(event),
		...(tool !== undefined && { tool: visibleLine(tool) }),
		rung,
		...(inContextAt !== undefined && { inContextAt }),
		lost: lost?.length ?? 0,
	};
}
